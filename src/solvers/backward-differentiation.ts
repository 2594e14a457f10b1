import { DIFFERENCES, EQUATION, FIRST_STEP, FORMULAS } from './differences.js';
import type { Method } from './method.js';

/**
 * Backward differentiation formulas of orders 1 to 5 with a step that stays the same for a while, in terms of backward differences, with
 * the error constants of the numerical differentiation formulas. Source: Shampine & Reichelt, The MATLAB ODE Suite (1997), sections
 * 2.1 to 2.3.
 *
 * Steps, orders and the implicit equations are settled with detached values, in the weighted root-mean-square norm that CVODE uses, too. A step
 * that is taken then gets its derivatives by the implicit function theorem with the Jacobian at its end, and those of second order by the
 * same step once more: reverse mode gives the discrete adjoint of the accepted steps.
 */
export const BACKWARD_DIFFERENTIATION: Method = {
  name: 'backward_differentiation',
  text: `${EQUATION}${DIFFERENCES}${FIRST_STEP}  matrix derivatives_at(real t, vector y);
  // The slopes of the states alone, and those of the sensitivity.
  vector state_derivative(real t, vector y);
  vector sensitivity_derivative(real t, vector y, vector s);

  // (I - c J)⁻¹ by Gauss–Jordan elimination in place with partial pivoting, down the columns; rows are exchanged by number, so that small
  // matrices can be unrolled.
  matrix newton_matrix(real c, matrix J) {
    int N = rows(J);
    matrix[N, N] A;
    array[N] int exchanged;
    for (j in 1 : N) {
      for (i in 1 : N) A[i, j] = -c * J[i, j];
      A[j, j] += 1;
    }
    for (k in 1 : N) {
      vector[N] column;
      int pivot = k;
      real greatest = abs(A[k, k]);
      for (i in k + 1 : N) {
        if (abs(A[i, k]) > greatest) {
          greatest = abs(A[i, k]);
          pivot = i;
        }
      }
      exchanged[k] = pivot;
      for (i in k + 1 : N) {
        if (i == pivot) {
          for (j in 1 : N) {
            real above = A[k, j];
            A[k, j] = A[i, j];
            A[i, j] = above;
          }
        }
      }
      for (i in 1 : N) {
        column[i] = A[i, k];
        A[i, k] = 0;
      }
      {
        real factor = 1 / column[k];
        A[k, k] = 1;
        for (j in 1 : N) {
          real share = A[k, j] * factor;
          // Jacobians of many states are mostly sparse; those of few are unrolled, and a test would cost more than it saves.
          if (N <= 8 || share != 0) {
            for (i in 1 : N) A[i, j] -= column[i] * share;
          }
          A[k, j] = share;
        }
      }
    }
    for (m in 1 : N) {
      int k = N + 1 - m;
      for (j in k + 1 : N) {
        if (j == exchanged[k]) {
          for (i in 1 : N) {
            real left = A[i, k];
            A[i, k] = A[i, j];
            A[i, j] = left;
          }
        }
      }
    }
    return A;
  }

  matrix rescaling_of(int order, real factor) {
    matrix[6, 6] R = rep_matrix(0, 6, 6);
    R[1 : order + 1, 1 : order + 1] = rescaling(order, factor);
    return R;
  }

  // Backward differences for another step; the columns behind those of the order keep what they had.
  matrix rescaled(matrix D, matrix R, int Q) {
    int N = rows(D);
    matrix[N, 8] result = D;
    for (i in 1 : N) {
      for (j in 1 : Q) {
        real sum = 0;
        for (k in 1 : Q) sum += D[i, k] * R[k, j];
        result[i, j] = sum;
      }
    }
    return result;
  }

  // The weighted norm of the differences in a column, of states and sensitivity.
  real difference_norm(matrix now, matrix traced, int column, data real rtol, data vector atol) {
    int N = rows(now);
    real total = 0;
    for (i in 1 : N) total += square(now[i, column] / (atol[i] + rtol * abs(now[i, 1])));
    if (has_derivatives()) {
      for (i in 1 : N) total += square(traced[i, column] / (atol[i] + rtol * abs(traced[i, 1])));
      total /= 2;
    }
    return sqrt(total / N);
  }

  array[] vector integrate(vector initial, real initial_time, array[] real times, data real rtol, data vector atol,
                           data int max_num_steps) {
    int N = size(initial);
    int T = size(times);
    array[T] vector[N] result;
${FORMULAS}    matrix[N, 8] D = rep_matrix(0, N, 8);
    matrix[N, 8] now = rep_matrix(0, N, 8);
    matrix[N, 8] traced = rep_matrix(0, N, 8);
    vector[N] y = initial;
    real t = detached(initial_time);
    matrix[N, N] J;
    matrix[N, N] system;
    real system_c = 0;
    int order = 1;
    int equal_steps = 0;
    int output = 1;
    int steps = 0;
    int is_current = 1;
    // What D becomes when steps get another length, where it has not been done yet.
    int is_rescaled = 0;
    matrix[6, 6] rescalings;
    real h;
    real rate = 0.9;
    real newton_tolerance = fmax(10 * machine_precision() / rtol, fmin(0.03, sqrt(rtol)));
    if (has_varying_initial_time()) y -= drift(t, y, initial_time - t, -1);
    {
      int M = size(augmented(detached(initial)));
      vector[M] y0 = augmented(detached(y));
      vector[M] f0 = detached_derivative(t, y0);
      vector[M] scale;
      for (i in 1 : M) scale[i] = atol[i > N ? i - N : i] + rtol * abs(y0[i]);
      h = first_step(t, detached(times[T]), y0, f0, scale);
      for (i in 1 : N) {
        now[i, 1] = y0[i];
        now[i, 2] = h * f0[i];
        if (has_derivatives()) {
          traced[i, 1] = y0[N + i];
          traced[i, 2] = h * f0[N + i];
        }
      }
      J = derivatives_at(t, head(y0, N));
    }
    D[:, 1] = y;
    if (has_derivatives()) D[:, 2] = h * derivative(t, y);
    while (output <= T) {
      vector[N] end_now;
      vector[N] change;
      vector[N] traced_change;
      real next_t = t;
      real c = 0;
      real error = 2;
      real safety = 0.9;
      int attempts = 0;
      while (error > 1) {
        vector[N] predicted;
        vector[N] psi;
        vector[N] scale;
        real before = 0;
        int is_converged = 0;
        int iterations = 0;
        int goes_on = 1;
        real factor = 1;
        attempts += 1;
        if (attempts > 100 || h < 1e-16 * fmax(abs(t), 1e-290)) {
          if (steps > 0) refuse_steps(detached(times[output]));
          refuse_attempts();
        }
        next_t = t + h;
        c = h / alpha[order + 1];
        for (i in 1 : N) {
          predicted[i] = now[i, 1];
          psi[i] = 0;
        }
        for (k in 1 : order) {
          for (i in 1 : N) {
            predicted[i] += now[i, k + 1];
            psi[i] += now[i, k + 1] * gamma[k + 1];
          }
        }
        for (i in 1 : N) {
          psi[i] /= alpha[order + 1];
          scale[i] = 1 / (atol[i] + rtol * abs(predicted[i]));
          change[i] = 0;
          end_now[i] = predicted[i];
        }
        if (c != system_c) {
          system = newton_matrix(c, J);
          system_c = c;
          rate = fmax(rate, 0.1);
        }
        while (goes_on) {
          vector[N] f = state_derivative(next_t, end_now);
          vector[N] residual;
          real size_now = 0;
          vector[N] update;
          for (i in 1 : N) {
            residual[i] = c * f[i] - psi[i] - change[i];
            update[i] = 0;
          }
          for (j in 1 : N) {
            for (i in 1 : N) update[i] += system[i, j] * residual[j];
          }
          for (i in 1 : N) {
            change[i] += update[i];
            end_now[i] = predicted[i] + change[i];
            size_now += square(update[i] * scale[i]);
          }
          size_now = sqrt(size_now / N);
          iterations += 1;
          if (iterations > 1) rate = fmax(0.2 * rate, size_now / before);
          if (is_nan(size_now) || is_inf(size_now)) {
            goes_on = 0;
          } else if (size_now < newton_tolerance || (rate < 1 && rate / (1 - rate) * size_now < newton_tolerance)) {
            // An update that is smaller than the tolerance may be nothing but rounding, which has no rate.
            is_converged = 1;
            goes_on = 0;
          } else {
            real last = size_now / (1 - rate);
            for (k in iterations : 4) last *= rate;
            if (iterations >= 4 || (iterations > 1 && (rate >= 1 || last > newton_tolerance))) goes_on = 0;
          }
          before = size_now;
        }
        if (!is_converged) {
          rate = 0.9;
          if (is_current) {
            factor = 0.5;
          } else {
            J = derivatives_at(next_t, predicted);
            is_current = 1;
            system_c = 0;
          }
        } else {
          real total = 0;
          safety = 0.9 * 9 / (8 + iterations);
          for (i in 1 : N) total += square(change[i] / (atol[i] + rtol * abs(end_now[i])));
          if (has_derivatives()) {
            vector[N] traced_predicted;
            vector[N] residual;
            J = derivatives_at(next_t, end_now);
            system = newton_matrix(c, J);
            system_c = c;
            is_current = 1;
            for (i in 1 : N) {
              traced_predicted[i] = traced[i, 1];
              residual[i] = 0;
            }
            for (k in 1 : order) {
              for (i in 1 : N) {
                traced_predicted[i] += traced[i, k + 1];
                residual[i] -= traced[i, k + 1] * gamma[k + 1];
              }
            }
            {
              vector[N] f = sensitivity_derivative(next_t, end_now, traced_predicted);
              for (i in 1 : N) residual[i] = residual[i] / alpha[order + 1] + c * f[i];
            }
            for (i in 1 : N) traced_change[i] = 0;
            for (j in 1 : N) {
              for (i in 1 : N) traced_change[i] += system[i, j] * residual[j];
            }
            for (i in 1 : N) {
              total += square(traced_change[i] / (atol[i] + rtol * abs(traced_predicted[i] + traced_change[i])));
            }
            total /= 2;
          }
          error = error_constant[order + 1] * sqrt(total / N);
          if (is_nan(error)) error = positive_infinity();
          if (error > 1) factor = fmax(0.2, safety * error ^ (-1.0 / (order + 1)));
        }
        if (factor != 1) {
          matrix[6, 6] R = rescaling_of(order, factor);
          now = rescaled(now, R, order + 1);
          if (has_derivatives()) {
            traced = rescaled(traced, R, order + 1);
            rescalings = is_rescaled ? product(rescalings, R) : R;
            is_rescaled = 1;
          }
          h *= factor;
          equal_steps = 0;
        }
      }
      steps += 1;
      if (steps > max_num_steps) refuse_steps(detached(times[output]));
      if (has_derivatives()) {
        // What derivatives are taken of stays as it is, for the reverse sweep.
        vector[N] end_states = end_now;
        matrix[N, N] solution = system;
        real taken = c;
        int q = order;
        int Q = q + 1;
        vector[N] known;
        vector[N] f = derivative(next_t, end_states);
        if (is_rescaled) {
          matrix[6, 6] R = rescalings;
          D = rescaled(D, R, Q);
          is_rescaled = 0;
        }
        for (i in 1 : N) {
          known[i] = D[i, 1] + taken * f[i];
          for (k in 2 : Q) known[i] += D[i, k] * (1 - gamma[k] / alpha[Q]);
        }
        vector[N] moves = known - detached(known);
        vector[N] moved = end_states;
        for (j in 1 : N) {
          for (i in 1 : N) moved[i] += solution[i, j] * moves[j];
        }
        if (has_second_derivatives()) {
          vector[N] slope = derivative(next_t, moved);
          vector[N] residual;
          vector[N] again;
          for (i in 1 : N) {
            residual[i] = D[i, 1] + taken * slope[i] - moved[i];
            for (k in 2 : Q) residual[i] += D[i, k] * (1 - gamma[k] / alpha[Q]);
          }
          again = residual - detached(residual);
          for (j in 1 : N) {
            for (i in 1 : N) moved[i] += solution[i, j] * again[j];
          }
        }
        for (i in 1 : N) {
          for (k in 1 : Q) moved[i] -= D[i, k];
          D[i, q + 3] = moved[i] - D[i, q + 2];
          D[i, q + 2] = moved[i];
          for (k in 1 : Q) D[i, q + 2 - k] += D[i, q + 3 - k];
        }
        for (i in 1 : N) {
          traced[i, order + 3] = traced_change[i] - traced[i, order + 2];
          traced[i, order + 2] = traced_change[i];
          for (k in 1 : order + 1) traced[i, order + 2 - k] += traced[i, order + 3 - k];
        }
      }
      for (i in 1 : N) {
        now[i, order + 3] = change[i] - now[i, order + 2];
        now[i, order + 2] = change[i];
        for (k in 1 : order + 1) now[i, order + 2 - k] += now[i, order + 3 - k];
      }
      t = next_t;
      if (!has_derivatives()) is_current = 0;
      equal_steps += 1;
      real length = h;
      while (output <= T && detached(times[output]) <= t) {
        real time = detached(times[output]);
        vector[N] state = has_derivatives() ? D[:, 1] : now[:, 1];
        real p = 1;
        for (k in 1 : order) {
          p *= (time - t + length * (k - 1)) / (length * k);
          for (i in 1 : N) state[i] += p * (has_derivatives() ? D[i, k + 1] : now[i, k + 1]);
        }
        result[output] = state;
        if (has_varying_times()) result[output] += drift(time, state, times[output] - time, 1);
        output += 1;
        steps = 0;
      }
      if (equal_steps > order) {
        real below = positive_infinity();
        real above = positive_infinity();
        int next_order;
        real best;
        if (order > 1) below = error_constant[order] * difference_norm(now, traced, order + 1, rtol, atol);
        if (order < 5) above = error_constant[order + 2] * difference_norm(now, traced, order + 3, rtol, atol);
        next_order = best_order(order, below, error, above);
        best = growth(next_order, next_order < order ? below : next_order > order ? above : error);
        order = next_order;
        {
          real factor = fmin(10, safety * best);
          matrix[6, 6] R = rescaling_of(order, factor);
          now = rescaled(now, R, order + 1);
          if (has_derivatives()) {
            traced = rescaled(traced, R, order + 1);
            rescalings = R;
            is_rescaled = 1;
          }
          h *= factor;
          equal_steps = 0;
        }
      }
    }
    return result;
  }
`,
};
