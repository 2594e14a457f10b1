import type { Builder } from '../../ir/builder.js';
import {
  abs,
  add,
  and,
  call1,
  compare,
  div,
  exp,
  int,
  isFiniteReal,
  lgamma,
  log,
  log1p,
  mul,
  neg,
  ONE,
  real,
  select,
  square,
  sub,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { applyOp } from '../../ir/ops.js';
import type { Value } from '../../ir/value.js';
import { containerOf } from '../broadcast.js';
import {
  below,
  between,
  finite,
  greaterThan,
  nonnegative,
  notNan,
  positive,
  positiveFinite,
  type Requirement,
} from '../checks.js';
import { density, distribution, precise } from '../density.js';
import { linear, reals } from '../density-row.js';
import type { FunctionEntry } from '../entry.js';
import { half, inverse, log1m, logBesselI0, MINUS_HALF_LOG_TWO_PI, minusOne } from './formulas.js';

/** Continuous densities on a finite interval. */
const FAMILY = 'bounded continuous distributions';

type Formula = (...args: Expr[]) => Expr;
const TWO_PI = real(2 * Math.PI);

/** The equivalent angle between -π and π. */
const wrapped = (angle: Expr): Expr => {
  const turns = call1('floor', div(add(angle, real(Math.PI)), TWO_PI));
  return select(compare('le', abs(angle), real(Math.PI)), angle, sub(angle, mul(TWO_PI, turns)));
};

/** The log probability of the angles from -π to y. */
const vonMises: Formula = (y, mu, kappa) => applyOp('von_mises_below', int(0), y, wrapped(mu), kappa);

/** Concentrations of at least this value count as large. */
const NARROW = real(100);
/** (1 · 3 ⋯ (2k - 1))² / k! for k = 1, 2, … */
const HANKEL = [1, 4.5, 37.5, 459.375, 7441.875, 150077.8125];

/** Log density of an angle from the mean with a large concentration, by Hankel's expansion of I₀ (Abramowitz and Stegun 9.7.1). */
function narrowVonMises(angle: Expr, kappa: Expr): Expr {
  const chord = square(call1('sin', half(angle)));
  const x = inverse(mul(real(8), kappa));
  const series = HANKEL.reduceRight<Expr>((rest, coefficient) => mul(x, add(real(coefficient), rest)), ZERO);
  const normal = add(MINUS_HALF_LOG_TWO_PI, half(log(kappa)));
  return sub(sub(normal, mul(real(2), mul(kappa, chord))), log1p(series));
}

const inTurn: Requirement = {
  holds: (x) => and(compare('ge', x, real(-Math.PI)), compare('le', x, real(Math.PI))),
  must: 'in the interval [-3.14159, 3.14159]',
};

const VON_MISES_DISTRIBUTION = distribution(FAMILY, 'von_mises', {
  computes: 'Von Mises distribution function of the angle y with location mu and concentration kappa',
  arguments: [
    reals('Random variable', inTurn),
    reals('Location parameter', finite),
    reals('Scale parameter', positive),
  ],
  edges: [
    { when: (y) => compare('eq', y, real(-Math.PI)), values: [0, Number.NEGATIVE_INFINITY, 0] },
    { when: (y) => compare('eq', y, real(Math.PI)), values: [1, 0, Number.NEGATIVE_INFINITY] },
  ],
  replacement: () => ZERO,
  cdf: (...args) => exp(vonMises(...args)),
  lcdf: vonMises,
  lccdf: (y, mu, kappa) => vonMises(neg(y), neg(mu), kappa),
});

/** Rejects an infinite concentration with the message of the normal approximation that Stan then uses. */
function stopAtInfinity(entry: FunctionEntry): FunctionEntry {
  const check = (builder: Builder, kappa: Value): void => {
    const message = 'normal_cdf: Random variable is -nan, but must be not nan!';
    if (kappa.kind === 'scalar') builder.check(isFiniteReal(kappa.value), message);
    else {
      const all = containerOf(kappa);
      builder.each(all.sizes[0], (i) => builder.check(isFiniteReal(all.flat(i)), message));
    }
  };
  const { addTo, build } = entry;
  return {
    ...entry,
    build: (builder, args, call) => {
      const value = build(builder, args, call);
      check(builder, args[2]);
      return value;
    },
    ...(addTo === undefined
      ? {}
      : {
          addTo: (builder, args, sink, call) => {
            addTo(builder, args, sink, call);
            check(builder, args[2]);
          },
        }),
  };
}

export const INTERVAL: readonly FunctionEntry[] = [
  density(FAMILY, 'beta_lpdf', {
    computes: 'Log of the beta density of y with shapes alpha and beta',
    arguments: [reals('Random variable'), reals('First shape parameter'), reals('Second shape parameter')],
    checks: [
      [1, positiveFinite],
      [2, positiveFinite],
      [0, between(0, 1)],
    ],
    terms: (y, alpha, beta) => [
      neg(lgamma(alpha)),
      neg(lgamma(beta)),
      linear(log(y), (sum) => mul(minusOne(alpha), sum)),
      linear(log1m(y), (sum) => mul(minusOne(beta), sum)),
      lgamma(add(alpha, beta)),
    ],
  }),
  density(FAMILY, 'beta_proportion_lpdf', {
    computes: 'Log of the beta density of y with mean mu and precision kappa',
    arguments: [
      reals('Random variable'),
      reals('Location parameter'),
      { kind: 'numbers', words: 'Precision parameter', requirements: [] },
    ],
    checks: [
      [1, positive],
      [1, below(1)],
      [2, positiveFinite],
      [0, between(0, 1)],
    ],
    terms: (y, mu, kappa) => {
      const first = mul(mu, kappa);
      const second = mul(sub(ONE, mu), kappa);
      return [
        lgamma(kappa),
        neg(add(lgamma(first), lgamma(second))),
        linear(log(y), (sum) => mul(minusOne(first), sum), y, mu, kappa),
        linear(log1m(y), (sum) => mul(minusOne(second), sum), y, mu, kappa),
      ];
    },
  }),
  precise(FAMILY, 'von_mises_lpdf', {
    computes: 'Log of the von Mises density of the angle y with location mu and concentration kappa',
    arguments: [
      reals('Random variable', finite),
      reals('Location parameter', finite),
      reals('Scale parameter', nonnegative, finite),
    ],
    terms: (y, mu, kappa) => [
      real(-Math.log(2 * Math.PI)),
      neg(logBesselI0(kappa)),
      mul(kappa, call1('cos', sub(mu, y))),
    ],
    preciseTerms: (y, mu, kappa) => {
      const isNarrow = compare('gt', kappa, NARROW);
      const angle = sub(mu, y);
      const wide = sub(
        mul(kappa, call1('cos', angle)),
        add(real(Math.log(2 * Math.PI)), logBesselI0(select(isNarrow, ONE, kappa))),
      );
      return [select(isNarrow, narrowVonMises(angle, select(isNarrow, kappa, NARROW)), wide)];
    },
  }),
  density(FAMILY, 'uniform_lpdf', {
    computes: 'Log of the uniform density of y between alpha and beta',
    arguments: [
      reals('Random variable', notNan),
      reals('Lower bound parameter', finite),
      reals('Upper bound parameter', finite, greaterThan(1)),
    ],
    support: {
      of: 0,
      inside: (y, alpha, beta) => and(compare('ge', y, alpha), compare('le', y, beta)),
      replacement: () => ZERO,
    },
    terms: (_, alpha, beta) => [neg(log(sub(beta, alpha)))],
  }),
  ...VON_MISES_DISTRIBUTION.map(stopAtInfinity),
];
