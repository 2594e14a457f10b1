import type { Method } from './method.js';

/**
 * Roots of systems of equations. They are found with detached values; derivatives are added by the implicit function theorem: with the Jacobian J at
 * the root x, x - J⁻¹ (f(x) - detached(f(x))) has the value x and the derivatives of the root. Applied again to the result, with the same J, it also
 * has the second derivatives: each application adds one order.
 *
 * Powell's hybrid method as in MINPACK's `hybrj` (Moré, Garbow & Hillstrom 1980; Powell 1970): steps in a trust region, and a Jacobian that Broyden's
 * rank-one formula updates after each step until two consecutive steps have failed. The new Jacobian is computed at the last point tried, as in Stan,
 * while MINPACK uses the best one. Newton's method with a line search as in KINSOL (Hindmarsh et al. 2005; Dennis & Schnabel 1983, algorithm A6.3.1),
 * with one Jacobian for up to ten iterations while residuals decrease sufficiently. Both take the steps of Stan's solvers, so that they find the same
 * one of several roots. After a step within the tolerance, where KINSOL returns, Newton's method continues with new Jacobians until the residual is
 * within its own tolerance or can no longer be reduced.
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
  // KINSOL's: -5 where no shorter step reduces the residual, -6 where steps are cut too often, -7 where they are too long too often.
  void refuse_flag(int flag);

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
    // The last point that was tried.
    vector[N] next = x;
    vector[N] f = detached_system(x);
    matrix[N, N] J;
    vector[N] d = rep_vector(0, N);
    real size_f = norm2(f);
    real delta = 0;
    int evaluations = 1;
    int successes = 0;
    int failures = 0;
    // Steps without progress, all of them and those with a new Jacobian.
    int slow = 0;
    int slow_new = 0;
    int is_new = 1;
    // Until a step has succeeded.
    int is_first = 1;
    int is_done = size_f == 0 || is_nan(size_f);
    if (is_nan(size_f) && !has_nan_arguments()) refuse_norm(size_f);
    while (!is_done) {
      vector[N] step;
      vector[N] next_f;
      vector[N] linear;
      real step_norm;
      real next_size;
      real actual = -1;
      real predicted = 0;
      real ratio;
      if (is_new) {
        J = derivatives_at(next);
        for (j in 1 : N) {
          real column = norm2(J[:, j]);
          if (is_first) d[j] = column == 0 ? 1 : column;
          else d[j] = fmax(d[j], column);
        }
        if (is_first) {
          delta = 100 * norm2(d .* x);
          if (delta == 0) delta = 100;
        }
      }
      step = dogleg(J, f, d, delta);
      step_norm = norm2(d .* step);
      if (is_first) delta = fmin(delta, step_norm);
      next = x + step;
      next_f = detached_system(next);
      evaluations += 1;
      next_size = norm2(next_f);
      linear = f + J * step;
      if (next_size < size_f) actual = 1 - square(next_size / size_f);
      {
        real linear_size = norm2(linear);
        if (linear_size < size_f) predicted = 1 - square(linear_size / size_f);
      }
      ratio = predicted > 0 ? actual / predicted : 0;
      if (ratio < 0.1) {
        successes = 0;
        failures += 1;
        delta *= 0.5;
      } else {
        successes += 1;
        failures = 0;
        if (ratio >= 0.5 || successes > 1) delta = fmax(delta, 2 * step_norm);
        if (abs(ratio - 1) <= 0.1) delta = 2 * step_norm;
      }
      if (ratio >= 1e-4) {
        x = next;
        f = next_f;
        size_f = next_size;
        is_first = 0;
      }
      slow = actual >= 0.001 ? 0 : slow + 1;
      if (is_new) slow_new += 1;
      if (actual >= 0.1) slow_new = 0;
      {
        real size_x = norm2(d .* x);
        is_done = delta <= relative_tolerance * size_x || size_f == 0
                  || 0.1 * fmax(0.1 * delta, step_norm) <= machine_precision() * size_x || slow_new == 5 || slow == 10
                  || is_nan(delta) || step_norm == 0;
      }
      if (evaluations >= max_num_steps) refuse_steps();
      is_new = failures == 2;
      if (!is_new && !is_done) {
        if (is_finite_vector(next_f)) J += ((next_f - linear) / step_norm) * (square(d) .* (step / step_norm))';
        else is_new = 1;
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
    real first_size = norm2(x);
    real longest = fmax(first_size == 0 ? N : 1000 * first_size, 1);
    matrix[N, N] J;
    int is_old = 1;
    int iterations = 0;
    // The iterations of the last Jacobian and of the last check of progress, and the size of the residual there.
    int renewed = 0;
    int checked = 0;
    real checked_size = norm2(f);
    int checks_anew = 0;
    int cuts = 0;
    int long_steps = 0;
    // Whether a step was within the tolerance: then the root is known, and only more digits are sought.
    int is_close = 0;
    int is_done = most <= 0.01 * function_tolerance || is_nan(most);
    if (is_nan(most) && !has_nan_arguments()) refuse_flag(-5);
    while (!is_done) {
      vector[N] step;
      vector[N] next;
      vector[N] next_f;
      real step_norm;
      real half = 0.5 * dot_self(f);
      real slope = -2 * half;
      real lambda = 1;
      real shortest;
      real previous = 1;
      real previous_half = half;
      real next_half;
      // Whether the step is found, or there is none.
      int is_found = 0;
      int is_lost = 0;
      int is_current;
      iterations += 1;
      if (iterations - renewed >= 10) {
        is_old = 1;
        checks_anew = 1;
      }
      is_current = is_old;
      if (is_current) {
        J = derivatives_at(x);
        renewed = iterations;
        checked = iterations;
      }
      step = mdivide_left(J, -f);
      if (!is_finite_vector(step)) {
        if (is_close) return with_derivatives(x);
        refuse_singular();
      }
      step_norm = norm2(step);
      if (step_norm > longest) {
        step *= longest / step_norm;
        slope *= longest / step_norm;
        step_norm = longest;
      }
      shortest = fmax(step_tolerance / max(abs(step) ./ (1 + abs(x))), 1e-20);
      next = x + step;
      next_f = detached_system(next);
      next_half = 0.5 * dot_self(next_f);
      while (!is_found && !is_lost) {
        if (next_half <= half + 1e-4 * lambda * slope) {
          is_found = 1;
        } else if (is_close) {
          return with_derivatives(x);
        } else {
          real shorter;
          if (lambda == 1) {
            shorter = -slope / (2 * (next_half - half - slope));
          } else {
            real a = next_half - half - lambda * slope;
            real b = previous_half - half - previous * slope;
            real cubic = (a / square(lambda) - b / square(previous)) / (lambda - previous);
            real quadratic = (lambda * b / square(previous) - previous * a / square(lambda)) / (lambda - previous);
            real discriminant = square(quadratic) - 3 * cubic * slope;
            shorter = abs(cubic) < machine_precision() ? -slope / (2 * quadratic)
                      : (sqrt(fmax(discriminant, 0)) - quadratic) / (3 * cubic);
          }
          previous = lambda;
          previous_half = next_half;
          lambda = shorter >= 0.1 * lambda ? fmin(shorter, 0.5 * lambda) : 0.1 * lambda;
          next = x + lambda * step;
          next_f = detached_system(next);
          next_half = 0.5 * dot_self(next_f);
          if (lambda < shortest) is_lost = 1;
        }
      }
      // Where the residual falls faster than the slope promises, a longer step, between the two last ones.
      if (is_found && lambda < 1 && next_half < half + 0.9 * lambda * slope) {
        real low = lambda;
        real gap = previous - lambda;
        int is_short = 1;
        int is_long = 0;
        while (is_long || (is_short && gap >= shortest)) {
          gap *= 0.5;
          lambda = low + gap;
          next = x + lambda * step;
          next_f = detached_system(next);
          next_half = 0.5 * dot_self(next_f);
          is_long = !(next_half <= half + 1e-4 * lambda * slope) && lambda > low;
          is_short = next_half < half + 0.9 * lambda * slope;
          if (is_short) low = lambda;
        }
        if (is_short) {
          cuts += 1;
          if (cuts > 10) refuse_flag(-6);
        }
      }
      if (is_lost) {
        if (is_current) refuse_flag(-5);
        iterations -= 1;
        is_old = 1;
        checks_anew = 1;
      } else {
        int is_small = max(abs(next - x) ./ (1 + abs(next))) <= step_tolerance;
        long_steps = lambda * step_norm > 0.99 * longest ? long_steps + 1 : 0;
        x = next;
        f = next_f;
        most = max(abs(f));
        if (is_small && is_current) is_close = 1;
        is_done = most <= function_tolerance || (is_close && iterations >= max_num_steps);
        is_old = is_small || is_close;
        if (!is_done && !is_old) {
          real size = norm2(f);
          if (iterations >= max_num_steps) refuse_steps();
          if (long_steps >= 5) refuse_flag(-7);
          if (iterations - checked >= 5) {
            // The factor by which residuals have to shrink.
            real wanted = fmin(1e-5 * exp(fmin(fmax(size / function_tolerance - 1, 0), 12)), 0.9);
            checked = iterations;
            if (size > wanted * checked_size) is_old = 1;
            else checked_size = size;
          } else if (checks_anew) {
            checked_size = size;
            checks_anew = 0;
          }
        }
      }
    }
    return with_derivatives(x);
  }
`,
};

/** A solver of systems of equations. */
export interface AlgebraicSolver {
  readonly method: Method;
  /** The function in the method's source. */
  readonly entry: 'powell' | 'newton';
  /** Its name in messages. */
  readonly reported: string;
  /** Names of the function and of the argument in errors about the first tolerance. */
  readonly first: { readonly function: string; readonly argument: string };
  /** Defaults of the first tolerance, the function tolerance and the maximum number of steps. */
  readonly defaults: readonly [number, number, number];
}

const powell: AlgebraicSolver = {
  method: ALGEBRAIC,
  entry: 'powell',
  reported: 'solve_powell',
  // Stan misspells the name here.
  first: { function: 'alegbra_solver_powell', argument: 'relative_tolerance' },
  defaults: [1e-10, 1e-6, 200],
};
const newton: AlgebraicSolver = {
  method: ALGEBRAIC,
  entry: 'newton',
  reported: 'solve_newton',
  first: { function: 'solve_newton', argument: 'scaling_step_size' },
  defaults: [1e-3, 1e-6, 200],
};

/** Solvers by Stan's name, without `_tol`. Defaults: Stan Functions Reference, "Algebraic equation solvers" (2.26 for the older names). */
export const ALGEBRAIC_SOLVERS: ReadonlyMap<string, AlgebraicSolver> = new Map([
  ['solve_powell', powell],
  ['solve_newton', newton],
  ['algebra_solver', { ...powell, defaults: [1e-10, 1e-6, 1000] }],
  ['algebra_solver_newton', newton],
]);
