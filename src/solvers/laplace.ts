import type { Method } from './method.js';

/**
 * The embedded Laplace approximation: θ ~ normal(0, K), y ~ p(y | θ, η); the density of y with θ integrated out, from the mode of log p(y | θ, η) - ½
 * θ' K⁻¹ θ and the curvature there. Margossian, Vehtari, Simpson & Agrawal 2020 (arXiv 2004.12550); Margossian 2023 (arXiv 2306.14976) for the three
 * solvers: with W the block-diagonal negative Hessian of the log likelihood, they factor 1: I + √W K √W, 2: I + L' W L with K = L L', 3: I + K W.
 *
 * The mode is found with detached values, by Newton's method in a = K⁻¹ θ with a line search for the strong Wolfe conditions (Nocedal & Wright 2006,
 * section 3.5). Derivatives are added afterwards, by terms of value 0 that are linear in K and in the log likelihood with two directional
 * derivatives; their weights are the adjoints that the implicit function theorem gives (Margossian 2023, section 3).
 */
export const LAPLACE: Method = {
  name: 'laplace',
  text: `
  real log_likelihood(vector theta);
  // Not a number where the caller's function refuses.
  real tried_log_likelihood(vector theta);
  vector slope(vector theta);
  // Column k: minus the product of the Hessian with the vector of ones at k, k + block, k + 2 block, ...
  matrix curvature(vector theta, int block);
  // The gradient of the sum over k of the second derivatives along those ones and along column k of the weights.
  vector curvature_slope(vector theta, matrix weights);
  // The log likelihood, its derivative along v and half that sum: has derivatives by what is handed on.
  real varying_log_likelihood(vector theta, vector v, matrix weights);
  // The Cholesky factor; not a number at [1, 1] where there is none.
  matrix factor(matrix a);
  // That of I + B, with the least of 0, 1e-10, 1e-9, ..., 1e-6 added to the diagonal for which there is one.
  matrix system_factor(matrix B);
  // The inverse of L L'.
  matrix factor_inverse(matrix L);
  int covariance_varies();
  int likelihood_varies();
  void refuse_start();
  void refuse_solver();
  void warn_steps(int max_num_steps);
  // The cause: 0 for W, minus the number of one of its blocks, 1 for the factor of the system, 2 for that of K.
  void warn_solver(int step, int solver, int block, int cause);

  // A block diagonal matrix, of which W has the blocks one below the other, times X.
  matrix times_blocks(int block, matrix W, matrix X) {
    if (block == 1) return diag_pre_multiply(W[:, 1], X);
    {
      matrix[rows(X), cols(X)] result;
      for (j in 1 : rows(X) %/% block) {
        int from = (j - 1) * block + 1;
        int to = j * block;
        result[from : to] = W[from : to] * X[from : to];
      }
      return result;
    }
  }

  // The symmetric root of such a matrix; where a block has a negative eigenvalue, its first element is not a number, and none is where
  // an element of the diagonal is negative or not finite.
  matrix root_of_blocks(int block, matrix W) {
    matrix[rows(W), block] root;
    int is_valid = 1;
    for (i in 1 : rows(W)) {
      real w = W[i, (i - 1) % block + 1];
      if (!(w >= 0) || is_inf(w)) is_valid = 0;
    }
    if (block == 1) root = sqrt(W);
    else if (is_valid) {
      for (j in 1 : rows(W) %/% block) {
        int from = (j - 1) * block + 1;
        int to = j * block;
        matrix[block, block] w = 0.5 * (W[from : to] + W[from : to]');
        if (is_nan(sum(w)) || is_inf(sum(w))) {
          is_valid = 0;
        } else {
          vector[block] values = eigenvalues_sym(w);
          matrix[block, block] vectors = eigenvectors_sym(w);
          root[from : to] = diag_post_multiply(vectors, sqrt(fmax(values, 0))) * vectors';
          if (min(values) < -1e-12 * max(abs(values))) root[from, 1] = not_a_number();
        }
      }
    }
    if (!is_valid) root = rep_matrix(not_a_number(), rows(W), block);
    return root;
  }

  vector times_blocks(int block, matrix W, vector x) {
    vector[size(x)] result;
    for (i in 1 : size(x)) {
      int from = (i - 1) %/% block * block;
      result[i] = W[i] * x[from + 1 : from + block];
    }
    return result;
  }

  // The blocks of a matrix.
  matrix blocks_of(matrix A, int block) {
    matrix[rows(A), block] result;
    for (i in 1 : rows(A)) {
      int from = (i - 1) %/% block * block;
      for (k in 1 : block) result[i, k] = A[i, from + k];
    }
    return result;
  }

  // At the mode: the log density of y, a, the gradient of the log likelihood, the blocks of A = (K⁻¹ + W)⁻¹, R = W - W A W, and A.
  // Wanted is the density alone (0), what derivatives need (1), A (2).
  tuple(real, vector, vector, matrix, matrix, matrix) approximation(matrix K, vector start, real tolerance, int max_num_steps,
                                                            int first_solver, int max_steps_line_search, int may_fall_through,
                                                            int block, int wanted) {
    int N = rows(K);
    int solver = first_solver;
    vector[N] theta = start;
    vector[N] a = rep_vector(0, N);
    vector[N] g;
    matrix[N, N] L_K;
    matrix[N, N] A;
    matrix[N, N] R;
    matrix[N, block] blocks;
    real objective;
    real log_root_determinant = 0;
    int steps = 0;
    int is_at_mode = 0;
    int is_done = 0;
    int is_factored = 0;
    if (max(abs(theta)) > 0) a = mdivide_left(K, theta);
    objective = log_likelihood(theta) - 0.5 * dot_product(a, theta);
    if (is_nan(objective) || is_inf(objective)) refuse_start();
    g = slope(theta);
    while (!is_done) {
      matrix[N, block] W = curvature(theta, block);
      vector[N] b = times_blocks(block, W, theta) + g;
      vector[N] p;
      int is_solved = 1;
      int cause = 0;
      if (solver == 3) {
        matrix[N, N] B = add_diag(times_blocks(block, W, K')', 1);
        if (is_at_mode) {
          log_root_determinant = 0.5 * log_determinant(B);
          if (wanted) A = mdivide_left(B, K);
        } else {
          p = b - times_blocks(block, W, mdivide_left(B, K * b)) - a;
        }
      } else {
        matrix[N, solver == 1 ? block : N] root;
        matrix[N, N] L;
        if (solver == 1) {
          root = root_of_blocks(block, W);
          if (block == 1) L = system_factor(quad_form_diag(K, root[:, 1]));
          else L = system_factor(times_blocks(block, root, times_blocks(block, root, K)'));
        } else {
          if (!is_factored) L_K = factor(K);
          is_factored = 1;
          root = L_K;
          L = system_factor(root' * times_blocks(block, W, root));
        }
        is_solved = !is_nan(L[1, 1]);
        if (!is_solved) {
          cause = 1;
          if (solver == 2) {
            if (is_nan(L_K[1, 1])) cause = 2;
          } else if (is_nan(root[1, block])) {
            cause = 0;
          } else {
            for (j in 1 : N %/% block) if (cause == 1 && is_nan(root[(j - 1) * block + 1, 1])) cause = -j;
          }
        }
        if (is_solved && is_at_mode) {
          log_root_determinant = sum(log(diagonal(L)));
          if (wanted && solver == 1) {
            matrix[N, N] C = mdivide_left_tri_low(L, times_blocks(block, root, K));
            for (i in 1 : N) {
              int from = (i - 1) %/% block * block;
              for (k in 1 : block) blocks[i, k] = K[i, from + k] - dot_product(C[:, i], C[:, from + k]);
            }
            if (wanted == 1) R = times_blocks(block, root, times_blocks(block, root, factor_inverse(L))');
            else A = K - crossprod(C);
          } else if (wanted) {
            A = crossprod(mdivide_left_tri_low(L, root'));
          }
        } else if (is_solved) {
          vector[N] x;
          if (solver == 1) x = times_blocks(block, root, K * b);
          else x = root' * b;
          x = mdivide_right_tri_low(mdivide_left_tri_low(L, x)', L)';
          if (solver == 1) p = b - times_blocks(block, root, x) - a;
          else p = mdivide_right_tri_low(x', root)' - a;
        }
      }
      if (!is_solved) {
        if (!may_fall_through) refuse_solver();
        warn_solver(steps, solver, block, cause);
        solver += 1;
      } else if (is_at_mode) {
        if (wanted && solver > 1) {
          blocks = blocks_of(A, block);
          R = times_blocks(block, W, add_diag(-times_blocks(block, W, A')', 1));
        }
        is_done = 1;
      } else {
        vector[N] K_p = K * p;
        real climb = dot_product(g - a, K_p);
        real before = objective;
        // What rounding may take away: close to the mode the slopes decide (Hager & Zhang 2005, section 2).
        real slack = 16 * machine_precision() * abs(objective);
        vector[N] best_g;
        real best = 0;
        real alpha = 1;
        real low = 0;
        real low_objective = objective;
        real high = positive_infinity();
        int evaluations = 0;
        int is_searching = 1;
        if (climb < 0) {
          p = -p;
          K_p = -K_p;
          climb = -climb;
        }
        while (is_searching) {
          vector[N] next_theta = theta + alpha * K_p;
          real next = tried_log_likelihood(next_theta) - 0.5 * dot_product(a + alpha * p, next_theta);
          int is_enough = next >= fmax(low_objective, before + 1e-4 * alpha * climb) - slack;
          evaluations += 1;
          if (max_steps_line_search == 0) is_enough = !is_nan(next) && !is_inf(next);
          if (is_enough) {
            vector[N] next_g = slope(next_theta);
            real next_climb = dot_product(next_g - a - alpha * p, K_p);
            if (is_nan(next_climb) || is_inf(next_climb) || is_inf(next)) {
              high = alpha;
            } else {
              if (best == 0 || next > objective) {
                best = alpha;
                best_g = next_g;
                objective = next;
              }
              if (max_steps_line_search == 0 || abs(next_climb) <= 0.9 * climb) {
                is_searching = 0;
              } else if (next_climb < 0) {
                high = alpha;
              } else {
                low = alpha;
                low_objective = next;
              }
            }
          } else {
            high = alpha;
          }
          if (is_inf(high)) alpha *= 2;
          else alpha = 0.5 * (low + high);
          if (alpha > 16 || high - low < 1e-8 || evaluations > max_steps_line_search) is_searching = 0;
        }
        if (best > 0) {
          a += best * p;
          theta = K * a;
          g = best_g;
        }
        steps += 1;
        // The next step cannot gain more than half the quadratic form, nor move theta by more than about its root.
        if (best == 0 || abs(objective - before) < fmax(tolerance, slack)
            || quad_form(K, g - a) < square(fmin(tolerance, 1))) {
          is_at_mode = 1;
        } else if (steps > max_num_steps) {
          warn_steps(max_num_steps);
          is_at_mode = 1;
        }
      }
    }
    if (is_nan(objective - log_root_determinant)) refuse_solver();
    return (objective - log_root_determinant, a, g, blocks, R, A);
  }

  real marginal(matrix covariance, vector start, data real tolerance, data int max_num_steps, data int solver,
                data int max_steps_line_search, data int may_fall_through, data int block) {
    int N = rows(covariance);
    matrix[N, N] K = detached(covariance);
    tuple(real, vector[N], vector[N], matrix[N, block], matrix[N, N], matrix[N, N]) at =
      approximation(K, start, tolerance, max_num_steps, solver, max_steps_line_search, may_fall_through, block,
                    covariance_varies() || likelihood_varies());
    real result = at.1;
    if (covariance_varies() || likelihood_varies()) {
      vector[N] theta = K * at.2;
      vector[N] s = 0.5 * curvature_slope(theta, at.4);
      vector[N] u = s - at.5 * (K * s);
      if (likelihood_varies()) {
        real varying = varying_log_likelihood(theta, K * u, at.4);
        result += varying - detached(varying);
      }
      if (covariance_varies()) {
        matrix[N, N] weight = (0.5 * at.2 + u) * at.3' - 0.5 * at.5;
        result += sum(weight .* (covariance - K));
      }
    }
    // Derivatives of the likelihood at the mode may not be finite although its value is.
    if (is_nan(detached(result))) refuse_solver();
    return result;
  }

  vector latent_rng(matrix K, vector start, data real tolerance, data int max_num_steps, data int solver,
                    data int max_steps_line_search, data int may_fall_through, data int block) {
    int N = rows(K);
    tuple(real, vector[N], vector[N], matrix[N, block], matrix[N, N], matrix[N, N]) at =
      approximation(K, start, tolerance, max_num_steps, solver, max_steps_line_search, may_fall_through, block, 2);
    return multi_normal_rng(K * at.3, 0.5 * (at.6 + at.6'));
  }

  // The mode, and the Cholesky factor of the covariance A there.
  tuple(vector, matrix) latent_solve(matrix K, vector start, data real tolerance, data int max_num_steps, data int solver,
                                     data int max_steps_line_search, data int may_fall_through, data int block) {
    int N = rows(K);
    tuple(real, vector[N], vector[N], matrix[N, block], matrix[N, N], matrix[N, N]) at =
      approximation(detached(K), detached(start), tolerance, max_num_steps, solver, max_steps_line_search, may_fall_through, block, 2);
    return (K * at.3, cholesky_decompose(0.5 * (at.6 + at.6')));
  }
`,
};
