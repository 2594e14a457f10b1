// The generalized hypergeometric series pFq and Gauss's 2F1, differentiated term by term, so that derivatives are also correct at the
// negative integers, where the series itself terminates (Olver et al., NIST Handbook, chapters 15 and 16).
import { low, product, quotient, sum } from '../elementary/double-double';
import { exp } from '../elementary/exponential';
import { lgamma } from './gamma';
import { log1p } from '../elementary/logarithm';
import { pow } from '../elementary/power';
import { PARAMETERS, SLOPES, scratch } from '../linear-algebra/scratch';

const MAX_TERMS: i32 = 1000000;
const LEAST_TERMS: i32 = 10;
const PRECISION: f64 = 1e-17;
/** Sums that are smaller than their largest term by this factor are recomputed with more digits. */
const CANCELLING: f64 = 100.0;

@inline
function at(base: usize, k: i32): usize {
  return base + (<usize>k << 3);
}

/**
 * The sum of the series in double-double arithmetic for z where terms cancel: the sum itself (`which` -1), its derivative with
 * respect to the parameter `which`, or z times its derivative with respect to z (`which` p + q).
 */
function carefulSum(which: i32, parameters: usize, p: i32, q: i32, z: f64): f64 {
  const count = p + q;
  let term: f64 = 1.0;
  let termLow: f64 = 0.0;
  let slope: f64 = 0.0;
  let slopeLow: f64 = 0.0;
  let total: f64 = which < 0 ? 1.0 : 0.0;
  let totalLow: f64 = 0.0;
  for (let k = 0; k < MAX_TERMS; k++) {
    const n = <f64>k;
    // the ratio of the terms without the parameter `which`
    let ratio = quotient(z, 0.0, n + 1.0, 0.0);
    let ratioLow = low;
    let own: f64 = 1.0;
    let ownLow: f64 = 0.0;
    for (let i = 0; i < count; i++) {
      const factor = sum(load<f64>(at(parameters, i)), 0.0, n, 0.0);
      const factorLow = low;
      if (i == which) {
        own = factor;
        ownLow = factorLow;
      } else {
        ratio = i < p ? product(ratio, ratioLow, factor, factorLow) : quotient(ratio, ratioLow, factor, factorLow);
        ratioLow = low;
      }
    }
    let change = ratio;
    let changeLow = ratioLow;
    if (which >= 0 && which < p) {
      ratio = product(ratio, ratioLow, own, ownLow);
      ratioLow = low;
    } else if (which >= p && which < count) {
      ratio = quotient(ratio, ratioLow, own, ownLow);
      ratioLow = low;
      change = -quotient(ratio, ratioLow, own, ownLow);
      changeLow = -low;
    }
    if (which >= 0 && which < count) {
      const moved = product(slope, slopeLow, ratio, ratioLow);
      const movedLow = low;
      change = product(term, termLow, change, changeLow);
      slope = sum(moved, movedLow, change, low);
      slopeLow = low;
    }
    term = product(term, termLow, ratio, ratioLow);
    termLow = low;
    if (which == count) {
      slope = product(term, termLow, n + 1.0, 0.0);
      slopeLow = low;
    }
    const next = which < 0 ? term : slope;
    total = sum(total, totalLow, next, which < 0 ? termLow : slopeLow);
    totalLow = low;
    if (k > LEAST_TERMS && abs<f64>(next) <= PRECISION * abs<f64>(total)) break;
    if (term == 0.0 && slope == 0.0) break;
  }
  return total;
}

/**
 * Σ Π (a)ₖ / Π (b)ₖ zᵏ / k! for p numbers a followed by q numbers b at parameters. Unless slopes is 0, writes the
 * derivatives with respect to each of them, then z, to slopes (p + q + 1 numbers).
 */
function sumOfSeries(slopes: usize, parameters: usize, p: i32, q: i32, z: f64): f64 {
  const count = p + q;
  const hasSlopes = slopes != 0;
  let total: f64 = 1.0;
  let correction: f64 = 0.0;
  let term: f64 = 1.0;
  let largest: f64 = 1.0;
  let slope: f64 = 0.0;
  let largestSlope: f64 = 0.0;
  for (let k = 0; k < MAX_TERMS; k++) {
    const n = <f64>k;
    let ratio = z / (n + 1.0);
    for (let i = 0; i < p; i++) ratio *= load<f64>(at(parameters, i)) + n;
    for (let i = p; i < count; i++) ratio /= load<f64>(at(parameters, i)) + n;
    // Neumaier's compensated sum
    term *= ratio;
    const next = total + term;
    correction += abs<f64>(total) >= abs<f64>(term) ? total - next + term : term - next + total;
    total = next;
    largest = max<f64>(largest, abs<f64>(term));
    slope += term * (n + 1.0);
    largestSlope = max<f64>(largestSlope, abs<f64>(term) * (n + 1.0));
    if (k > LEAST_TERMS && abs<f64>(term) <= PRECISION * abs<f64>(total)) break;
    if (term == 0.0) break;
  }
  const value = largest > CANCELLING * abs<f64>(total) ? carefulSum(-1, parameters, p, q, z) : total + correction;
  if (!hasSlopes) return value;
  for (let i = 0; i < count; i++) store<f64>(at(slopes, i), slopeOfSeries(i, parameters, p, q, z));
  if (largestSlope > CANCELLING * abs<f64>(slope)) slope = carefulSum(count, parameters, p, q, z);
  store<f64>(at(slopes, count), z == 0.0 ? firstRatio(parameters, p, q) : slope / z);
  return value;
}

/** Π a / Π b: the derivative with respect to z at 0. */
function firstRatio(parameters: usize, p: i32, q: i32): f64 {
  let ratio: f64 = 1.0;
  for (let i = 0; i < p; i++) ratio *= load<f64>(at(parameters, i));
  for (let i = p; i < p + q; i++) ratio /= load<f64>(at(parameters, i));
  return ratio;
}

/** The derivative with respect to one parameter, by the product rule for its terms. */
function slopeOfSeries(which: i32, parameters: usize, p: i32, q: i32, z: f64): f64 {
  const count = p + q;
  let total: f64 = 0.0;
  let term: f64 = 1.0;
  let slope: f64 = 0.0;
  let largest: f64 = 0.0;
  for (let k = 0; k < MAX_TERMS; k++) {
    const n = <f64>k;
    let others = z / (n + 1.0);
    for (let i = 0; i < p; i++) if (i != which) others *= load<f64>(at(parameters, i)) + n;
    for (let i = p; i < count; i++) if (i != which) others /= load<f64>(at(parameters, i)) + n;
    const own = load<f64>(at(parameters, which)) + n;
    const ratio = which < p ? others * own : others / own;
    const ratioSlope = which < p ? others : -others / (own * own);
    slope = slope * ratio + term * ratioSlope;
    term *= ratio;
    total += slope;
    largest = max<f64>(largest, abs<f64>(slope));
    if (k > LEAST_TERMS && abs<f64>(slope) <= PRECISION * abs<f64>(total)) break;
    if (slope == 0.0 && term == 0.0) break;
  }
  return largest > CANCELLING * abs<f64>(total) ? carefulSum(which, parameters, p, q, z) : total;
}

/** Like `sumOfSeries`, but 1F1 left of 0 by Kummer's transformation e^z 1F1(b - a; b; -z), whose terms do not alternate. */
function generalized(slopes: usize, parameters: usize, p: i32, q: i32, z: f64): f64 {
  if (p != 1 || q != 1 || !(z < -1.0 && z > -700.0)) return sumOfSeries(slopes, parameters, p, q, z);
  const lower = load<f64>(parameters, 8);
  store<f64>(scratch + PARAMETERS, lower - load<f64>(parameters));
  store<f64>(scratch + PARAMETERS, lower, 8);
  const value = sumOfSeries(slopes, scratch + PARAMETERS, 1, 1, -z);
  const scale = exp(z);
  if (slopes != 0) {
    const byUpper = load<f64>(slopes);
    store<f64>(slopes, -scale * byUpper);
    store<f64>(slopes, scale * (byUpper + load<f64>(slopes, 8)), 8);
    store<f64>(slopes, scale * (value - load<f64>(slopes, 16)), 16);
  }
  return scale * value;
}

/** Writes pFq at z to value, p numbers a and q numbers b one after the other at parameters. */
export function hypergeometric_pfq(value: usize, parameters: usize, argument: usize, p: i32, q: i32): void {
  store<f64>(value, generalized(0, parameters, p, q, load<f64>(argument)));
}

/** Adds to the adjoints of the parameters and of the argument; those with a null pointer are skipped. slopes: p + q + 1 numbers. */
export function hypergeometric_pfq_adjoint(
  parametersAdjoint: usize,
  argumentAdjoint: usize,
  valueAdjoint: usize,
  parameters: usize,
  argument: usize,
  slopes: usize,
  p: i32,
  q: i32,
): void {
  generalized(slopes, parameters, p, q, load<f64>(argument));
  const seed = load<f64>(valueAdjoint);
  const count = p + q;
  if (parametersAdjoint != 0) {
    for (let i = 0; i < count; i++) {
      const address = at(parametersAdjoint, i);
      store<f64>(address, load<f64>(address) + seed * load<f64>(at(slopes, i)));
    }
  }
  if (argumentAdjoint != 0) {
    store<f64>(argumentAdjoint, load<f64>(argumentAdjoint) + seed * load<f64>(at(slopes, count)));
  }
}

function gaussSeries(slopes: usize, a: f64, b: f64, c: f64, z: f64): f64 {
  store<f64>(scratch + PARAMETERS, a);
  store<f64>(scratch + PARAMETERS, b, 8);
  store<f64>(scratch + PARAMETERS, c, 16);
  return sumOfSeries(slopes, scratch + PARAMETERS, 2, 1, z);
}

@inline
function endsSeries(x: f64): bool {
  return x <= 0.0 && floor<f64>(x) == x;
}

/** Whether the series of 2F1 itself is summed: because it terminates, or because z lies in the circle of convergence. */
export function hypergeometric_2f1_converges(a: f64, b: f64, c: f64, z: f64): i32 {
  let terms: f64 = 0.0;
  let ends = false;
  if (endsSeries(a)) {
    ends = true;
    terms = -a;
  }
  if (endsSeries(b) && -b >= terms) {
    ends = true;
    terms = -b;
  }
  if (endsSeries(c) && !(ends && terms < -c)) return 0;
  return ends || abs<f64>(z) < 1.0 || (abs<f64>(z) == 1.0 && c > a + b) ? 1 : 0;
}

/** Whether 2F1 is elementary for every z: an upper parameter equals the lower one or exceeds it by one. */
export function hypergeometric_2f1_is_elementary(a: f64, b: f64, c: f64): i32 {
  return a == c || b == c || c == a - 1.0 || c == b - 1.0 ? 1 : 0;
}

/** 2F1 where it is elementary. */
function elementary(a: f64, b: f64, c: f64, z: f64): f64 {
  const rest = 1.0 - z;
  if (a == c) return pow(rest, -b);
  if (b == c) return pow(rest, -a);
  const first = c == b - 1.0 ? a : b;
  return (pow(rest, -first - 1.0) * (c + z * (first - c))) / c;
}

/** Gauss's 2F1(a, b; c; z) (part 0) and its derivatives with respect to a, b, c and z (parts 1 to 4). */
export function hypergeometric_2f1(part: i32, a: f64, b: f64, c: f64, z: f64): f64 {
  if (z != 0.0 && part == 0 && hypergeometric_2f1_is_elementary(a, b, c) == 1) return elementary(a, b, c, z);
  if (z == 1.0 && c > a + b && part == 0) {
    return exp(lgamma(c) + lgamma(c - a - b) - lgamma(c - a) - lgamma(c - b));
  }
  const slopes = part == 0 ? 0 : scratch + SLOPES;
  // a parameter may terminate the series, but not the derivative with respect to it
  const isOutside = part > 0 && z < -1.0;
  if (!isOutside && hypergeometric_2f1_converges(a, b, c, z) == 1) {
    const value = gaussSeries(slopes, a, b, c, z);
    return part == 0 ? value : load<f64>(at(scratch + SLOPES, part - 1));
  }
  // Pfaff: (1 - z)^-b 2F1(c - a, b; c; z / (z - 1))
  const rest = 1.0 - z;
  const factor = pow(rest, -b);
  const value = gaussSeries(slopes, c - a, b, c, -z / rest);
  if (part == 0) return factor * value;
  if (part == 1) return -factor * load<f64>(scratch + SLOPES);
  if (part == 2) return factor * (load<f64>(scratch + SLOPES, 8) - log1p(-z) * value);
  if (part == 3) return factor * (load<f64>(scratch + SLOPES) + load<f64>(scratch + SLOPES, 16));
  return ((a * b) / c) * hypergeometric_2f1(0, a + 1.0, b + 1.0, c + 1.0, z);
}
