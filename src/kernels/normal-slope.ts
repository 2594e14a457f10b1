// Stan's derivative of log Φ: an approximation piece by piece, good to about 1e-6, that is kept as it is so that
// gradients of truncated normal densities agree with Stan's. In x = z/√2: Taylor polynomials of the exact slope between
// 0.1 and 2.9, Abramowitz and Stegun's 7.1.26 for erf with cubic corrections of its residuals below, Mills' ratio (DLMF
// 7.12.1) below -29.
import { exp } from './exponential';

const SQRT_HALF: f64 = 0.7071067811865476;
const SQRT_PI: f64 = 1.772453850905516;
const ERF_RATE: f64 = 0.3275911;

// @ts-ignore: decorator
@inline
function cubic(x: f64, a: f64, b: f64, c: f64, d: f64): f64 {
  return a + x * (b + x * (c + x * d));
}

// @ts-ignore: decorator
@inline
function sextic(x: f64, a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64): f64 {
  return a + x * (b + x * (c + x * (d + x * (e + x * (f + x * g)))));
}

// @ts-ignore: decorator
@inline
function erfPolynomial(t: f64): f64 {
  return 0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)));
}

function slope(x: f64): f64 {
  if (x > 2.9) {
    const e = exp(-x * x);
    return e / (SQRT_PI * (1.0 - e * erfPolynomial(1.0 / (1.0 + ERF_RATE * x))));
  }
  if (x > 2.5) {
    return sextic(x - 2.7, 0.0003849882382, -0.002079084702, 0.00522934088, -0.008029540137, 0.008232190507, -0.00569236425, 0.002399496363);
  }
  if (x > 2.1) {
    return sextic(x - 2.3, 0.002846135439, -0.01310032351, 0.02732189391, -0.03326906904, 0.0248247894, -0.009883071924, -0.0002771362254);
  }
  if (x > 1.5) {
    return sextic(x - 1.85, 0.01849212058, -0.0687628047, 0.1099906382, -0.09274533184, 0.03543327418, 0.005644855518, -0.01111434424);
  }
  if (x > 0.8) {
    return sextic(x - 1.15, 0.1585747034, -0.3898677543, 0.3515963775, -0.09748053605, -0.04347986191, 0.02182506378, 0.01074751427);
  }
  if (x > 0.1) {
    return sextic(x - 0.45, 0.6245634904, -0.9521866949, 0.3986215682, 0.04700850676, -0.03478651979, -0.01772675404, 0.0006577254811);
  }
  if (x < -29.0) {
    const inverse = 1.0 / (x * x);
    return (-2.0 * x) / cubic(inverse, 1.0, -0.5, 0.75, -1.875);
  }
  const t = 1.0 / (1.0 - ERF_RATE * x);
  const base = 2.0 / (SQRT_PI * t * erfPolynomial(t));
  if (x < -17.0) return base + cubic(x, -1.25278338375297, -0.0860505264736028, 0.0123586859488623, 0.0001263257217272);
  if (x < -7.0) return base + cubic(x, 0.425316974683324, 0.207402143352332, 0.0296839305424034, 0.000471585349920831);
  if (x < -3.9) return base + cubic(x, 0.103439767020137, 0.0585761964460277, 0.0068218494628567, -0.0006972280656443);
  if (x < -2.1) return base + cubic(x, -0.0100428567412041, -0.017013797092408, -0.0097119598291202, -0.0018742199480885);
  return base;
}

/** d log Φ(z)/dz as Stan takes it. */
export function log_Phi_slope(z: f64): f64 {
  return SQRT_HALF * slope(SQRT_HALF * z);
}
