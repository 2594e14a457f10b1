import type { Method } from './method.js';

/**
 * Double-exponential quadrature (Takahasi & Mori 1974): the trapezoidal rule after the substitutions x = tanh(π/2 sinh t) between
 * two ends, exp(π/2 sinh t) on a half line and sinh(π/2 sinh t) on the whole line. Intervals are cut at 0 where Stan cuts them.
 *
 * The step is halved, with detached values, until two sums differ by no more than the tolerance times the integral of |f|. The result is the sum at half
 * that step, so that the integrals of the derivatives, which need not converge as fast, have one more refinement. Derivatives by the
 * limits are the integrand there. From where the integrand is not finite on towards an end, it counts as 0; where it is 0
 * it has no derivatives.
 */
export const QUADRATURE: Method = {
  name: 'quadrature',
  text: `
  real integrand(real x, real distance);
  real detached_integrand(real x, real distance);
  int has_derivatives();
  int has_varying_lower_limit();
  int has_varying_upper_limit();
  void refuse_everywhere();
  void refuse_error(real error);

  // Where x is for t, its weight, and its signed distance from the nearer end of a finite interval.
  // Intervals: 1 between two ends, 2 upwards from one, 3 downwards from one, 4 the whole line.
  array[] real substituted(int kind, int is_finite, real s, real e, real t) {
    real half_pi = 0.5 * pi();
    real inner = half_pi * sinh(t);
    real weight = half_pi * cosh(t);
    real x;
    real distance = not_a_number();
    if (kind == 1) {
      real c = cosh(inner);
      real gap = 0.5 * (e - s) * 2 / (1 + exp(2 * abs(inner)));
      x = t < 0 ? s + gap : e - gap;
      if (is_finite) distance = t < 0 ? -gap : gap;
      weight *= 0.5 * (e - s) / square(c);
    } else if (kind == 4) {
      x = sinh(inner);
      weight *= cosh(inner);
    } else {
      real gap = exp(inner);
      x = kind == 2 ? s + gap : e - gap;
      weight *= gap;
    }
    return {x, weight, distance};
  }

  real integrate(real first, real last, data real tolerance) {
    real a = detached(first);
    real b = detached(last);
    array[2] real start = {a, 0};
    array[2] real end = {b, b};
    int pieces = 1;
    real result = 0;
    int is_finite = !is_inf(a) && !is_inf(b);
    if (a == b) return result;
    if (a < 0 && b > 0 && (!is_inf(a) || !is_inf(b))) {
      pieces = 2;
      end[1] = 0;
    }
    for (piece in 1 : pieces) {
      real s = start[piece];
      real e = end[piece];
      int kind = is_inf(s) ? (is_inf(e) ? 4 : 3) : (is_inf(e) ? 2 : 1);
      int most = kind == 1 ? 14 : 9;
      real h = 1;
      real total = 0;
      real size = 0;
      real previous = 0;
      real error = 0;
      array[2] real limits = {6.1, 6.1};
      int level = 0;
      int is_done = 0;
      while (!is_done) {
        for (side in 1 : 2) {
          int k = level == 0 && side == 1 ? 0 : 1;
          while (k * h < limits[side]) {
            real t = side == 1 ? k * h : -k * h;
            array[3] real node = substituted(kind, is_finite, s, e, t);
            real value = detached_integrand(node[1], node[3]);
            if (is_nan(value) || is_inf(value)) {
              if (k == 0) refuse_everywhere();
              limits[side] = k * h;
            } else {
              total += node[2] * value;
              size += node[2] * abs(value);
            }
            k += level == 0 ? 1 : 2;
          }
        }
        error = abs(h * total - previous);
        previous = h * total;
        is_done = level >= most || (level >= 4 && error <= tolerance * h * size);
        if (is_done && !(error <= tolerance * h * size)) refuse_error(error);
        level += 1;
        h *= 0.5;
      }
      for (side in 1 : 2) {
        int k = side == 1 ? 0 : 1;
        while (k * h < limits[side]) {
          real t = side == 1 ? k * h : -k * h;
          array[3] real node = substituted(kind, is_finite, s, e, t);
          real value = detached_integrand(node[1], node[3]);
          if (value != 0 && !is_nan(value) && !is_inf(value)) {
            result += h * node[2] * (has_derivatives() ? integrand(node[1], node[3]) : value);
          }
          k += 1;
        }
      }
    }
    if (has_varying_upper_limit()) if (!is_inf(b)) result += detached_integrand(b, 0) * (last - b);
    if (has_varying_lower_limit()) if (!is_inf(a)) result -= detached_integrand(a, 0) * (first - a);
    return result;
  }
`,
};

/** The relative tolerance where the call gives none: the square root of the machine precision. */
export const DEFAULT_TOLERANCE = 2 ** -26;
