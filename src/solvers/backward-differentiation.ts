import { DIFFERENCES, EQUATION, FIRST_STEP, FORMULAS } from './differences.js';
import type { Method } from './method.js';

/**
 * Backward differentiation formulas of orders 1 to 5 with a step that stays the same for a while, in terms of backward differences, with
 * the error constants of the numerical differentiation formulas. Source: Shampine & Reichelt, The MATLAB ODE Suite (1997), sections
 * 2.1 to 2.3.
 *
 * Steps, orders and the implicit equations are settled with detached values, in the weighted root-mean-square norm that CVODE uses, too. A step
 * that is taken then gets its derivatives by the implicit function theorem with the Jacobian at its end: reverse mode gives the
 * discrete adjoint of the accepted steps.
 */
export const BACKWARD_DIFFERENTIATION: Method = {
  name: 'backward_differentiation',
  text: `${EQUATION}${DIFFERENCES}${FIRST_STEP}  matrix derivatives_at(real t, vector y);

  array[] vector integrate(vector initial, real initial_time, array[] real times, data real rtol, data vector atol,
                           data int max_num_steps) {
    int N = size(initial);
    int T = size(times);
    array[T] vector[N] result;
${FORMULAS}    matrix[N, 8] D = rep_matrix(0, N, 8);
    int M = size(augmented(detached(initial)));
    int parts = M %/% N;
    matrix[M, 8] now = rep_matrix(0, M, 8);
    vector[M] tolerance;
    vector[N] y = initial;
    real t = detached(initial_time);
    matrix[N, N] J;
    int order = 1;
    int equal_steps = 0;
    int output = 1;
    int steps = 0;
    int is_current = 1;
    real h;
    real newton_tolerance = fmax(10 * machine_precision() / rtol, fmin(0.03, sqrt(rtol)));
    if (has_varying_initial_time()) y -= derivative(t, y) * (initial_time - t);
    {
      vector[M] y0 = augmented(detached(y));
      vector[M] f0 = detached_derivative(t, y0);
      for (i in 1 : M) tolerance[i] = atol[i > N ? i - N : i];
      h = first_step(t, detached(times[T]), y0, f0, tolerance + rtol * abs(y0));
      now[:, 1] = y0;
      now[:, 2] = h * f0;
      J = derivatives_at(t, head(y0, N));
    }
    D[:, 1] = y;
    if (has_derivatives()) D[:, 2] = h * derivative(t, y);
    while (output <= T) {
      vector[M] end_now;
      vector[M] change;
      vector[M] scale;
      real next_t = t;
      real c = 0;
      real error = 2;
      real safety = 0.9;
      int attempts = 0;
      while (error > 1) {
        vector[M] predicted = rep_vector(0, M);
        vector[M] psi = rep_vector(0, M);
        matrix[N, N] system;
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
        for (k in 1 : order + 1) predicted += now[:, k];
        for (k in 1 : order) psi += now[:, k + 1] * gamma[k + 1];
        psi /= alpha[order + 1];
        c = h / alpha[order + 1];
        scale = tolerance + rtol * abs(predicted);
        system = -c * J;
        for (i in 1 : N) system[i, i] += 1;
        change = rep_vector(0, M);
        end_now = predicted;
        while (goes_on) {
          vector[M] f = detached_derivative(next_t, end_now);
          vector[M] update = to_vector(mdivide_left(system, to_matrix(c * f - psi - change, N, parts)));
          real size_now = weighted_norm(update, scale);
          real rate = iterations > 0 ? size_now / before : 0;
          iterations += 1;
          if (is_nan(size_now) || is_inf(size_now)) {
            goes_on = 0;
          } else {
            change += update;
            end_now = predicted + change;
            // An update that is smaller than the tolerance may be nothing but rounding, which has no rate.
            is_converged = size_now < newton_tolerance
                           || (iterations > 1 && rate < 1 && rate / (1 - rate) * size_now < newton_tolerance);
            goes_on = !is_converged && iterations < 4
                      && (iterations == 1 || (rate < 1 && rate ^ (4 - iterations + 1) / (1 - rate) * size_now <= newton_tolerance));
            before = size_now;
          }
        }
        if (!is_converged) {
          if (is_current) {
            factor = 0.5;
          } else {
            J = derivatives_at(next_t, head(predicted, N));
            is_current = 1;
          }
        } else {
          safety = 0.9 * 9 / (8 + iterations);
          scale = tolerance + rtol * abs(end_now);
          error = weighted_norm(error_constant[order + 1] * change, scale);
          if (error > 1) factor = fmax(0.2, safety * error ^ (-1.0 / (order + 1)));
        }
        if (factor != 1) {
          matrix[order + 1, order + 1] R = rescaling(order, factor);
          now[:, 1 : order + 1] = now[:, 1 : order + 1] * R;
          if (has_derivatives()) D[:, 1 : order + 1] = D[:, 1 : order + 1] * R;
          h *= factor;
          equal_steps = 0;
        }
      }
      steps += 1;
      if (steps > max_num_steps) refuse_steps(detached(times[output]));
      if (has_derivatives()) {
        vector[N] known = rep_vector(0, N);
        vector[N] end_states = head(end_now, N);
        matrix[N, N] system = -c * derivatives_at(next_t, end_states);
        vector[N] q;
        vector[N] moved;
        for (i in 1 : N) system[i, i] += 1;
        for (k in 1 : order + 1) known += D[:, k] * (1 - gamma[k] / alpha[order + 1]);
        q = known + c * derivative(next_t, end_states);
        moved = end_states + mdivide_left(system, q - detached(q));
        for (k in 1 : order + 1) moved -= D[:, k];
        D[:, order + 3] = moved - D[:, order + 2];
        D[:, order + 2] = moved;
        for (k in 1 : order + 1) D[:, order + 2 - k] += D[:, order + 3 - k];
      }
      now[:, order + 3] = change - now[:, order + 2];
      now[:, order + 2] = change;
      for (k in 1 : order + 1) now[:, order + 2 - k] += now[:, order + 3 - k];
      t = next_t;
      is_current = 0;
      equal_steps += 1;
      while (output <= T && detached(times[output]) <= t) {
        real time = detached(times[output]);
        vector[N] state = has_derivatives() ? D[:, 1] : now[:, 1];
        real p = 1;
        for (k in 1 : order) {
          p *= (time - t + h * (k - 1)) / (h * k);
          state += p * (has_derivatives() ? D[:, k + 1] : now[:, k + 1]);
        }
        result[output] = state;
        if (has_varying_times()) result[output] += derivative(time, state) * (times[output] - time);
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
