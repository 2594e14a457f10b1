// The von Mises distribution function about its mean by Hill's method (ACM TOMS 518, 1977) with Stan's choices: a backward
// recurrence for concentrations below 50, a normal approximation above, a mixture between 49 and 50.
import { log_modified_bessel_first_kind } from './modified-bessel';
import { Phi } from './error';
import { exp } from './exponential';
import { cos, sin } from './trigonometric';

const PI: f64 = 3.141592653589793;
const TWO_PI: f64 = 6.283185307179586;
const SQRT_TWO_OVER_PI: f64 = 0.7978845608028654;
const INV_SQRT_TWO_PI: f64 = 0.3989422804014327;
const EDGE: f64 = 49.0;

/** part: 0 the value, 1 its derivative by x, 2 by k. */
function series(part: i32, x: f64, k: f64): f64 {
  const p = <i32>(28.0 + 0.5 * k - 100.0 / (k + 5.0) + 1.0);
  const s = sin(x);
  const c = cos(x);
  let sn = sin(<f64>p * x);
  let cn = cos(<f64>p * x);
  let r: f64 = 0.0;
  let rByK: f64 = 0.0;
  let v: f64 = 0.0;
  let vByK: f64 = 0.0;
  let vByX: f64 = 0.0;
  for (let m = p - 1; m > 0; m--) {
    const order = <f64>m;
    const turned = sn * c - cn * s;
    cn = cn * c + sn * s;
    sn = turned;
    r = 1.0 / ((2.0 * order) / k + r);
    rByK = r * r * ((2.0 * order) / (k * k) - rByK);
    const inner = sn / order + v;
    vByK = rByK * inner + r * vByK;
    vByX = r * (cn + vByX);
    v = r * inner;
  }
  if (part == 0) return 0.5 + x / TWO_PI + v / PI;
  return part == 1 ? 1.0 / TWO_PI + vByX / PI : vByK / PI;
}

function normal(part: i32, x: f64, k: f64): f64 {
  const log0 = log_modified_bessel_first_kind(0.0, k);
  const scale = SQRT_TWO_OVER_PI * exp(k - log0);
  const half = sin(0.5 * x);
  const z = scale * half;
  if (part == 0) return Phi(z);
  const slope = INV_SQRT_TWO_PI * exp(-0.5 * z * z);
  if (part == 1) return slope * scale * 0.5 * cos(0.5 * x);
  return slope * z * (1.0 - exp(log_modified_bessel_first_kind(1.0, k) - log0));
}

/**
 * Probability below the angle x, -π < x < π, with mean 0 and concentration k > 0 (part 0), its derivative by x (part 1) and
 * by k (part 2).
 */
export function von_mises_below(part: i32, x: f64, k: f64): f64 {
  if (k < EDGE) {
    const value = series(0, x, k);
    if (part == 0) return max<f64>(0.0, min<f64>(1.0, value));
    return value < 0.0 || value > 1.0 ? 0.0 : series(part, x, k);
  }
  if (k >= EDGE + 1.0) return normal(part, x, k);
  if (part == 2) return normal(0, x, EDGE + 1.0) - series(0, x, EDGE);
  return (EDGE + 1.0 - k) * series(part, x, EDGE) + (k - EDGE) * normal(part, x, EDGE + 1.0);
}
