import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FUNCTIONS } from '../../src/functions/table.js';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { CONTINUOUS } from '../random/rows.js';

/** Compares the functions of a continuous distribution with each other, at draws from it. */

const DRAWS = 12;
const FULL = { propto: false, jacobian: true };
const ALL = { transformedParameters: true, generatedQuantities: true };
const FORMS = ['lpdf', 'cdf', 'lcdf', 'lccdf'] as const;

type Form = (typeof FORMS)[number];

interface Distribution {
  readonly family: string;
  readonly parameters: readonly number[];
}

function draws({ draw }: { readonly draw: string }): Float64Array {
  const model = buildModel(
    compileProgram(`generated quantities { vector[${DRAWS}] r; for (n in 1:${DRAWS}) r[n] = ${draw}; }`),
    '{}',
  );
  const out = new Float64Array(model.constrainedNames(ALL).length);
  model.seedRandom(11, 1);
  model.writeArray(new Float64Array(0), out, ALL);
  return out;
}

/** The function as a model of its arguments; the variable comes first. */
function modelOf({ family, parameters }: Distribution, form: Form): Model {
  const args = parameters.map((_, k) => `x[${k + 2}]`).join(', ');
  const program = `
    parameters { vector[${parameters.length + 1}] x; }
    model { target += ${family}_${form}(x[1] | ${args}); }`;
  return buildModel(compileProgram(program), '{}');
}

function near(found: number, expected: number, tolerance: number, text: string): void {
  const scale = Math.max(Math.abs(expected), 1e-12);
  assert.ok(Math.abs(found - expected) <= tolerance * scale, `${text}: found ${found}, expected ${expected}`);
}

/** Derivatives by central differences of order four. */
function difference(model: Model, x: Float64Array, k: number): number {
  const h = 1e-4 * Math.max(1e-2, Math.abs(x[k]));
  const at = (step: number): number =>
    model.logDensity(
      x.map((value, i) => (i === k ? value + step * h : value)),
      FULL,
    );
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
}

describe('the distribution functions of continuous distributions', () => {
  for (const row of CONTINUOUS) {
    const [, family, list] = /^(\w+)_rng\((.*)\)$/.exec(row.draw) ?? [];
    if (!('uniform' in row && row.uniform.includes(`cdf(r | ${list})`))) continue;
    const distribution = { family, parameters: list === '' ? [] : list.split(',').map(Number) };
    const forms = FORMS.filter((form) => FUNCTIONS.entry(`${family}_${form}`) !== undefined);
    it(`${row.draw}: derivatives with respect to the variable are the density's, those with respect to parameters agree with differences`, () => {
      const points = draws(row);
      const models = new Map(forms.map((form) => [form, modelOf(distribution, form)]));
      const logOf = (form: Form, x: Float64Array): number => models.get(form)?.logDensity(x, FULL) ?? Number.NaN;
      for (const y of points) {
        const x = Float64Array.of(y, ...distribution.parameters);
        const density = logOf('lpdf', x);
        for (const form of forms) {
          const model = models.get(form);
          if (model === undefined || form === 'lpdf') continue;
          const gradient = new Float64Array(x.length);
          const value = model.logDensityGradient(x, gradient, FULL);
          const text = `${form} at ${x.join(', ')}`;
          const slope = { cdf: Math.exp(density), lcdf: Math.exp(density - value), lccdf: -Math.exp(density - value) };
          near(gradient[0], slope[form], 1e-5, text);
          for (let k = 1; k < x.length; k++) {
            // the cut of the circle moves when the mean passes 0
            if (family === 'von_mises' && x[k] === 0) continue;
            const expected = difference(model, x, k);
            const size = Math.max(Math.abs(expected), 1e-3 * Math.abs(value), 1e-6);
            assert.ok(Math.abs(gradient[k] - expected) <= 1e-4 * size, `${text}: ${k}: ${gradient[k]}, ${expected}`);
          }
        }
        if (models.has('lcdf') && models.has('lccdf')) {
          near(Math.exp(logOf('lcdf', x)) + Math.exp(logOf('lccdf', x)), 1, 1e-9, `both tails at ${x.join(', ')}`);
        }
        if (models.has('cdf') && models.has('lcdf')) {
          near(Math.log(logOf('cdf', x)), logOf('lcdf', x), 1e-9, `cdf and lcdf at ${x.join(', ')}`);
        }
      }
    });
  }
});
