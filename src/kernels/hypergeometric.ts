// The generalised hypergeometric series pFq and Gauss's 2F1, with derivatives of the series term by term, so that they hold
// at the negative integers too, where the series itself ends (Olver et al., NIST Handbook, chapters 15 and 16).
import { exp } from './exponential';
import { lgamma } from './gamma';
import { log1p } from './logarithm';
import { pow } from './power';

const MAX_TERMS: i32 = 1000000;
const LEAST_TERMS: i32 = 10;
const PRECISION: f64 = 1e-17;
/** The parameters of 2F1 as a list, its derivatives. */
const PARAMETERS: usize = memory.data(24, 16);
const SLOPES: usize = memory.data(32, 16);

@inline
function at(base: usize, k: i32): usize {
  return base + (<usize>k << 3);
}

/**
 * Σ Π (a)ₖ / Π (b)ₖ zᵏ / k! for p numbers a followed by q numbers b at parameters. Unless slopes is 0, writes the derivatives
 * by each of them, and the one by z, to p + q + 1 numbers there.
 */
function sumOfSeries(slopes: usize, parameters: usize, p: i32, q: i32, z: f64): f64 {
  const count = p + q;
  const hasSlopes = slopes != 0;
  let total: f64 = 1.0;
  let correction: f64 = 0.0;
  let term: f64 = 1.0;
  let slope: f64 = 0.0;
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
    slope += term * (n + 1.0);
    if (k > LEAST_TERMS && abs<f64>(term) <= PRECISION * abs<f64>(total)) break;
    if (term == 0.0) break;
  }
  const value = total + correction;
  if (!hasSlopes) return value;
  for (let i = 0; i < count; i++) store<f64>(at(slopes, i), slopeOfSeries(i, parameters, p, q, z));
  store<f64>(at(slopes, count), z == 0.0 ? firstRatio(parameters, p, q) : slope / z);
  return value;
}

/** Π a / Π b: the derivative by z at 0. */
function firstRatio(parameters: usize, p: i32, q: i32): f64 {
  let ratio: f64 = 1.0;
  for (let i = 0; i < p; i++) ratio *= load<f64>(at(parameters, i));
  for (let i = p; i < p + q; i++) ratio /= load<f64>(at(parameters, i));
  return ratio;
}

/** The derivative by one parameter: terms and their derivatives by the product rule. */
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
  return total;
}

/** Writes pFq at z to value, p numbers a and q numbers b one after the other at parameters. */
export function hypergeometric_pfq(value: usize, parameters: usize, argument: usize, p: i32, q: i32): void {
  store<f64>(value, sumOfSeries(0, parameters, p, q, load<f64>(argument)));
}

/** Adds to the adjoints of the parameters and of the argument, each skipped where its address is 0. slopes: p + q + 1 numbers. */
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
  sumOfSeries(slopes, parameters, p, q, load<f64>(argument));
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
  store<f64>(PARAMETERS, a);
  store<f64>(PARAMETERS, b, 8);
  store<f64>(PARAMETERS, c, 16);
  return sumOfSeries(slopes, PARAMETERS, 2, 1, z);
}

@inline
function endsSeries(x: f64): bool {
  return x <= 0.0 && floor<f64>(x) == x;
}

/** Whether the series of 2F1 itself is to be summed: it ends, or z lies in the circle. */
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

/** Whether 2F1 is elementary whatever z is: an upper parameter equals the lower one or exceeds it by one. */
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

/** Gauss's 2F1(a, b; c; z) (part 0) and its derivatives by a, b, c and z (parts 1 to 4). */
export function hypergeometric_2f1(part: i32, a: f64, b: f64, c: f64, z: f64): f64 {
  if (z != 0.0 && part == 0 && hypergeometric_2f1_is_elementary(a, b, c) == 1) return elementary(a, b, c, z);
  if (z == 1.0 && c > a + b && part == 0) {
    return exp(lgamma(c) + lgamma(c - a - b) - lgamma(c - a) - lgamma(c - b));
  }
  const slopes = part == 0 ? 0 : SLOPES;
  if (hypergeometric_2f1_converges(a, b, c, z) == 1) {
    const value = gaussSeries(slopes, a, b, c, z);
    return part == 0 ? value : load<f64>(at(SLOPES, part - 1));
  }
  // Pfaff: (1 - z)^-b 2F1(c - a, b; c; z / (z - 1))
  const rest = 1.0 - z;
  const factor = pow(rest, -b);
  const value = gaussSeries(slopes, c - a, b, c, -z / rest);
  if (part == 0) return factor * value;
  if (part == 1) return -factor * load<f64>(SLOPES);
  if (part == 2) return factor * (load<f64>(SLOPES, 8) - log1p(-z) * value);
  if (part == 3) return factor * (load<f64>(SLOPES) + load<f64>(SLOPES, 16));
  return factor * ((b / rest) * value - load<f64>(SLOPES, 24) / (rest * rest));
}
