/** Comparison of the density of a program with that of the same program after parameters have been integrated out. */
import assert from 'node:assert/strict';
import type { CompileOptions } from '../../src/compile.js';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';

export interface Program {
  readonly program: string;
  readonly data?: string;
}

export const FORM = { propto: true, jacobian: true };
export const PARTS = { transformedParameters: false, generatedQuantities: false };

export function modelOf({ program, data = '{}' }: Program, options: CompileOptions): Model {
  return buildModel(compileProgram(program, options), data);
}

/** Numbers between 0 and 1 in an order that the seed determines. */
export function* fractions(seed = 1): Generator<number, never> {
  for (let state = seed; ; state = (state * 48271) % 2147483647) yield state / 2147483647;
}

export function near(found: number, expected: number, tolerance: number): void {
  const allowed = tolerance * Math.max(1, Math.abs(expected));
  assert.ok(Math.abs(found - expected) <= allowed, `${found}, expected ${expected}`);
}

/** At a draw, the marginal log density plus the conditional log density must equal the log density of the program. */
export function checkJointDensity(written: Model, marginal: Model, positions: readonly Float64Array[]): void {
  const { integration } = marginal;
  assert.ok(integration !== undefined);
  const draw = new Float64Array(marginal.constrainedNames(PARTS).length);
  marginal.seedRandom(1, 1);
  for (const position of positions) {
    const density = marginal.logDensity(position, FORM);
    marginal.writeArray(position, draw, PARTS);
    const joint = written.logDensity(written.unconstrainDraw(draw), FORM);
    near(density + integration.excess(), joint, 1e-10);
    near(marginal.unoptimizedLogDensity(position, FORM), density, 1e-10);
  }
}
