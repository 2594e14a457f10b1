import { DIFFERENCES, FORMULAS } from './differences.js';
import type { Method } from './method.js';
import type { Tolerances } from './ode.js';

/**
 * Differential-algebraic equations F(t, y, y') = 0 of index 1 by backward differentiation formulas of orders 1 to 5, in terms of backward
 * differences: y' at the end of a step is a linear function of y there, with slope 1 / c, and Newton's method solves F = 0 for y with the matrix
 * ∂F/∂y + ∂F/∂y' / c. Source: Brenan, Campbell & Petzold, Numerical Solution of Initial-Value Problems in Differential-Algebraic Equations (1996),
 * sections 3.1 and 5.2; the formulas are the numerical differentiation formulas of `FORMULAS`. The first step and the numbers of attempts are those
 * of IDA (Hindmarsh et al. 2005).
 *
 * Steps and orders are chosen, and the equations solved, with detached values. An accepted step gets its derivatives by the implicit function theorem
 * at its end, and its second derivatives by a second application of the same formula: reverse mode computes the discrete adjoint of the accepted
 * steps.
 */
export const DIFFERENTIAL_ALGEBRAIC: Method = {
  name: 'differential_algebraic',
  text: `${DIFFERENCES}
  vector residual(real t, vector y, vector slope);
  vector detached_residual(real t, vector y, vector slope);
  matrix derivatives_at(real t, vector y, vector slope, real c);
  int has_derivatives();
  void refuse_steps();
  void refuse_errors();
  void refuse_convergence();

  array[] vector integrate(vector initial, vector initial_slope, real initial_time, array[] real times, data real rtol,
                           data real atol, data int max_num_steps) {
    int N = size(initial);
    int T = size(times);
    array[T] vector[N] result;
${FORMULAS}    matrix[N, 8] D = rep_matrix(0, N, 8);
    matrix[N, 8] now = rep_matrix(0, N, 8);
    matrix[N, N] system;
    real system_c = 0;
    real t = initial_time;
    real h = 0.001 * (times[1] - t);
    int order = 1;
    int equal_steps = 0;
    int output = 1;
    int steps = 0;
    // Steps in a row that are too short to change t: where there are many, the most steps that are allowed would not reach the output.
    int still = 0;
    real newton_tolerance = fmax(10 * machine_precision() / rtol, fmin(0.03, sqrt(rtol)));
    now[:, 1] = detached(initial);
    h = fmin(h, 0.5 / weighted_norm(detached(initial_slope), atol + rtol * abs(now[:, 1])));
    now[:, 2] = h * detached(initial_slope);
    if (has_derivatives()) {
      D[:, 1] = initial;
      D[:, 2] = h * initial_slope;
    }
    while (output <= T) {
      vector[N] end_now;
      vector[N] end_slope;
      vector[N] change;
      vector[N] scale;
      real next_t = t;
      real c = 0;
      real error = 2;
      real safety = 0.9;
      int error_failures = 0;
      int convergence_failures = 0;
      steps += 1;
      if (steps > max_num_steps || still > 100) refuse_steps();
      while (error > 1) {
        vector[N] predicted = rep_vector(0, N);
        vector[N] psi = rep_vector(0, N);
        real before = 0;
        int is_converged = 0;
        int iterations = 0;
        int goes_on = 1;
        int is_current = 0;
        real factor = 1;
        next_t = t + h;
        for (k in 1 : order + 1) predicted += now[:, k];
        for (k in 1 : order) psi += now[:, k + 1] * gamma[k + 1];
        psi /= alpha[order + 1];
        c = h / alpha[order + 1];
        scale = atol + rtol * abs(predicted);
        if (system_c != c) {
          system = derivatives_at(next_t, predicted, psi / c, c);
          system_c = c;
          is_current = 1;
        }
        change = rep_vector(0, N);
        end_now = predicted;
        end_slope = psi / c;
        while (goes_on) {
          vector[N] update = mdivide_left(system, -detached_residual(next_t, end_now, end_slope));
          real size_now = weighted_norm(update, scale);
          real rate = iterations > 0 ? size_now / before : 0;
          iterations += 1;
          if (is_nan(size_now) || is_inf(size_now)) {
            goes_on = 0;
          } else {
            change += update;
            end_now = predicted + change;
            end_slope = (psi + change) / c;
            // An update that is smaller than the tolerance may be nothing but rounding, which has no rate.
            is_converged = size_now < newton_tolerance
                           || (iterations > 1 && rate < 1 && rate / (1 - rate) * size_now < newton_tolerance);
            goes_on = !is_converged && iterations < 4
                      && (iterations == 1 || (rate < 1 && rate ^ (4 - iterations + 1) / (1 - rate) * size_now <= newton_tolerance));
            before = size_now;
          }
        }
        if (is_converged) {
          safety = 0.9 * 9 / (8 + iterations);
          scale = atol + rtol * abs(end_now);
          error = weighted_norm(error_constant[order + 1] * change, scale);
          if (is_nan(error)) error = positive_infinity();
          if (error > 1) {
            error_failures += 1;
            if (error_failures >= 10) refuse_errors();
            factor = fmax(0.2, safety * growth(order, error));
          }
        } else if (is_current) {
          convergence_failures += 1;
          if (convergence_failures >= 10) refuse_convergence();
          factor = 0.25;
        } else {
          system_c = 0;
        }
        if (factor != 1) {
          matrix[order + 1, order + 1] R = rescaling(order, factor);
          now[:, 1 : order + 1] = now[:, 1 : order + 1] * R;
          if (has_derivatives()) D[:, 1 : order + 1] = D[:, 1 : order + 1] * R;
          h *= factor;
          equal_steps = 0;
        }
      }
      if (has_derivatives()) {
        vector[N] predicted = rep_vector(0, N);
        vector[N] psi = rep_vector(0, N);
        vector[N] left;
        vector[N] moved;
        for (k in 1 : order + 1) predicted += D[:, k];
        for (k in 1 : order) psi += D[:, k + 1] * (gamma[k + 1] / alpha[order + 1]);
        system = derivatives_at(next_t, end_now, end_slope, c);
        if (has_second_derivatives()) {
          // From what follows the predicted states: far from it terms of second order would be large, as the slope is, and cancel.
          moved = change;
          for (k in 1 : 2) {
            left = residual(next_t, predicted + moved, (psi + moved) / c);
            moved -= mdivide_left(system, left - detached(left));
          }
        } else {
          left = residual(next_t, end_now, (psi + end_now - predicted) / c);
          moved = end_now - predicted - mdivide_left(system, left - detached(left));
        }
        if (is_nan(sum(detached(moved))) || is_inf(sum(detached(moved)))) refuse_convergence();
        D[:, order + 3] = moved - D[:, order + 2];
        D[:, order + 2] = moved;
        for (k in 1 : order + 1) D[:, order + 2 - k] += D[:, order + 3 - k];
      }
      now[:, order + 3] = change - now[:, order + 2];
      now[:, order + 2] = change;
      for (k in 1 : order + 1) now[:, order + 2 - k] += now[:, order + 3 - k];
      still = next_t > t ? 0 : still + 1;
      t = next_t;
      equal_steps += 1;
      while (output <= T && times[output] <= t) {
        vector[N] state = has_derivatives() ? D[:, 1] : now[:, 1];
        real p = 1;
        for (k in 1 : order) {
          p *= (times[output] - t + h * (k - 1)) / (h * k);
          state += p * (has_derivatives() ? D[:, k + 1] : now[:, k + 1]);
        }
        result[output] = state;
        output += 1;
        steps = 0;
      }
      if (equal_steps > order) {
        real below = order > 1 ? weighted_norm(error_constant[order] * now[:, order + 1], scale) : positive_infinity();
        real above = order < 5 ? weighted_norm(error_constant[order + 2] * now[:, order + 3], scale) : positive_infinity();
        int next_order = best_order(order, below, error, above);
        real best = growth(next_order, next_order < order ? below : next_order > order ? above : error);
        order = next_order;
        {
          real factor = fmin(10, safety * best);
          matrix[order + 1, order + 1] R = rescaling(order, factor);
          now[:, 1 : order + 1] = now[:, 1 : order + 1] * R;
          if (has_derivatives()) D[:, 1 : order + 1] = D[:, 1 : order + 1] * R;
          h *= factor;
          equal_steps = 0;
        }
      }
    }
    return result;
  }
`,
};

/** Defaults. Source: Stan Functions Reference, "Differential-algebraic equation solver". */
export const DEFAULTS: Tolerances = [1e-10, 1e-10, 100_000_000];

/**
 * Factor of the tolerances with which solutions and gradients are as accurate as Stan's at the same tolerances: measured on the reference cases
 * against solutions at tolerances of 1e-13.
 */
export const STRICTNESS = 0.1;

/** Stan's messages for too many steps to an output, errors that stay too large, and equations without a solution. */
export const FAILURES = { steps: failure(-1), errors: failure(-3), convergence: failure(-4) };

function failure(flag: number): string {
  return `IDASolve(mem, ts[i], &t1, yy, yp, IDA_NORMAL) failed with error flag ${flag}: `;
}
