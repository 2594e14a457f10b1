import { add, and, call1, compare, lgamma, log, mul, neg, real, sub, ZERO } from '../../ir/expressions.js';
import { below, between, finite, greaterThan, nonnegative, notNan, positive, positiveFinite } from '../checks.js';
import { density } from '../density.js';
import { linear, reals } from '../density-row.js';
import type { FunctionEntry } from '../entry.js';
import { log1m, logBesselI0, minusOne } from './formulas.js';

/** Continuous densities on a finite interval. */
const FAMILY = 'bounded continuous distributions';

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
      const second = sub(kappa, first);
      return [
        lgamma(kappa),
        neg(add(lgamma(first), lgamma(second))),
        linear(log(y), (sum) => mul(minusOne(first), sum), y, mu, kappa),
        linear(log1m(y), (sum) => mul(minusOne(second), sum), y, mu, kappa),
      ];
    },
  }),
  density(FAMILY, 'von_mises_lpdf', {
    computes: 'Log of the von Mises density of the angle y with location mu and concentration kappa',
    arguments: [
      reals('Random variable', finite),
      reals('Location parameter', finite),
      reals('Scale parameter', nonnegative),
    ],
    terms: (y, mu, kappa) => [
      real(-Math.log(2 * Math.PI)),
      neg(logBesselI0(kappa)),
      mul(kappa, call1('cos', sub(mu, y))),
    ],
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
];
