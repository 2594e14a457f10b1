import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FUNCTIONS } from '../../src/functions/table.js';
import { modelsOf } from '../conformance/engine.js';

/*
 * Distributions of an outcome that has a unit, such as meters: in a unit that differs by a power of two, probabilities are the same, log
 * densities differ by a constant, and derivatives scale. Units near the limits of doubles show whether an intermediate result overflows or
 * underflows.
 */

/** For each parameter, the power of its unit, and values. */
type Parameter = readonly [power: number, values: readonly number[]];

const LOCATION: Parameter = [1, [-0.6, 0, 1.3]];
const SCALE: Parameter = [1, [0.7, 2.5]];
const INVERSE_SCALE: Parameter = [-1, [0.4, 1.5]];
const SHAPE: Parameter = [0, [0.3, 1, 4.5]];
const ANYWHERE = [-9, -1.4, -0.1, 0.3, 1.7, 12];
const POSITIVE = [0.02, 0.3, 1.7, 12];

interface Family {
  readonly outcomes: readonly number[];
  readonly parameters: readonly Parameter[];
}

const FAMILIES: Readonly<Record<string, Family>> = {
  normal: { outcomes: ANYWHERE, parameters: [LOCATION, SCALE] },
  cauchy: { outcomes: ANYWHERE, parameters: [LOCATION, SCALE] },
  double_exponential: { outcomes: ANYWHERE, parameters: [LOCATION, SCALE] },
  logistic: { outcomes: ANYWHERE, parameters: [LOCATION, SCALE] },
  gumbel: { outcomes: ANYWHERE, parameters: [LOCATION, SCALE] },
  exp_mod_normal: { outcomes: ANYWHERE, parameters: [LOCATION, SCALE, INVERSE_SCALE] },
  skew_normal: { outcomes: ANYWHERE, parameters: [LOCATION, SCALE, [0, [-2, 0.5]]] },
  skew_double_exponential: { outcomes: ANYWHERE, parameters: [LOCATION, SCALE, [0, [0.2, 0.7]]] },
  student_t: { outcomes: ANYWHERE, parameters: [SHAPE, LOCATION, SCALE] },
  uniform: {
    outcomes: [-0.4, 0.3, 1.7],
    parameters: [
      [1, [-0.7, -0.5]],
      [1, [1.9, 2.5]],
    ],
  },
  exponential: { outcomes: POSITIVE, parameters: [INVERSE_SCALE] },
  gamma: { outcomes: POSITIVE, parameters: [SHAPE, INVERSE_SCALE] },
  inv_gamma: { outcomes: POSITIVE, parameters: [SHAPE, SCALE] },
  scaled_inv_chi_square: { outcomes: POSITIVE, parameters: [SHAPE, [0.5, [0.7, 2.5]]] },
  weibull: { outcomes: POSITIVE, parameters: [SHAPE, SCALE] },
  frechet: { outcomes: POSITIVE, parameters: [SHAPE, SCALE] },
  rayleigh: { outcomes: POSITIVE, parameters: [SCALE] },
  loglogistic: { outcomes: POSITIVE, parameters: [SCALE, SHAPE] },
  pareto: { outcomes: [2.6, 12], parameters: [SCALE, SHAPE] },
  pareto_type_2: { outcomes: [1.7, 12], parameters: [LOCATION, SCALE, SHAPE] },
};

/** Distributions whose outcome has no unit. */
const WITHOUT_UNIT = new Set([
  'beta',
  'beta_proportion',
  'chi_square',
  'inv_chi_square',
  'lognormal',
  'std_normal',
  'von_mises',
  'wiener',
]);

const FORMS = ['lpdf', 'cdf', 'lcdf', 'lccdf'];
const EXPONENTS = [-1000, -600, 600, 1000];
const TOLERANCE = 1e-11;
const LEAST_NORMAL = 2 ** -1022;
const FORM = { propto: false, jacobian: false };

function combinations(parameters: readonly Parameter[]): readonly (readonly number[])[] {
  return parameters.reduce<readonly (readonly number[])[]>(
    (all, [, values]) => all.flatMap((before) => values.map((value) => [...before, value])),
    [[]],
  );
}

/** Value and derivatives of a function at many positions. */
function evaluator(name: string, count: number): (at: readonly number[]) => readonly number[] {
  const others = Array.from({ length: count - 1 }, (_, k) => `x[${k + 2}]`).join(', ');
  const model = modelsOf(`parameters { vector[${count}] x; } model { target += ${name}(x[1] | ${others}); }`)({});
  const gradient = new Float64Array(count);
  return (at) => [model.logDensityGradient(Float64Array.from(at), gradient, FORM), ...gradient];
}

function isClose(found: number, expected: number, scale: number): boolean {
  return found === expected || Math.abs(found - expected) <= TOLERANCE * scale;
}

/** The differences in another unit. */
function differences(name: string, form: string, { outcomes, parameters }: Family): readonly string[] {
  const powers = [1, ...parameters.map(([power]) => power)];
  const evaluate = evaluator(`${name}_${form}`, powers.length);
  const found: string[] = [];
  for (const at of outcomes.flatMap((y) => combinations(parameters).map((others) => [y, ...others]))) {
    const [value, ...slopes] = evaluate(at);
    if (!Number.isFinite(value) || !slopes.every(Number.isFinite)) continue;
    for (const exponent of EXPONENTS) {
      const unit = (power: number): number => 2 ** (exponent * power);
      const moved = at.map((x, k) => x * unit(powers[k]));
      const [other, ...others] = evaluate(moved);
      const shift = form === 'lpdf' ? exponent * Math.LN2 : 0;
      const problems = others.flatMap((slope, k) => {
        const expected = slopes[k] * unit(-powers[k]);
        const largest = form === 'lpdf' ? Math.max(1, Math.abs(slopes[k])) * unit(-powers[k]) : Math.abs(expected);
        const lost = LEAST_NORMAL / TOLERANCE;
        return isClose(slope, expected, largest + lost + lost * unit(-powers[k]))
          ? []
          : [`derivative ${k + 1} ${slope}, not ${expected}`];
      });
      const size = form === 'lpdf' ? Math.max(1, Math.abs(shift), Math.abs(value)) : Math.abs(value);
      if (!isClose(other + shift, value, size)) problems.unshift(`value ${other + shift}, not ${value}`);
      if (problems.length > 0)
        found.push(`${name}_${form} at ${at.join(', ')} in units of 2^${exponent}: ${problems.join('; ')}`);
    }
  }
  return found;
}

describe('distributions with scales near the limits of doubles', () => {
  for (const [name, family] of Object.entries(FAMILIES)) {
    for (const form of FORMS) {
      if (FUNCTIONS.lookup(`${name}_${form}`).length > 0)
        it(`${name}_${form}`, () => assert.deepEqual(differences(name, form, family), []));
    }
  }

  it('are all distributions of a real outcome with a scale', () => {
    const names = [...FUNCTIONS.names()].flatMap((name) => {
      const base = /^(.*)_cdf$/.exec(name)?.[1];
      const isReal = FUNCTIONS.lookup(`${base}_lpdf`).some(({ parameters }) => parameters[0]?.type.kind === 'real');
      return base !== undefined && isReal ? [base] : [];
    });
    assert.deepEqual(
      names.filter((name) => FAMILIES[name] === undefined && !WITHOUT_UNIT.has(name)),
      [],
    );
  });
});
