import type { Method } from './method.js';

/**
 * Roots of systems of equations. They are sought with detached values; derivatives enter by the implicit function theorem: with the
 * Jacobian J at the root x, x - J⁻¹ (f(x) - detached(f(x))) has the value x and the derivatives of the root. With
 * that for x, but the same J, it has those of second order, too: each such step makes one more order right.
 *
 * Powell's hybrid method as in MINPACK's `hybrj` (Moré, Garbow & Hillstrom 1980), whose Jacobian is computed anew in each iteration
 * instead of being updated. Newton's method with a line search as in KINSOL (Hindmarsh et al. 2005), with a new Jacobian as well; after a step within the
 * tolerance it goes on until the residual is within its own tolerance or can no longer be reduced, where KINSOL returns.
 */
const ALGEBRAIC: Method = {
  name: 'algebraic',
  text: `
  vector system(vector x);
  vector detached_system(vector x);
  matrix derivatives_at(vector x);
  int has_derivatives();
  int has_nan_arguments();
  void refuse_steps();
  void refuse_norm(real norm);
  void refuse_singular();
  void refuse_line_search();
  void refuse_long_steps();

  int is_finite_vector(vector x) {
    for (i in 1 : size(x)) if (is_nan(x[i]) || is_inf(x[i])) return 0;
    return 1;
  }

  vector with_derivatives(vector root) {
    int N = size(root);
    vector[N] result = root;
    if (has_derivatives()) {
      matrix[N, N] J = derivatives_at(root);
      vector[N] residual = system(root);
      vector[N] departure = residual - detached(residual);
      vector[N] change = mdivide_left(J, departure);
      // Where the Jacobian is singular, the root has a value, and its derivatives are not finite.
      if (!is_finite_vector(detached(change))) return root - cbrt(departure);
      result -= change;
      if (has_second_derivatives()) {
        residual = system(result);
        result -= mdivide_left(J, residual - detached(residual));
      }
    }
    return result;
  }

  // The step in the trust region of radius delta, whose axes are scaled by d.
  vector dogleg(matrix J, vector f, vector d, real delta) {
    int N = size(f);
    vector[N] newton = mdivide_left(J, -f);
    int has_newton = is_finite_vector(newton);
    real newton_norm = has_newton ? norm2(d .* newton) : positive_infinity();
    vector[N] descent;
    real slope;
    real cauchy;
    if (newton_norm <= delta) return newton;
    descent = -(J' * f) ./ d;
    slope = norm2(descent);
    if (slope == 0) return has_newton ? newton * (delta / newton_norm) : rep_vector(0, N);
    descent = descent ./ d / slope;
    cauchy = slope / dot_self(J * descent);
    if (!has_newton || cauchy >= delta) return descent * fmin(cauchy, delta);
    {
      real size = norm2(f);
      real ratio = delta / newton_norm;
      real inner = square(cauchy / delta);
      real t = size / slope * (size / newton_norm) * (cauchy / delta);
      real alpha = ratio * (1 - inner) / (t - ratio * inner + sqrt(square(t - ratio) + (1 - square(ratio)) * (1 - inner)));
      return alpha * newton + (1 - alpha) * cauchy * descent;
    }
  }

  vector powell(vector guess, data real relative_tolerance, data real function_tolerance, data int max_num_steps) {
    int N = size(guess);
    vector[N] x = detached(guess);
    vector[N] f = detached_system(x);
    matrix[N, N] J;
    vector[N] d = rep_vector(0, N);
    real size_f = norm2(f);
    real delta = 0;
    int evaluations = 1;
    int accepted = 1;
    int successes = 0;
    int slow = 0;
    int is_first = 1;
    int is_done = size_f == 0 || is_nan(size_f);
    if (is_nan(size_f) && !has_nan_arguments()) refuse_norm(size_f);
    while (!is_done) {
      vector[N] step;
      vector[N] next;
      vector[N] next_f;
      real step_norm;
      real next_size;
      real actual = -1;
      real predicted = 0;
      real ratio;
      if (accepted) {
        J = derivatives_at(x);
        for (j in 1 : N) {
          real column = norm2(J[:, j]);
          if (is_first) d[j] = column == 0 ? 1 : column;
          else d[j] = fmax(d[j], column);
        }
      }
      if (is_first) {
        delta = 100 * norm2(d .* x);
        if (delta == 0) delta = 100;
      }
      step = dogleg(J, f, d, delta);
      step_norm = norm2(d .* step);
      if (is_first) delta = fmin(delta, step_norm);
      is_first = 0;
      next = x + step;
      next_f = detached_system(next);
      evaluations += 1;
      next_size = norm2(next_f);
      if (next_size < size_f) actual = 1 - square(next_size / size_f);
      {
        real linear = norm2(f + J * step);
        if (linear < size_f) predicted = 1 - square(linear / size_f);
      }
      ratio = predicted > 0 ? actual / predicted : 0;
      if (ratio < 0.1) {
        successes = 0;
        delta *= 0.5;
      } else {
        successes += 1;
        if (ratio >= 0.5 || successes > 1) delta = fmax(delta, 2 * step_norm);
        if (abs(ratio - 1) <= 0.1) delta = 2 * step_norm;
      }
      accepted = ratio >= 1e-4;
      if (accepted) {
        x = next;
        f = next_f;
        size_f = next_size;
      }
      slow = actual >= 0.001 ? 0 : slow + 1;
      {
        real size_x = norm2(d .* x);
        is_done = delta <= relative_tolerance * size_x || size_f == 0
                  || 0.1 * fmax(0.1 * delta, step_norm) <= machine_precision() * size_x || slow >= 10
                  || is_nan(delta) || step_norm == 0;
      }
      if (evaluations >= max_num_steps) {
        if (!is_done) refuse_steps();
        is_done = 1;
      }
    }
    if (size_f > function_tolerance) refuse_norm(size_f);
    return with_derivatives(x);
  }

  vector newton(vector guess, data real step_tolerance, data real function_tolerance, data int max_num_steps) {
    int N = size(guess);
    vector[N] x = detached(guess);
    vector[N] f = detached_system(x);
    real most = norm1(f) < positive_infinity() ? max(abs(f)) : norm1(f);
    real longest = 1000 * fmax(norm2(x), 1);
    int iterations = 0;
    int long_steps = 0;
    // Whether a step was within the tolerance: then the root is known, and only more digits are sought.
    int is_close = 0;
    int is_done = most <= 0.01 * function_tolerance || is_nan(most);
    if (is_nan(most) && !has_nan_arguments()) refuse_line_search();
    while (!is_done) {
      vector[N] step = mdivide_left(derivatives_at(x), -f);
      vector[N] next;
      vector[N] next_f;
      real step_norm = norm2(step);
      real relative = 0;
      real half = 0.5 * dot_self(f);
      real slope = -2 * half;
      real lambda = 1;
      real previous = 1;
      real previous_half = half;
      int is_found = 0;
      if (!is_finite_vector(step)) {
        if (is_close) return with_derivatives(x);
        refuse_singular();
      }
      iterations += 1;
      if (step_norm > longest) {
        step *= longest / step_norm;
        slope *= longest / step_norm;
        step_norm = longest;
      }
      for (i in 1 : N) relative = fmax(relative, abs(step[i]) / fmax(abs(x[i]), 1));
      while (!is_found) {
        real next_half;
        next = x + lambda * step;
        next_f = detached_system(next);
        next_half = 0.5 * dot_self(next_f);
        if (next_half <= half + 1e-4 * lambda * slope) {
          is_found = 1;
        } else {
          real shorter;
          if (is_close) return with_derivatives(x);
          if (lambda * relative < step_tolerance || lambda < 1e-20) refuse_line_search();
          if (lambda == 1) {
            shorter = -slope / (2 * (next_half - half - slope));
          } else {
            real a = next_half - half - lambda * slope;
            real b = previous_half - half - previous * slope;
            real cubic = (a / square(lambda) - b / square(previous)) / (lambda - previous);
            real quadratic = (lambda * b / square(previous) - previous * a / square(lambda)) / (lambda - previous);
            real discriminant = square(quadratic) - 3 * cubic * slope;
            shorter = cubic == 0 ? -slope / (2 * quadratic)
                      : (sqrt(fmax(discriminant, 0)) - quadratic) / (3 * cubic);
          }
          previous = lambda;
          previous_half = next_half;
          lambda = shorter >= 0.1 * lambda ? fmin(shorter, 0.5 * lambda) : 0.1 * lambda;
        }
      }
      long_steps = lambda * step_norm > 0.99 * longest ? long_steps + 1 : 0;
      if (long_steps >= 5) refuse_long_steps();
      x = next;
      f = next_f;
      most = max(abs(f));
      if (lambda * relative <= step_tolerance) is_close = 1;
      is_done = most <= function_tolerance || (is_close && iterations >= max_num_steps);
      if (!is_done && iterations >= max_num_steps) refuse_steps();
    }
    return with_derivatives(x);
  }
`,
};

/** A solver of systems of equations. */
export interface AlgebraicSolver {
  readonly method: Method;
  /** The function of the method's text. */
  readonly entry: 'powell' | 'newton';
  /** What messages call it. */
  readonly reported: string;
  /** Words for the first tolerance, and what may follow them. */
  readonly first: { readonly function: string; readonly argument: string };
  /** First tolerance, function tolerance and most steps where the call gives none. */
  readonly defaults: readonly [number, number, number];
}

const powell: AlgebraicSolver = {
  method: ALGEBRAIC,
  entry: 'powell',
  reported: 'solve_powell',
  // Stan misspells the name here.
  first: { function: 'alegbra_solver_powell', argument: 'relative_tolerance' },
  defaults: [1e-10, 1e-6, 1000],
};
const newton: AlgebraicSolver = {
  method: ALGEBRAIC,
  entry: 'newton',
  reported: 'solve_newton',
  first: { function: 'solve_newton', argument: 'scaling_step_size' },
  defaults: [1e-3, 1e-6, 200],
};

/** By Stan's name, without `_tol`. Defaults: Stan Functions Reference, "Algebraic equation solvers". */
export const ALGEBRAIC_SOLVERS: ReadonlyMap<string, AlgebraicSolver> = new Map([
  ['solve_powell', powell],
  ['solve_newton', newton],
  ['algebra_solver', powell],
  ['algebra_solver_newton', newton],
]);
