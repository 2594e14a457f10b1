/**
 * Data are simulated with known effects, and models from formulas are fitted to them. Intervals with a probability of 50 % and 90 % contain the
 * effects as often, up to chance: the number of data sets has a binomial distribution.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Family } from '../../src/formula/families.js';
import { modelFromFormula } from '../../src/formula/model.js';
import { quantiles } from '../../src/inference/diagnostics/moments.js';
import { createRng } from '../../src/inference/random/random-stream.js';
import type { Rng } from '../../src/inference/random/rng.js';
import { close, compile } from '../../src/node/library/index.js';
import { tableOf } from './tables.js';

const DATA_SETS = 100;
const GROUPS = 12;
const ROWS_OF_GROUP = 10;
/** Probability below which a number of covered effects is not due to chance. */
const LEVEL = 1e-4;
const SAMPLER = { algorithm: 'recommended', delta: 0.99, num_chains: 2, num_samples: 500 } as const;

interface Row {
  readonly x: number;
  readonly male: number;
  readonly group: number;
}

/** The effects of one data set. */
interface Truth {
  readonly intercept: number;
  readonly x: number;
  readonly male: number;
  readonly interaction: number;
  readonly groups: readonly { readonly intercept: number; readonly slope: number }[];
}

interface Case {
  readonly family: Family;
  readonly formula: string;
  readonly fixed: {
    readonly intercept: number;
    readonly x: number;
    readonly male: number;
    readonly interaction: number;
  };
  /** Standard deviations of intercepts and slopes, and their correlation. */
  readonly spread: { readonly intercept: number; readonly slope: number; readonly correlation: number };
  /** Values of the other quantities. */
  readonly others: (rng: Rng) => Readonly<Record<string, number>>;
  readonly simulate: (eta: number, rng: Rng, others: Readonly<Record<string, number>>) => number | string;
  /** The expected outcome, or the probabilities of its categories. */
  readonly expected: (eta: number) => readonly number[];
}

const logistic = (value: number) => 1 / (1 + Math.exp(-value));
const CUTPOINTS = [-1, 0.5, 2];
const below = (eta: number) => [...CUTPOINTS.map((cutpoint) => logistic(cutpoint - eta)), 1];
const thresholds = Object.fromEntries(CUTPOINTS.map((cutpoint, place) => [`thresholds[${place + 1}]`, cutpoint]));

/** Twice a variable with the distribution gamma(2, 1). */
const chiSquared4 = (rng: Rng) => -2 * Math.log((1 - rng.uniform()) * (1 - rng.uniform()));

/** A draw from gamma(2, 0.1), at least 1. */
function degreesOfFreedom(rng: Rng): number {
  const nu = 5 * chiSquared4(rng);
  return nu < 1 ? degreesOfFreedom(rng) : nu;
}

/** Bailey's polar method (1994, Polar generation of random variates with the t-distribution). */
function studentT(nu: number, rng: Rng): number {
  const [u, v] = [2 * rng.uniform() - 1, 2 * rng.uniform() - 1];
  const w = u ** 2 + v ** 2;
  return w > 1 || w === 0 ? studentT(nu, rng) : u * Math.sqrt((nu * (w ** (-2 / nu) - 1)) / w);
}

function poisson(mean: number, rng: Rng): number {
  let [count, product] = [0, rng.uniform()];
  while (product > Math.exp(-mean)) {
    count++;
    product *= rng.uniform();
  }
  return count;
}

const LOGIT = { intercept: -0.5, x: 0.5, male: -0.8, interaction: 0 };
const LOG = { intercept: 0.4, x: 0.25, male: -0.4, interaction: 0 };
const VARYING = 'y ~ x + sex + (1 | g)';

const CASES: readonly Case[] = [
  {
    family: 'normal',
    formula: 'y ~ x*sex + (1 + x | g)',
    fixed: { intercept: 50, x: 2, male: -3, interaction: 1 },
    spread: { intercept: 3, slope: 1, correlation: 0.3 },
    simulate: (eta, rng) => (eta + 3 * rng.normal()).toFixed(4),
    expected: (eta) => [eta],
    others: () => ({ sigma: 3 }),
  },
  {
    family: 'student',
    formula: VARYING,
    fixed: { intercept: 50, x: 2, male: -3, interaction: 0 },
    spread: { intercept: 3, slope: 0, correlation: 0 },
    simulate: (eta, rng, { nu }) => (eta + 3 * studentT(nu, rng)).toFixed(4),
    expected: (eta) => [eta],
    // The data determine nu only roughly, so it is drawn from its prior.
    others: (rng) => ({ sigma: 3, nu: degreesOfFreedom(rng) }),
  },
  {
    family: 'bernoulli',
    formula: VARYING,
    fixed: LOGIT,
    spread: { intercept: 1, slope: 0, correlation: 0 },
    simulate: (eta, rng) => (rng.uniform() < logistic(eta) ? 1 : 0),
    expected: (eta) => [logistic(eta)],
    others: () => ({}),
  },
  {
    family: 'cumulative',
    formula: VARYING,
    fixed: { ...LOGIT, intercept: 0 },
    spread: { intercept: 1, slope: 0, correlation: 0 },
    simulate: (eta, rng) => {
      const u = rng.uniform();
      return below(eta).findIndex((upper) => u < upper) + 1;
    },
    expected: (eta) => below(eta).map((upper, place, all) => upper - (all[place - 1] ?? 0)),
    others: () => thresholds,
  },
  {
    family: 'poisson',
    formula: VARYING,
    fixed: LOG,
    spread: { intercept: 0.5, slope: 0, correlation: 0 },
    simulate: (eta, rng) => poisson(Math.exp(eta), rng),
    expected: (eta) => [Math.exp(eta)],
    others: () => ({}),
  },
  {
    family: 'negbinomial',
    formula: VARYING,
    fixed: LOG,
    spread: { intercept: 0.5, slope: 0, correlation: 0 },
    simulate: (eta, rng) => poisson((Math.exp(eta) * chiSquared4(rng)) / 4, rng),
    expected: (eta) => [Math.exp(eta)],
    others: () => ({ phi: 2 }),
  },
];

function etaOf({ groups, intercept, interaction, male, x }: Truth, row: Row): number {
  const group = groups[row.group];
  return (
    intercept + x * row.x + male * row.male + interaction * row.x * row.male + group.intercept + group.slope * row.x
  );
}

function truthOf({ fixed, spread }: Case, rng: Rng): Truth {
  const groups = Array.from({ length: GROUPS }, () => {
    const [a, b] = [rng.normal(), rng.normal()];
    const correlated = spread.correlation * a + Math.sqrt(1 - spread.correlation ** 2) * b;
    return { intercept: spread.intercept * a, slope: spread.slope * correlated };
  });
  return { ...fixed, groups };
}

/** The values of the program's quantities. */
function quantitiesOf(
  { expected, family, fixed, spread }: Case,
  truth: Truth,
  others: Readonly<Record<string, number>>,
  rows: readonly Row[],
) {
  const isOrdinal = family === 'cumulative';
  const hasSlopes = spread.slope > 0;
  const average = (changed: (row: Row) => Row) => {
    const each = rows.map((row) => expected(etaOf(truth, changed(row))));
    return each[0].map((_, category) => each.reduce((sum, values) => sum + values[category], 0) / rows.length);
  };
  const effects = (['x', 'sex_m'] as const).flatMap((name) => {
    const isNumber = name === 'x';
    const [low, high] = [0, 1].map((step) =>
      average((row) => (isNumber ? { ...row, x: row.x + step } : { ...row, male: step })),
    );
    return low.map((value, category) => {
      const element = isOrdinal ? `[${category + 1}]` : '';
      return [`effect_${name}${element}`, high[category] - value] as const;
    });
  });
  const hasEffects = hasSlopes || (family !== 'normal' && family !== 'student');
  const [first] = truth.groups;
  return new Map<string, number>([
    ...(isOrdinal ? [] : ([['intercept', fixed.intercept]] as const)),
    ['b_x', fixed.x],
    ['b_sex_m', fixed.male],
    ...(hasSlopes
      ? ([
          ['b_x_sex_m', fixed.interaction],
          ['sd_g[1]', spread.intercept],
          ['sd_g[2]', spread.slope],
          ['cor_g', spread.correlation],
          ['r_g[1,1]', first.intercept],
          ['r_g[1,2]', first.slope],
        ] as const)
      : ([
          ['sd_g', spread.intercept],
          ['r_g[1]', first.intercept],
        ] as const)),
    ...Object.entries(others),
    ...(hasEffects ? effects : []),
  ]);
}

/** The probability of a binomial number of successes as far from its mean, or farther, on the same side. */
function tail(successes: number, trials: number, probability: number): number {
  const density = Array.from({ length: trials + 1 }, () => 0);
  density[0] = (1 - probability) ** trials;
  for (let k = 1; k <= trials; k++)
    density[k] = (density[k - 1] * (trials - k + 1) * probability) / (k * (1 - probability));
  const isBelow = successes < trials * probability;
  return density.reduce((sum, value, k) => sum + ((isBelow ? k <= successes : k >= successes) ? value : 0), 0);
}

describe('intervals of models from formulas', () => {
  after(() => close());

  for (const [place, each] of CASES.entries())
    it(`contain the effects as often as they should: ${each.family}`, async (t) => {
      const rng = createRng(place + 1, 1);
      const covered = new Map<string, { half: number; most: number }>();
      let divergences = 0;
      for (let set = 1; set <= DATA_SETS; set++) {
        const truth = truthOf(each, rng);
        const others = each.others(rng);
        const rows = Array.from({ length: GROUPS * ROWS_OF_GROUP }, (_, row): Row => {
          return { x: Math.floor(rng.uniform() * 60) / 10, male: row % 2, group: Math.floor(row / ROWS_OF_GROUP) };
        });
        const lines = rows.map((row) => {
          const group = String(row.group + 1).padStart(2, '0');
          return [each.simulate(etaOf(truth, row), rng, others), row.x, row.male === 1 ? 'm' : 'f', `g${group}`].join(
            ',',
          );
        });
        const table = tableOf(['y,x,sex,g', ...lines]);
        const made = modelFromFormula({ formula: each.formula, family: each.family, table });
        assert.ok('program' in made, JSON.stringify(made));
        const model = await compile(made.program);
        const fit = await model.sample({ ...SAMPLER, data: made.data, random_seed: set }).result();
        divergences += fit.column('divergent__').reduce((sum, chain) => chain.reduce((a, b) => a + b, sum), 0);
        for (const [name, value] of quantitiesOf(each, truth, others, rows)) {
          const draws = Float64Array.from(fit.column(name).flatMap((chain) => [...chain]));
          const [q05, q25, q75, q95] = quantiles(draws, [0.05, 0.25, 0.75, 0.95]);
          const counts = covered.get(name) ?? { half: 0, most: 0 };
          covered.set(name, {
            half: counts.half + Number(q25 <= value && value <= q75),
            most: counts.most + Number(q05 <= value && value <= q95),
          });
        }
      }
      const table = [...covered].map(([name, { half, most }]) => `${name} ${half} ${most}`);
      t.diagnostic(`${table.join(', ')}; ${divergences} divergences`);
      for (const [name, { half, most }] of covered) {
        assert.ok(tail(half, DATA_SETS, 0.5) > LEVEL, `${name}: ${half} of ${DATA_SETS} intervals with 50 %`);
        assert.ok(tail(most, DATA_SETS, 0.9) > LEVEL, `${name}: ${most} of ${DATA_SETS} intervals with 90 %`);
      }
    });
});
