import { DIFFERENCES, EQUATION, FIRST_STEP } from './differences.js';
import type { Method } from './method.js';

/**
 * Adams–Bashforth predictors and Adams–Moulton correctors of orders 1 to 12 (predict, evaluate, correct, evaluate), with a step that
 * stays the same for a while, in terms of backward differences of the derivative. Source: Shampine & Gordon, Computer Solution of Ordinary
 * Differential Equations (1975), chapters 5 to 7; Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, section III.1.
 *
 * Steps and orders are settled with detached values, in the weighted root-mean-square norm. A step that is taken is then taken once
 * more with derivatives: reverse mode gives the discrete adjoint of the accepted steps.
 */
export const ADAMS: Method = {
  name: 'adams',
  text: `${EQUATION}${DIFFERENCES}${FIRST_STEP}

  array[] vector integrate(vector initial, real initial_time, array[] real times, data real rtol, data vector atol,
                           data int max_num_steps) {
    int N = size(initial);
    int T = size(times);
    int most = 12;
    array[T] vector[N] result;
    array[14] real gamma;
    // Column k has the coefficients of s (s + 1) … (s + k - 2) / (k - 1)!, the constant one first.
    matrix[14, 14] basis = rep_matrix(0, 14, 14);
    matrix[N, 14] D = rep_matrix(0, N, 14);
    int M = size(augmented(detached(initial)));
    matrix[M, 14] now = rep_matrix(0, M, 14);
    vector[N] y = initial;
    vector[M] y_now;
    vector[M] tolerance;
    real t = detached(initial_time);
    int order = 1;
    int equal_steps = 0;
    int output = 1;
    int steps = 0;
    real h;
    for (m in 1 : 14) {
      gamma[m] = 1;
      for (j in 1 : m - 1) gamma[m] -= gamma[j] / (m - j + 1);
    }
    basis[1, 1] = 1;
    for (k in 2 : 14) {
      for (i in 1 : 13) {
        basis[i + 1, k] += basis[i, k - 1] / (k - 1);
        basis[i, k] += basis[i, k - 1] * (k - 2) / (k - 1);
      }
    }
    if (has_varying_initial_time()) y -= drift(t, y, initial_time - t, -1);
    y_now = augmented(detached(y));
    for (i in 1 : M) tolerance[i] = atol[i > N ? i - N : i];
    {
      vector[M] f0 = detached_derivative(t, y_now);
      vector[M] scale = tolerance + rtol * abs(y_now);
      h = first_step(t, detached(times[T]), y_now, f0, scale);
      now[:, 1] = f0;
    }
    if (has_derivatives()) D[:, 1] = derivative(t, y);
    while (output <= T) {
      vector[M] next_now;
      vector[M] difference;
      vector[M] scale;
      real error = 2;
      int attempts = 0;
      while (!(error <= 1)) {
        vector[M] predicted = y_now;
        attempts += 1;
        if (attempts > 100 || h < 1e-16 * fmax(abs(t), 1e-290)) {
          if (steps > 0) refuse_steps(detached(times[output]));
          refuse_attempts();
        }
        for (k in 1 : order) predicted += h * gamma[k] * now[:, k];
        difference = detached_derivative(t + h, predicted);
        for (k in 1 : order) difference -= now[:, k];
        next_now = predicted + h * gamma[order + 1] * difference;
        scale = tolerance + rtol * abs(next_now);
        error = weighted_norm(h * (gamma[order] - gamma[order + 1]) * difference, scale);
        if (!(error <= 1)) {
          real factor = is_nan(error) || is_inf(error) ? 0.2 : fmax(0.2, 0.9 * error ^ (-1.0 / (order + 1)));
          // Differences of high order across a jump say nothing of what follows.
          if (attempts > 2) order = 1;
          matrix[order + 1, order + 1] R = rescaling(order, factor);
          now[:, 1 : order + 1] = now[:, 1 : order + 1] * R;
          if (has_derivatives()) D[:, 1 : order + 1] = D[:, 1 : order + 1] * R;
          h *= factor;
          equal_steps = 0;
        }
      }
      steps += 1;
      if (steps > max_num_steps) refuse_steps(detached(times[output]));
      t += h;
      if (has_derivatives()) {
        vector[N] predicted = y;
        vector[N] f;
        for (k in 1 : order) predicted += h * gamma[k] * D[:, k];
        f = derivative(t, predicted);
        for (k in 1 : order) f -= D[:, k];
        y = predicted + h * gamma[order + 1] * f;
        f = derivative(t, y);
        for (k in 1 : order + 2) {
          vector[N] older = D[:, k];
          D[:, k] = f;
          f -= older;
        }
      }
      y_now = next_now;
      {
        vector[M] f = detached_derivative(t, y_now);
        for (k in 1 : order + 2) {
          vector[M] older = now[:, k];
          now[:, k] = f;
          f -= older;
        }
      }
      equal_steps += 1;
      while (output <= T && detached(times[output]) <= t) {
        real time = detached(times[output]);
        real theta = (time - t) / h;
        vector[N] state = has_derivatives() ? y : y_now;
        for (k in 1 : order + 1) {
          real integral = 0;
          for (i in 1 : k) integral += basis[i, k] * theta ^ i / i;
          state += h * integral * (has_derivatives() ? D[:, k] : now[:, k]);
        }
        result[output] = state;
        if (has_varying_times()) result[output] += drift(time, state, times[output] - time, 1);
        output += 1;
        steps = 0;
      }
      if (equal_steps > order) {
        real below = order > 1
                     ? weighted_norm(h * (gamma[order - 1] - gamma[order]) * now[:, order], scale)
                     : positive_infinity();
        real above = order < most
                     ? weighted_norm(h * (gamma[order + 1] - gamma[order + 2]) * now[:, order + 2], scale)
                     : positive_infinity();
        int next_order = best_order(order, below, error, above);
        real best = growth(next_order, next_order < order ? below : next_order > order ? above : error);
        order = next_order;
        if (0.9 * best > 1.2 || 0.9 * best < 1) {
          real factor = fmin(2, 0.9 * best);
          matrix[order + 1, order + 1] R = rescaling(order, factor);
          now[:, 1 : order + 1] = now[:, 1 : order + 1] * R;
          if (has_derivatives()) D[:, 1 : order + 1] = D[:, 1 : order + 1] * R;
          h *= factor;
        }
        equal_steps = 0;
      }
    }
    return result;
  }
`,
};
