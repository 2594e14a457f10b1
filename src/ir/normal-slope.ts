import { add, call1, compare, div, mul, neg, ONE, real, select, square, sub, ZERO } from './expressions.js';
import type { Expr } from './nodes.js';

/**
 * Stan's derivative of log Φ(z): an approximation piece by piece, good to about 1e-6, that is kept as it is so that
 * gradients of truncated normal densities agree with Stan's. In x = z/√2: Taylor polynomials of the exact slope
 * between 0.1 and 2.9, Abramowitz and Stegun's 7.1.26 for erf with cubic corrections of its residuals below, Mills'
 * ratio (DLMF 7.12.1) below -29.
 */
export function normalLogSlope(z: Expr): Expr {
  const x = mul(real(Math.SQRT1_2), z);
  const upper = TAYLOR.reduce<Expr>(
    (above, { from, centre, coefficients }) =>
      select(compare('gt', x, real(from)), above, polynomial(coefficients, sub(x, real(centre)))),
    farAbove(x),
  );
  const slope = select(compare('gt', x, real(0.1)), upper, below(x));
  return mul(real(Math.SQRT1_2), slope);
}

/** From the top down: where each polynomial ends, and its expansion. */
const TAYLOR: readonly { readonly from: number; readonly centre: number; readonly coefficients: readonly number[] }[] =
  [
    {
      from: 2.9,
      centre: 2.7,
      coefficients: [
        0.0003849882382, -0.002079084702, 0.00522934088, -0.008029540137, 0.008232190507, -0.00569236425,
        0.002399496363,
      ],
    },
    {
      from: 2.5,
      centre: 2.3,
      coefficients: [
        0.002846135439, -0.01310032351, 0.02732189391, -0.03326906904, 0.0248247894, -0.009883071924, -0.0002771362254,
      ],
    },
    {
      from: 2.1,
      centre: 1.85,
      coefficients: [
        0.01849212058, -0.0687628047, 0.1099906382, -0.09274533184, 0.03543327418, 0.005644855518, -0.01111434424,
      ],
    },
    {
      from: 1.5,
      centre: 1.15,
      coefficients: [
        0.1585747034, -0.3898677543, 0.3515963775, -0.09748053605, -0.04347986191, 0.02182506378, 0.01074751427,
      ],
    },
    {
      from: 0.8,
      centre: 0.45,
      coefficients: [
        0.6245634904, -0.9521866949, 0.3986215682, 0.04700850676, -0.03478651979, -0.01772675404, 0.0006577254811,
      ],
    },
  ];

const ERF = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
const ERF_RATE = 0.3275911;
const SQRT_PI = Math.sqrt(Math.PI);

/** Cubic corrections of the residuals below each bound, from the lowest bound up. */
const CORRECTIONS: readonly (readonly [bound: number, ...cubic: number[]])[] = [
  [-17, -1.25278338375297, -0.0860505264736028, 0.0123586859488623, 0.0001263257217272],
  [-7, 0.425316974683324, 0.207402143352332, 0.0296839305424034, 0.000471585349920831],
  [-3.9, 0.103439767020137, 0.0585761964460277, 0.0068218494628567, -0.0006972280656443],
  [-2.1, -0.0100428567412041, -0.017013797092408, -0.0097119598291202, -0.0018742199480885],
];

const MILLS_END = -29;

function polynomial(coefficients: readonly number[], x: Expr): Expr {
  return coefficients.reduceRight<Expr>((rest, c) => add(real(c), mul(x, rest)), ZERO);
}

function farAbove(x: Expr): Expr {
  const t = div(ONE, add(ONE, mul(real(ERF_RATE), x)));
  const e = call1('exp', neg(square(x)));
  return div(e, mul(real(SQRT_PI), sub(ONE, mul(e, polynomial(ERF, t)))));
}

function below(x: Expr): Expr {
  const t = div(ONE, sub(ONE, mul(real(ERF_RATE), x)));
  const base = div(real(2), mul(real(SQRT_PI), mul(t, polynomial(ERF, t))));
  const correction = CORRECTIONS.reduceRight<Expr>(
    (above, [bound, ...cubic]) => select(compare('lt', x, real(bound)), polynomial(cubic, x), above),
    ZERO,
  );
  const inverse = div(ONE, square(x));
  const mills = div(mul(real(-2), x), add(ONE, mul(inverse, polynomial([-0.5, 0.75, -1.875], inverse))));
  return select(compare('lt', x, real(MILLS_END)), mills, add(base, correction));
}
