import { EQUATION } from './equation.js';
import type { Method } from './method.js';

/**
 * Embedded Runge–Kutta methods of order 5(4) with Stan's step-size control.
 *
 * Steps are chosen with detached values, as in Boost's odeint (controlled_runge_kutta, default_step_adjuster): the largest error of a state, in units
 * of atol + rtol (|y| + |h y'|), must not exceed 1. A step fails if a stage, its result or its error is not finite. Accepted steps are then repeated
 * with derivatives, so that reverse mode computes the discrete adjoint of the accepted steps only. Derivatives with respect to the times enter by the
 * terms y'(t) (t - detached(t)), or by the midpoint rule if second derivatives are required.
 *
 * Tableaus: Dormand & Prince 1980, Cash & Karp 1990. Dense output: Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, section II.6
 * (the continuous extension of DOPRI5).
 */
export const RUNGE_KUTTA: Method = {
  name: 'runge_kutta',
  text: `${EQUATION}
  // The number of leading components whose errors are controlled in a step that begins with this slope: without the sensitivity if its slope
  // is NaN, and none if the first slope of a state is NaN, which no shorter step avoids.
  int controlled_components(vector slope, int N, int is_first) {
    int M = size(slope);
    for (i in 1 : N) {
      if (is_first && is_nan(slope[i])) return 0;
    }
    for (i in N + 1 : M) {
      if (is_nan(slope[i])) return N;
    }
    return M;
  }

  array[] vector integrate(vector initial, real initial_time, array[] real times, data real rtol, data vector atol,
                           data int max_num_steps, matrix a, vector c, vector b, vector e,
                           vector d, int is_dense) {
    int N = size(initial);
    int T = size(times);
    int S = size(c);
    array[T] vector[N] result;
    vector[N] y = initial;
    real t = detached(initial_time);
    vector[size(augmented(detached(initial)))] now = augmented(detached(initial));
    int M = size(now);
    matrix[N, S] k;
    matrix[M, S] trial;
    vector[M] next_now;
    real h = 0.1;
    int controlled = M;
    int output = 1;
    int steps = 0;
    int has_first_stage = 0;
    // Consecutive steps that are too short to change t: they would never reach the output.
    int still = 0;
    if (has_varying_initial_time()) y -= drift(t, y, initial_time - t, -1);
    while (output <= T) {
      real end = detached(times[output]);
      if (end <= t) {
        result[output] = y;
        if (has_varying_times()) result[output] += drift(end, y, times[output] - end, 1);
        output += 1;
        steps = 0;
      } else {
        real step = is_dense || h < end - t ? h : end - t;
        real error = 2;
        int attempts = 0;
        while (error > 1) {
          for (s in 1 : S) {
            if (s > 1 || (attempts == 0 && !has_first_stage)) {
              vector[M] trial_stage;
              for (i in 1 : M) {
                real change = 0;
                for (j in 1 : s - 1) {
                  if (a[j, s] != 0) change += a[j, s] * trial[i, j];
                }
                trial_stage[i] = now[i] + step * change;
              }
              trial[:, s] = detached_derivative(t + c[s] * step, trial_stage);
            }
          }
          if (attempts == 0 && controlled > 0) {
            controlled = controlled_components(trial[:, 1], N, t == detached(initial_time));
          }
          error = 0;
          for (i in 1 : M) {
            real change = 0;
            real difference = 0;
            real total = 0;
            for (j in 1 : S) {
              if (b[j] != 0) change += b[j] * trial[i, j];
              if (e[j] != 0) difference += e[j] * trial[i, j];
              total += trial[i, j];
            }
            next_now[i] = now[i] + step * change;
            difference = abs(step * difference) / (atol[i > N ? i - N : i] + rtol * (abs(now[i]) + abs(step * trial[i, 1])));
            if (is_nan(difference + 0 * (total + next_now[i]))) difference = positive_infinity();
            if (i <= controlled) error = fmax(error, difference);
          }
          if (error > 1) {
            step *= fmax(0.9 * error ^ (-1.0 / 3), 0.2);
            attempts += 1;
            if (attempts > 500) refuse_attempts();
          }
        }
        steps += 1;
        still = t + step > t ? 0 : still + 1;
        if (steps > max_num_steps || still > 100) refuse_steps(end);
        real taken = step;
        if (has_derivatives()) {
          for (s in 1 : S) {
            if (s > 1 || !has_first_stage) {
              vector[N] stage;
              for (i in 1 : N) {
                real change = 0;
                for (j in 1 : s - 1) {
                  if (a[j, s] != 0) change += a[j, s] * k[i, j];
                }
                stage[i] = y[i] + taken * change;
              }
              k[:, s] = derivative(t + c[s] * taken, stage);
            }
          }
        } else {
          k = trial;
        }
        {
          vector[N] next;
          for (i in 1 : N) {
            real change = 0;
            for (j in 1 : S) {
              if (b[j] != 0) change += b[j] * k[i, j];
            }
            next[i] = y[i] + taken * change;
          }
          if (is_dense) {
            while (output <= T && detached(times[output]) <= t + step) {
              real time = detached(times[output]);
              real theta = (time - t) / taken;
              for (i in 1 : N) {
                real change = next[i] - y[i];
                real first = taken * k[i, 1] - change;
                real second = change - taken * k[i, S] - first;
                real third = 0;
                for (j in 1 : S) {
                  if (d[j] != 0) third += d[j] * k[i, j];
                }
                result[output, i] = y[i] + theta * (change + (1 - theta) * (first + theta * (second
                                    + (1 - theta) * taken * third)));
              }
              if (has_varying_times()) {
                result[output] += drift(time, result[output], times[output] - time, 1);
              }
              output += 1;
              steps = 0;
            }
          }
          y = next;
        }
        now = next_now;
        t = !is_dense && step == end - t ? end : t + step;
        if (is_dense) {
          trial[:, 1] = trial[:, S];
          k[:, 1] = k[:, S];
          has_first_stage = 1;
        }
        if (error < 0.5) step *= 0.9 * fmax(error, 0.00032) ^ (-0.2);
        h = is_dense || step > h ? step : h;
      }
    }
    return result;
  }

  array[] vector dormand_prince(vector initial, real initial_time, array[] real times, data real rtol, data vector atol,
                                data int max_num_steps) {
    matrix[7, 7] a = [[0, 0.2, 3.0 / 40, 44.0 / 45, 19372.0 / 6561, 9017.0 / 3168, 35.0 / 384],
                      [0, 0, 9.0 / 40, -56.0 / 15, -25360.0 / 2187, -355.0 / 33, 0],
                      [0, 0, 0, 32.0 / 9, 64448.0 / 6561, 46732.0 / 5247, 500.0 / 1113],
                      [0, 0, 0, 0, -212.0 / 729, 49.0 / 176, 125.0 / 192],
                      [0, 0, 0, 0, 0, -5103.0 / 18656, -2187.0 / 6784],
                      [0, 0, 0, 0, 0, 0, 11.0 / 84],
                      [0, 0, 0, 0, 0, 0, 0]];
    vector[7] c = [0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1]';
    vector[7] b = [35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0]';
    vector[7] e = [71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -0.025]';
    vector[7] d = [-12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
                   701980252875.0 / 199316789632.0, -1453857185.0 / 822651844, 69997945.0 / 29380423]';
    return integrate(initial, initial_time, times, rtol, atol, max_num_steps, a, c, b, e, d, 1);
  }

  array[] vector cash_karp(vector initial, real initial_time, array[] real times, data real rtol, data vector atol,
                           data int max_num_steps) {
    matrix[6, 6] a = [[0, 0.2, 3.0 / 40, 0.3, -11.0 / 54, 1631.0 / 55296],
                      [0, 0, 9.0 / 40, -0.9, 2.5, 175.0 / 512],
                      [0, 0, 0, 1.2, -70.0 / 27, 575.0 / 13824],
                      [0, 0, 0, 0, 35.0 / 27, 44275.0 / 110592],
                      [0, 0, 0, 0, 0, 253.0 / 4096],
                      [0, 0, 0, 0, 0, 0]];
    vector[6] c = [0, 0.2, 0.3, 0.6, 1, 0.875]';
    vector[6] b = [37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771]';
    vector[6] e = [37.0 / 378 - 2825.0 / 27648, 0, 250.0 / 621 - 18575.0 / 48384, 125.0 / 594 - 13525.0 / 55296,
                   -277.0 / 14336, 512.0 / 1771 - 0.25]';
    return integrate(initial, initial_time, times, rtol, atol, max_num_steps, a, c, b, e, zeros_vector(6), 0);
  }
`,
};
