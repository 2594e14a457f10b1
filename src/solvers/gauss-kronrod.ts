import type { Method } from './method.js';
import { INTEGRAND } from './quadrature.js';

/** Nodes of the Gauss-Kronrod rule of 10 and 21 points, from the middle out (Piessens et al., QUADPACK, 1983). */
const NODES = [
  0, 0.14887433898163122, 0.2943928627014602, 0.4333953941292472, 0.5627571346686047, 0.6794095682990244,
  0.7808177265864169, 0.8650633666889845, 0.9301574913557082, 0.9739065285171717, 0.9956571630258081,
];
const KRONROD_WEIGHTS = [
  0.1494455540029169, 0.14773910490133849, 0.1427759385770601, 0.13470921731147334, 0.12349197626206584,
  0.10938715880229764, 0.0931254545836976, 0.07503967481091996, 0.054755896574351995, 0.032558162307964725,
  0.011694638867371874,
];
/** 0 at the nodes that do not belong to the rule of 10 points. */
const GAUSS_WEIGHTS = [
  0, 0.29552422471475287, 0, 0.26926671930999635, 0, 0.21908636251598204, 0, 0.1494513491505806, 0, 0.06667134430868814,
  0,
];

const listed = (numbers: readonly number[]): string => `{${numbers.map((x) => (x === 0 ? '0.0' : x)).join(', ')}}`;

/**
 * Adaptive Gauss-Kronrod quadrature with 21 points, as in Boost: an interval is bisected if the difference between both rules exceeds both the
 * relative tolerance times its own integral and its share of the initial error goal for the whole. The substitutions are x = a + 2/(1 + t) - 1 for a
 * half line and x = t/(1 - t²) for the whole line, with t between -1 and 1. Unlike in Boost, the error of an interval that is longer than 2 is
 * multiplied by half its length.
 *
 * Derivatives are computed as in `QUADRATURE`. An interval is also bisected if a derivative with respect to a parameter has not converged.
 */
export const GAUSS_KRONROD: Method = {
  name: 'gauss_kronrod',
  text: `${INTEGRAND}
  // Where x is for t, and its weight. Intervals: 1 between two ends, 2 upwards from one, 3 downwards from one, 4 the whole line.
  tuple(real, real) substituted(int kind, real a, real b, real t) {
    if (kind == 1) return (t, 1.0);
    if (kind == 4) {
      real inverse_gap = 1 / ((1 - t) * (1 + t));
      return (t * inverse_gap, (1 + t * t) * inverse_gap * inverse_gap);
    }
    real z = 1 / (t + 1);
    return (kind == 2 ? a + (2 * z - 1) : b - (2 * z - 1), z * z);
  }

  // The error of an interval, for both rules on [-1, 1].
  real error_of(real kronrod, real gauss, real scale) {
    return fmax(1, scale) * fmax(abs(kronrod - gauss), 2 * machine_precision() * abs(kronrod));
  }

  real integrate(real first, real last, data real tolerance, data real absolute, data int max_depth) {
    real a = detached(first);
    real b = detached(last);
    real result = 0;
    int P = slope_count();
    if (a == b) return result;
    array[11] real nodes = ${listed(NODES)};
    array[11] real kronrod_weights = ${listed(KRONROD_WEIGHTS)};
    array[11] real gauss_weights = ${listed(GAUSS_WEIGHTS)};
    int kind = is_inf(a) ? (is_inf(b) ? 4 : 3) : (is_inf(b) ? 2 : 1);
    int differentiates_nodes = has_derivatives() && (has_second_derivatives() || !has_slopes());
    // Deeper halves have no length.
    int deepest = max_depth < 100 ? max_depth : 100;
    // The intervals that are left, the next one last.
    array[deepest + 2] real start;
    array[deepest + 2] real end;
    array[deepest + 2] real goal;
    array[deepest + 2] int depth;
    int open = 1;
    real total = 0;
    real size = 0;
    real error = 0;
    array[P] real slope_goal = rep_array(0, P);
    array[P] real slope_total = rep_array(0, P);
    array[P] real slope_size = rep_array(0, P);
    array[P] real slope_error = rep_array(0, P);
    real factor = kind == 2 || kind == 3 ? 2 : 1;
    start[1] = kind == 1 ? a : -1;
    end[1] = kind == 1 ? b : 1;
    goal[1] = 0;
    depth[1] = 0;
    while (open > 0) {
      real middle = 0.5 * (start[open] + end[open]);
      real scale = 0.5 * (end[open] - start[open]);
      real kronrod = 0;
      real gauss = 0;
      real norm = 0;
      array[P] real slope_kronrod = rep_array(0, P);
      array[P] real slope_gauss = rep_array(0, P);
      array[P] real slope_norm = rep_array(0, P);
      for (i in -10 : 10) {
        int k = abs(i) + 1;
        tuple(real, real) node = substituted(kind, a, b, middle + (i < 0 ? -scale : scale) * nodes[k]);
        real value = has_slopes() ? value_with_slopes(node.1, not_a_number()) : detached_integrand(node.1, not_a_number());
        real term = value == 0 ? 0 : value * node.2;
        kronrod += kronrod_weights[k] * term;
        gauss += gauss_weights[k] * term;
        norm += kronrod_weights[k] * abs(term);
        if (has_slopes()) {
          for (p in 1 : P) {
            real here = slope(p);
            real slope_term = here == 0 || (value == 0 && is_nan(here)) ? 0 : here * node.2;
            slope_kronrod[p] += kronrod_weights[k] * slope_term;
            slope_gauss[p] += gauss_weights[k] * slope_term;
            slope_norm[p] += kronrod_weights[k] * abs(slope_term);
          }
        }
      }
      {
        real own_goal = tolerance * abs(scale * kronrod);
        real own_error = error_of(kronrod, gauss, scale);
        int is_cut = 0;
        if (goal[open] == 0) goal[open] = own_goal;
        if (own_goal < own_error && goal[open] < own_error) is_cut = 1;
        if (has_slopes()) {
          for (p in 1 : P) {
            real slope_own_goal = tolerance * abs(scale * slope_kronrod[p]);
            real slope_own_error = error_of(slope_kronrod[p], slope_gauss[p], scale);
            if (depth[open] == 0) slope_goal[p] = slope_own_goal;
            if (slope_own_goal < slope_own_error && ldexp(slope_goal[p], -depth[open]) < slope_own_error) is_cut = 1;
          }
        }
        // A bisection might avoid the node that is not a number.
        if (is_cut && depth[open] < deepest && !is_nan(kronrod)) {
          goal[open] *= 0.5;
          depth[open] += 1;
          start[open + 1] = start[open];
          end[open + 1] = middle;
          goal[open + 1] = goal[open];
          depth[open + 1] = depth[open];
          start[open] = middle;
          open += 1;
        } else {
          total += scale * kronrod;
          size += scale * norm;
          error += own_error;
          if (has_slopes()) {
            for (p in 1 : P) {
              slope_total[p] += scale * slope_kronrod[p];
              slope_size[p] += scale * slope_norm[p];
              slope_error[p] += error_of(slope_kronrod[p], slope_gauss[p], scale);
            }
          }
          if (differentiates_nodes) {
            for (i in -10 : 10) {
              int k = abs(i) + 1;
              tuple(real, real) node = substituted(kind, a, b, middle + (i < 0 ? -scale : scale) * nodes[k]);
              if (detached_integrand(node.1, not_a_number()) != 0)
                result += factor * scale * kronrod_weights[k] * node.2 * integrand(node.1, not_a_number());
            }
          }
          open -= 1;
        }
      }
    }
    if (is_inf(error) || !(error <= fmax(tolerance * factor * size, absolute))) refuse_error(error, 0);
    if (has_slopes()) {
      for (p in 1 : P) {
        if (!(slope_error[p] <= fmax(tolerance * factor * slope_size[p], absolute))) refuse_error(slope_error[p], 0);
      }
    }
    if (differentiates_nodes) {
      result = factor * total + (result - detached(result));
    } else {
      result = factor * total;
      if (has_slopes()) for (p in 1 : P) result += factor * slope_total[p] * departure(p);
    }
    if (has_varying_upper_limit()) if (!is_inf(b)) result += moved_limit(b, last - b);
    if (has_varying_lower_limit()) if (!is_inf(a)) result -= moved_limit(a, first - a);
    return result;
  }
`,
};
