import type { Method } from './method.js';

/** The functions of a quadrature method that the call supplies, and the terms by which variable limits enter an integral. */
export const INTEGRAND = `
  real integrand(real x, real distance);
  real detached_integrand(real x, real distance);
  int has_derivatives();
  int has_slopes();
  int slope_count();
  real value_with_slopes(real x, real distance);
  // At the last node, by a parameter.
  real slope(int parameter);
  // The parameter less its value.
  real departure(int parameter);
  int has_varying_lower_limit();
  int has_varying_upper_limit();
  void refuse_everywhere();
  // The integrand's value inside the interval. Intervals as in \`substituted\`.
  void refuse_singular(real value, int kind);
  // Of which piece: 0 the whole, 1 below and 2 above zero.
  void refuse_error(real error, int piece);

  // What a limit adds whose departure from its value is 0: worth 0, also where the integrand there, and with it the derivative, is not finite.
  real moved_limit(real limit, real limit_departure) {
    real value = detached_integrand(limit, 0);
    real half = 0.5 * limit_departure;
    if (is_inf(value)) return value > 0 ? cbrt(limit_departure) : -cbrt(limit_departure);
    if (is_nan(value)) return cbrt(limit_departure) - cbrt(2 * limit_departure);
    if (has_second_derivatives()) return limit_departure * integrand(limit + half, half);
    return value * limit_departure;
  }
`;

/**
 * Double-exponential quadrature (Takahasi & Mori 1974): the trapezoidal rule after the substitutions x = tanh(π/2 sinh t) for a finite interval,
 * exp(π/2 sinh t) on a half line and sinh(π/2 sinh t) on the whole line. Intervals are split at 0 where Stan splits them.
 *
 * The step is halved until two sums differ by no more than the relative tolerance times the integral of |f|, or by the absolute tolerance. As in
 * Stan, the integral of each derivative of the integrand with respect to a parameter must also converge. These derivatives are evaluated at every
 * node together with the value (`value_with_slopes`), and enter the result by terms of value 0 that are linear in the parameters. If the integrand
 * has no such derivatives, values alone determine the nodes, and the result is a sum with derivatives at half the last step; second derivatives are
 * always those of such a sum.
 *
 * The derivative with respect to a limit is the integrand there; second derivatives come from the midpoint rule. In each direction, summation stops
 * at nodes whose terms are far below the precision of the sums. If the integrand is not finite from some node to a limit, it counts as 0 provided
 * that the omitted part is within the tolerance, or that only the rounding of x separates the nodes from the limit; otherwise the call fails. Where
 * the integrand is 0 it has no derivatives.
 */
export const QUADRATURE: Method = {
  name: 'quadrature',
  text: `${INTEGRAND}
  // Where x is for t, its weight, and its signed distance from the nearer end of a finite interval.
  // Intervals: 1 between two ends, 2 upwards from one, 3 downwards from one, 4 the whole line.
  tuple(real, real, real) substituted(int kind, int is_finite, real s, real e, real t) {
    real half_pi = 0.5 * pi();
    real up = exp(t);
    real inner = 0.5 * half_pi * (up - 1 / up);
    real weight = 0.5 * half_pi * (up + 1 / up);
    real x;
    real distance = not_a_number();
    if (kind == 1) {
      real away = exp(-2 * abs(inner));
      real share = 1 / (1 + away);
      real gap = (e - s) * away * share;
      x = t < 0 ? s + gap : e - gap;
      if (is_finite) distance = t < 0 ? -gap : gap;
      weight *= 2 * gap * share;
    } else if (kind == 4) {
      real far = exp(inner);
      x = abs(inner) < 0.5 ? sinh(inner) : 0.5 * (far - 1 / far);
      weight *= 0.5 * (far + 1 / far);
    } else {
      real gap = exp(inner);
      x = kind == 2 ? s + gap : e - gap;
      weight *= gap;
    }
    return (x, weight, distance);
  }

  // A value that is not finite inside the interval, or everywhere.
  void refuse_value(real value, int kind, int is_finite, real s, real e) {
    int is_everywhere = 1;
    for (k in 1 : 3) {
      for (sign in {-1, 1}) {
        tuple(real, real, real) node = substituted(kind, is_finite, s, e, sign * k);
        real near = detached_integrand(node.1, node.3);
        if (!is_nan(near) && !is_inf(near)) is_everywhere = 0;
      }
    }
    if (is_everywhere) refuse_everywhere();
    refuse_singular(value, kind);
  }

  // About the integral from the node at t to the end: the integrand times the distance from there, on a half line times the distance gone.
  real left_out(int kind, int is_finite, real s, real e, real t) {
    tuple(real, real, real) node = substituted(kind, is_finite, s, e, t);
    if (kind == 1 && fmin(node.1 - s, e - node.1) <= 1e-14 * fmax(abs(s), abs(e))) return 0;
    return node.2 / (0.5 * pi() * cosh(t)) * abs(detached_integrand(node.1, node.3));
  }

  real integrate(real first, real last, data real tolerance, data real absolute, data int most_inside, data int most_outside) {
    real a = detached(first);
    real b = detached(last);
    array[2] real start = {a, 0};
    array[2] real end = {b, b};
    int pieces = 1;
    real result = 0;
    // The first piece that has not converged. A value of the other one that is not finite is reported before it, as in Stan.
    int unfinished = -1;
    real unfinished_error = 0;
    int is_finite = !is_inf(a) && !is_inf(b);
    int P = slope_count();
    if (a == b) return result;
    if (a < 0 && b > 0 && (!is_inf(a) || !is_inf(b))) {
      pieces = 2;
      end[1] = 0;
    }
    for (piece in 1 : pieces) {
      real s = start[piece];
      real e = end[piece];
      int kind = is_inf(s) ? (is_inf(e) ? 4 : 3) : (is_inf(e) ? 2 : 1);
      int most = kind == 1 ? most_inside : most_outside;
      real h = 1;
      real total = 0;
      real size = 0;
      real previous = 0;
      array[P] real slope_total = rep_array(0, P);
      array[P] real slope_size = rep_array(0, P);
      array[P] real slope_previous = rep_array(0, P);
      array[2] real limits = {6.1, 6.1};
      array[2] real reach = {0, 0};
      // Where the integrand was not finite.
      array[2] real cuts = {0, 0};
      array[2] real cut_values = {0, 0};
      int level = 0;
      int is_done = 0;
      while (!is_done) {
        for (side in 1 : 2) {
          int k = level == 0 && side == 1 ? 0 : 1;
          while (k * h < limits[side]) {
            real t = side == 1 ? k * h : -k * h;
            tuple(real, real, real) node = substituted(kind, is_finite, s, e, t);
            real value = has_slopes() ? value_with_slopes(node.1, node.3) : detached_integrand(node.1, node.3);
            if (is_nan(value) || is_inf(value)) {
              if (k == 0) refuse_value(value, kind, is_finite, s, e);
              limits[side] = k * h;
              cuts[side] = k * h;
              cut_values[side] = value;
            } else if (value != 0) {
              real term = node.2 * value;
              int counts = abs(term) > 1e-20 * size;
              total += term;
              size += abs(term);
              if (has_slopes()) {
                for (p in 1 : P) {
                  real slope_term = node.2 * slope(p);
                  if (abs(slope_term) > 1e-20 * slope_size[p]) counts = 1;
                  slope_total[p] += slope_term;
                  slope_size[p] += abs(slope_term);
                }
              }
              if (counts) reach[side] = fmax(reach[side], k * h);
            }
            k += level == 0 ? 1 : 2;
          }
        }
        if (size > 0) for (side in 1 : 2) limits[side] = fmin(limits[side], reach[side] + 2 * h);
        {
          real error = abs(h * total - previous);
          int is_close = error <= fmax(tolerance * h * size, absolute);
          previous = h * total;
          if (has_slopes()) {
            for (p in 1 : P) {
              real slope_error = abs(h * slope_total[p] - slope_previous[p]);
              slope_previous[p] = h * slope_total[p];
              if (is_close && slope_error > fmax(tolerance * h * slope_size[p], absolute)) {
                is_close = 0;
                error = slope_error;
              }
            }
          }
          is_done = level >= most || (level >= 3 && is_close);
          for (side in 1 : 2) {
            // From a smaller limit on, terms are far below the precision of the sums.
            if (is_done && cuts[side] > 0 && limits[side] >= cuts[side]) {
              real t = side == 1 ? cuts[1] - h : h - cuts[2];
              if (!(left_out(kind, is_finite, s, e, t) <= fmax(tolerance * h * size, absolute))) refuse_singular(cut_values[side], kind);
            }
          }
          if (is_done && !is_close && unfinished < 0) {
            unfinished = pieces == 1 ? 0 : piece;
            unfinished_error = error;
          }
        }
        level += 1;
        h *= 0.5;
      }
      if (has_derivatives() && (has_second_derivatives() || !has_slopes())) {
        real before = result;
        for (side in 1 : 2) {
          int k = side == 1 ? 0 : 1;
          while (k * h < limits[side]) {
            real t = side == 1 ? k * h : -k * h;
            tuple(real, real, real) node = substituted(kind, is_finite, s, e, t);
            real value = detached_integrand(node.1, node.3);
            if (value != 0 && !is_nan(value) && !is_inf(value)) result += h * node.2 * integrand(node.1, node.3);
            k += 1;
          }
        }
        if (has_slopes()) {
          real varying = result - before;
          result = before + previous + (varying - detached(varying));
        }
      } else {
        result += previous;
        if (has_slopes()) for (p in 1 : P) result += slope_previous[p] * departure(p);
      }
    }
    if (unfinished >= 0) refuse_error(unfinished_error, unfinished);
    if (has_varying_upper_limit()) if (!is_inf(b)) result += moved_limit(b, last - b);
    if (has_varying_lower_limit()) if (!is_inf(a)) result -= moved_limit(a, first - a);
    return result;
  }
`,
};

/** Default relative tolerance: the square root of the machine precision. */
export const DEFAULT_TOLERANCE = 2 ** -26;
