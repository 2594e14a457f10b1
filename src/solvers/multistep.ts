import { EQUATION } from './equation.js';
import { FIRST_STEP } from './first-step.js';
import type { Method } from './method.js';
import { NEWTON_MATRIX } from './newton-matrix.js';
import { NORDSIECK } from './nordsieck.js';

/**
 * Adams–Moulton methods of orders 1 to 12 and backward differentiation formulas of orders 1 to 5, with variable coefficients, in Nordsieck form, as
 * in CVODE. Source: Byrne & Hindmarsh (1975); Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers (2005),
 * section 2.1; CVODE's user documentation, "Mathematical considerations", for the constants of step and order selection.
 *
 * Steps and orders are chosen, and the implicit equations solved, with detached values, in the weighted root-mean-square norm; the equations by
 * modified Newton iterations with the Jacobian of the states. The errors of sensitivities are controlled together with those of the states, each in
 * its own norm, as CVODES controls sensitivities after the states (staggered corrector). An accepted step then gets its derivatives by the implicit
 * function theorem with the Jacobian at its end, and its second derivatives by a second application of the same formula: reverse mode computes the
 * discrete adjoint of the accepted steps.
 */
function multistep(name: string, isAdams: boolean, most: number): Method {
  return {
    name,
    text: `${EQUATION}${NORDSIECK}${NEWTON_MATRIX}${FIRST_STEP}
  matrix derivatives_at(real t, vector y);
  // The slopes of the states alone, and those of all sensitivities, one after the other.
  vector state_derivative(real t, vector y);
  vector sensitivity_derivative(real t, vector y, vector s);
  void refuse_convergence();

  matrix predicted(matrix Z, int q) {
    matrix[rows(Z), cols(Z)] result = Z;
    for (k in 1 : q) {
      for (n in k : q) {
        int j = q + k - n;
        for (i in 1 : rows(Z)) result[i, j] += result[i, j + 1];
      }
    }
    return result;
  }

  // The root mean square of the states or of one of the sensitivities, whichever is the greatest.
  real error_norm(vector x, vector traced, vector weight) {
    int N = size(x);
    real greatest = 0;
    for (i in 1 : N) greatest += square(x[i] * weight[i]);
    if (has_derivatives()) {
      for (m in 1 : size(traced) %/% N) {
        int before = (m - 1) * N;
        real total = 0;
        for (i in 1 : N) total += square(traced[before + i] * weight[N + before + i]);
        greatest = fmax(greatest, total);
      }
    }
    return sqrt(greatest / N);
  }

  // By what the step may grow, given its error at an order.
  real growth(real bias, real error, int order) {
    return 1 / ((bias * error) ^ (1.0 / (order + 1)) + 1e-6);
  }

  array[] vector integrate(vector initial, real initial_time, array[] real times, data real rtol, data vector atol,
                           data int max_num_steps) {
    int is_adams = ${isAdams ? 1 : 0};
    int most = ${most};
    int N = size(initial);
    // The number of elements of all sensitivities.
    int L = size(augmented(detached(initial))) - N;
    int T = size(times);
    array[T] vector[N] result;
    matrix[N, most + 1] D = rep_matrix(0, N, most + 1);
    matrix[N, most + 1] now = rep_matrix(0, N, most + 1);
    matrix[L, most + 1] traced = rep_matrix(0, L, most + 1);
    // Corrections of the last step, and of the one before the order is chosen.
    vector[N] D_change = rep_vector(0, N);
    vector[N] change = rep_vector(0, N);
    vector[L] traced_change = rep_vector(0, L);
    // The size of each sensitivity in the last steps. A sum of sensitivities passes zero where its terms do not, and rounding errors are of their
    // size. Of Adams methods it is the present size: where problems are stiff, their steps are limited by stability.
    vector[L] recent = rep_vector(0, L);
    vector[N] saved = rep_vector(0, N);
    vector[L] traced_saved = rep_vector(0, L);
    real saved_constant = 0;
    vector[most + 1] tau = rep_vector(0, most + 1);
    vector[N] y = initial;
    real t = detached(initial_time);
    matrix[N, N] J;
    matrix[N, N] system;
    real system_c = 0;
    real rate = 1;
    int order = 1;
    int next_order = 1;
    // Steps until the order is chosen.
    int wait = 2;
    int output = 1;
    int steps = 0;
    // Steps in a row that are too short to change t: they would never reach the output.
    int still = 0;
    int taken_steps = 0;
    int system_step = 0;
    int jacobian_step = 0;
    real h;
    real factor = 1;
    real greatest_factor = 1e4;
    int restarts = 1;
    if (has_varying_initial_time()) y -= drift(t, y, initial_time - t, -1);
    {
      vector[N + L] y0 = augmented(detached(y));
      vector[N + L] tolerance;
      for (i in 1 : N + L) tolerance[i] = atol[(i - 1) % N + 1];
      tuple(real, vector[N + L]) start = first_step(t, detached(times[1]), y0, tolerance, rtol);
      h = start.1;
      for (i in 1 : N) {
        now[i, 1] = y0[i];
        now[i, 2] = h * start.2[i];
      }
      for (i in 1 : L) {
        traced[i, 1] = y0[N + i];
        traced[i, 2] = h * start.2[N + i];
      }
    }
    for (i in 1 : N) D[i, 1] = y[i];
    // What each step overwrites: memory that is taken in a step stays taken until its reverse.
    vector[N + L] weight;
    matrix[N, most + 1] ahead;
    matrix[L, most + 1] traced_ahead;
    vector[most + 1] corrector;
    vector[4] constants;
    vector[N] end_now;
    while (output <= T) {
      real next_t = t;
      real c = 0;
      real error = 2;
      int error_failures = 0;
      int convergence_failures = 0;
      // 0 for the first attempt, 1 after an error that was too large, 2 after equations that were not solved.
      int cause = 0;
      int is_accepted = 0;
      steps += 1;
      if (steps > max_num_steps || still > 100) refuse_steps(detached(times[output]));
      for (i in 1 : N) weight[i] = 1 / (atol[i] + rtol * abs(now[i, 1]));
      for (i in 1 : L) {
        recent[i] = fmax(abs(traced[i, 1]), is_adams ? 0 : 0.8 * recent[i]);
        weight[N + i] = 1 / (atol[(i - 1) % N + 1] + rtol * recent[i]);
      }
      while (!is_accepted) {
        int is_converged = 0;
        int is_done = 0;
        int is_current = 0;
        int is_at_end = 0;
        int needs_jacobian;
        int needs_system;
        real ratio;
        if (next_order != order) {
          tuple(vector[most + 2], real) by = adjustment(is_adams, most, order, next_order, h, tau);
          vector[most + 2] share = by.1 * by.2;
          int q = order;
          int last = next_order > order ? order + 2 : order;
          for (i in 1 : N) {
            real source = next_order > q ? change[i] : now[i, q + 1];
            if (next_order > q) now[i, last] = 0;
            for (j in 3 : last) now[i, j] += share[j] * source;
          }
          for (i in 1 : L) {
            real source = next_order > q ? traced_change[i] : traced[i, q + 1];
            if (next_order > q) traced[i, last] = 0;
            for (j in 3 : last) traced[i, j] += share[j] * source;
          }
          if (has_derivatives()) {
            for (i in 1 : N) {
              real source = next_order > q ? D_change[i] : D[i, q + 1];
              if (next_order > q) D[i, last] = 0;
              for (j in 3 : last) D[i, j] += share[j] * source;
            }
          }
          order = next_order;
          wait = order + 1;
        }
        if (factor != 1) {
          real power = 1;
          for (j in 2 : order + 1) {
            power *= factor;
            real scaling = power;
            for (i in 1 : N) {
              now[i, j] *= scaling;
              if (has_derivatives()) D[i, j] *= scaling;
            }
            for (i in 1 : L) traced[i, j] *= scaling;
          }
          h *= factor;
        }
        if (restarts) {
          real length = h;
          if (taken_steps > 0) {
            vector[N + L] at = append_row(now[:, 1], traced[:, 1]);
            vector[N + L] slope = detached_derivative(t, at);
            for (i in 1 : N) now[i, 2] = length * slope[i];
            for (i in 1 : L) traced[i, 2] = length * slope[N + i];
          }
          if (has_derivatives()) {
            vector[N] slope = derivative(t, D[:, 1]);
            for (i in 1 : N) D[i, 2] = length * slope[i];
          }
          restarts = 0;
        }
        next_t = t + h;
        ahead = now;
        for (k in 1 : order) {
          for (n in k : order) {
            int j = order + k - n;
            for (i in 1 : N) ahead[i, j] += ahead[i, j + 1];
          }
        }
        {
          tuple(vector[most + 1], vector[4]) formula;
          if (is_adams) formula = adams_formula(most, order, wait == 1, h, tau);
          else formula = backward_formula(most, order, wait == 1, h, tau);
          corrector = formula.1;
          constants = formula.2;
        }
        c = h / corrector[2];
        ratio = taken_steps > 0 ? c / system_c : 1;
        needs_system = cause > 0 || taken_steps == 0 || taken_steps >= system_step + 20 || abs(ratio - 1) > 0.3;
        needs_jacobian = needs_system && (taken_steps == 0 || taken_steps >= jacobian_step + 51 || cause == 2);
        for (i in 1 : N) {
          change[i] = 0;
          end_now[i] = ahead[i, 1];
        }
        while (!is_done) {
          if (needs_jacobian) {
            J = derivatives_at(next_t, end_now);
            jacobian_step = taken_steps;
            is_current = 1;
          }
          if (needs_system) {
            system = newton_matrix(c, J);
            system_c = c;
            system_step = taken_steps;
            ratio = 1;
            if (!is_at_end) rate = 1;
          }
          needs_jacobian = 0;
          needs_system = 0;
          if (is_at_end) {
            vector[L] at;
            vector[L] f;
            traced_ahead = predicted(traced, order);
            for (i in 1 : L) at[i] = traced_ahead[i, 1];
            f = sensitivity_derivative(next_t, end_now, at);
            for (i in 1 : L) traced_change[i] = 0;
            for (m in 1 : L %/% N) {
              int first = (m - 1) * N;
              for (j in 1 : N) {
                real residual = c * f[first + j] - traced_ahead[first + j, 2] / corrector[2];
                for (i in 1 : N) traced_change[first + i] += system[i, j] * residual;
              }
            }
            error = constants[2] * error_norm(change, traced_change, weight);
            is_converged = !is_nan(sum(traced_change)) && !is_inf(error);
            is_done = 1;
          } else {
            real before = 0;
            int iterations = 0;
            int goes_on = 1;
            while (goes_on) {
              vector[N] f = state_derivative(next_t, end_now);
              vector[N] update = rep_vector(0, N);
              real size_now = 0;
              for (j in 1 : N) {
                real residual = c * f[j] - ahead[j, 2] / corrector[2] - change[j];
                if (!is_adams) residual *= 2 / (1 + ratio);
                for (i in 1 : N) update[i] += system[i, j] * residual;
              }
              for (i in 1 : N) {
                change[i] += update[i];
                end_now[i] = ahead[i, 1] + change[i];
                size_now += square(update[i] * weight[i]);
              }
              size_now = sqrt(size_now / N);
              if (iterations > 0) rate = fmax(0.3 * rate, size_now / before);
              iterations += 1;
              if (size_now * fmin(1, rate) * constants[2] <= 0.1) {
                is_converged = 1;
                goes_on = 0;
              } else if (iterations == 3 || is_nan(size_now) || is_inf(size_now) || (iterations > 1 && size_now > 2 * before)) {
                goes_on = 0;
              }
              before = size_now;
            }
            if (is_converged) {
              error = 0;
              for (i in 1 : N) error += square(change[i] * weight[i]);
              error = constants[2] * sqrt(error / N);
              is_done = 1;
              if (error <= 1 && has_derivatives()) {
                is_done = 0;
                is_at_end = 1;
                needs_jacobian = 1;
                needs_system = 1;
              }
            } else if (is_current) {
              is_done = 1;
            } else {
              needs_jacobian = abs(ratio - 1) < 0.2;
              needs_system = 1;
              for (i in 1 : N) {
                change[i] = 0;
                end_now[i] = ahead[i, 1];
              }
            }
          }
        }
        factor = 1;
        if (!is_converged) {
          convergence_failures += 1;
          if (convergence_failures == 30) refuse_convergence();
          factor = 0.25;
          cause = 2;
          greatest_factor = 1;
        } else if (error <= 1) {
          is_accepted = 1;
        } else {
          error_failures += 1;
          if (error_failures == 30) refuse_attempts();
          cause = 1;
          greatest_factor = 1;
          if (error_failures <= 3) {
            factor = fmax(0.1, growth(6, error, order));
            if (error_failures > 1) factor = fmin(factor, 0.2);
          } else {
            // Columns of high order across a jump say nothing of what follows.
            factor = 0.1;
            if (order > 1) {
              next_order = order - 1;
            } else {
              restarts = 1;
              wait = 10;
            }
          }
        }
      }
      taken_steps += 1;
      for (n in 2 : order) {
        int j = order + 2 - n;
        tau[j] = tau[j - 1];
      }
      if (order == 1 && taken_steps > 1) tau[2] = tau[1];
      tau[1] = h;
      if (has_derivatives()) {
        // What derivatives are taken of stays as it is, for the reverse sweep.
        vector[N] end_states = end_now;
        vector[N] settled = change;
        matrix[N, N] solution = system;
        vector[most + 1] correction = corrector;
        real taken = c;
        real inverse = 1 / corrector[2];
        int q = order;
        vector[N] known;
        vector[N] f = derivative(next_t, end_states);
        for (k in 1 : q) {
          for (n in k : q) {
            int j = q + k - n;
            for (i in 1 : N) D[i, j] += D[i, j + 1];
          }
        }
        for (i in 1 : N) known[i] = D[i, 1] + taken * f[i] - inverse * D[i, 2];
        vector[N] moves = known - detached(known);
        vector[N] moved = end_states;
        for (j in 1 : N) {
          for (i in 1 : N) moved[i] += solution[i, j] * moves[j];
        }
        if (has_second_derivatives()) {
          vector[N] slope = derivative(next_t, moved);
          vector[N] residual;
          vector[N] again;
          for (i in 1 : N) residual[i] = D[i, 1] + taken * slope[i] - inverse * D[i, 2] - moved[i];
          again = residual - detached(residual);
          for (j in 1 : N) {
            for (i in 1 : N) moved[i] += solution[i, j] * again[j];
          }
        }
        // The value is that of the correction itself: recursions that recover it from states amplify rounding errors with Adams methods.
        vector[N] departures = moved - D[:, 1];
        vector[N] origins = detached(departures);
        for (i in 1 : N) D_change[i] = settled[i] + (departures[i] - origins[i]);
        for (j in 1 : q + 1) {
          for (i in 1 : N) D[i, j] += correction[j] * D_change[i];
        }
        for (j in 1 : q + 1) {
          for (i in 1 : L) traced[i, j] = traced_ahead[i, j] + corrector[j] * traced_change[i];
        }
      }
      for (j in 1 : order + 1) {
        for (i in 1 : N) now[i, j] = ahead[i, j] + corrector[j] * change[i];
      }
      still = next_t > t ? 0 : still + 1;
      t = next_t;
      real length = h;
      while (output <= T && detached(times[output]) <= t) {
        real time = detached(times[output]);
        real theta = (time - t) / length;
        vector[N] state = has_derivatives() ? D[:, 1] : now[:, 1];
        real power = 1;
        for (j in 2 : order + 1) {
          power *= theta;
          real scaling = power;
          for (i in 1 : N) state[i] += scaling * (has_derivatives() ? D[i, j] : now[i, j]);
        }
        result[output] = state;
        if (has_varying_times()) result[output] += drift(time, state, times[output] - time, 1);
        output += 1;
        steps = 0;
      }
      wait -= 1;
      if (wait == 1 && order < most) {
        saved = change;
        traced_saved = traced_change;
        saved_constant = constants[4];
      }
      if (greatest_factor == 1) {
        if (wait < 2) wait = 2;
      } else {
        factor = growth(6, error, order);
        if (wait == 0) {
          real below = 0;
          real above = 0;
          wait = 2;
          if (order > 1) below = growth(6, constants[1] * error_norm(now[:, order + 1], traced[:, order + 1], weight), order - 1);
          if (order < most && saved_constant != 0) {
            real share = constants[4] / saved_constant * (h / tau[2]) ^ (order + 1);
            above = growth(10, constants[3] * error_norm(change - share * saved, traced_change - share * traced_saved, weight), order + 1);
          }
          if (below > fmax(factor, above)) {
            next_order = order - 1;
            factor = below;
          } else if (above > factor) {
            next_order = order + 1;
            factor = above;
          }
        }
        factor = factor < 1.5 ? 1 : fmin(factor, greatest_factor);
        if (factor == 1) next_order = order;
      }
      greatest_factor = 10;
    }
    return result;
  }
`,
  };
}

export const ADAMS = multistep('adams', true, 12);

export const BACKWARD_DIFFERENTIATION = multistep('backward_differentiation', false, 5);
