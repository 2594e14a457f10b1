import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pass } from '../../src/optimize/pass.js';
import { PASSES, type PassName } from '../../src/optimize/passes.js';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { PROGRAMS } from '../gradients/programs.js';

/** Log density and gradient at a point near the origin. */
function evaluated(program: string, without: readonly PassName[]): readonly number[] {
  const model = buildModel(compileProgram(program, { without }), '{}');
  const gradient = new Float64Array(model.dimension);
  const position = Float64Array.from({ length: model.dimension }, (_, i) => 0.1 + 0.05 * i);
  return [model.logDensityGradient(position, gradient, { propto: false, jacobian: true }), ...gradient];
}

const names = Object.keys(PASSES).filter((name): name is PassName => Object.hasOwn(PASSES, name));
const isOptional = (name: PassName): boolean => {
  const { required }: Pass = PASSES[name];
  return required === undefined;
};

describe('programs compute the same values without a pass that is not required', () => {
  for (const name of names.filter(isOptional)) {
    it(name, () => {
      for (const [title, program] of Object.entries(PROGRAMS)) {
        const expected = evaluated(program, []);
        for (const [k, value] of evaluated(program, [name]).entries()) {
          const error = Math.abs(value - expected[k]);
          assert.ok(error <= 1e-10 * Math.max(1, Math.abs(expected[k])), `${title}: ${value}, not ${expected[k]}`);
        }
      }
    });
  }
});
