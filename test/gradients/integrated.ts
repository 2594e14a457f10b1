/** Comparison of the density of a program with that of the same program after parameters have been integrated out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CompileOptions } from '../../src/compile.js';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';

export interface Program {
  readonly program: string;
  readonly data?: string;
}

/** A program with the names of the parameters that must be integrated out. */
export interface Case extends Program {
  readonly integrated: readonly string[];
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

/** Tests of densities and gradients after parameters have been integrated out. */
export function checkCases(cases: Readonly<Record<string, Case>>): void {
  for (const [title, example] of Object.entries(cases)) {
    describe(title, () => {
      const written = modelOf(example, {});
      const marginal = modelOf(example, { integrates: true });
      const { integration } = marginal;
      assert.ok(integration !== undefined);
      const names = marginal.unconstrainedNames();
      const random = fractions();
      random.next();
      const positions = [0, 1, 2].map(() =>
        Float64Array.from({ length: marginal.dimension }, () => 2 * random.next().value - 1),
      );

      it('are found', () => {
        assert.deepEqual(integration.integrated, example.integrated);
        assert.ok(names.every((name) => !example.integrated.includes(name.split('.')[0])));
        assert.deepEqual(marginal.constrainedNames(PARTS), written.constrainedNames(PARTS));
      });

      it('have draws at which marginal and conditional density yield the joint density', () => {
        checkJointDensity(written, marginal, positions);
      });

      it('leave exact gradients of the other parameters', () => {
        const gradient = new Float64Array(marginal.dimension);
        for (const position of positions) {
          marginal.logDensityGradient(position, gradient, FORM);
          for (const k of position.keys()) {
            const at = (h: number): number => {
              const moved = position.slice();
              moved[k] += h;
              return marginal.logDensity(moved, FORM);
            };
            const [far, next, back, behind] = [2e-3, 1e-3, -1e-3, -2e-3].map(at);
            near(gradient[k], (8 * (next - back) - (far - behind)) / 12e-3, 1e-6);
          }
        }
      });
    });
  }
}

/** A random number generator for choices. */
export class Choices {
  readonly #fractions: Generator<number, never>;

  constructor(seed: number) {
    this.#fractions = fractions(seed);
    for (let k = 0; k < 3; k++) this.fraction();
  }

  fraction(): number {
    return this.#fractions.next().value;
  }

  below(n: number): number {
    return Math.floor(n * this.fraction());
  }

  of(...texts: readonly string[]): string {
    return texts[this.below(texts.length)];
  }
}
