import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FUNCTIONS } from '../../src/functions/table.js';
import { evaluate, real } from '../support/evaluated-call.js';

/** Pairs whose names do not show that they are inverses. */
const PAIRS: readonly (readonly [name: string, inverse: string])[] = [
  ['exp', 'log'],
  ['exp2', 'log2'],
  ['expm1', 'log1p'],
  ['std_normal_qf', 'Phi'],
  ['square', 'sqrt'],
];

/** Names of reciprocals that begin like those of inverses. */
const RECIPROCALS: ReadonlySet<string> = new Set(['inv_sqrt', 'inv_square']);
const POINTS = [-2.3, -0.9, -0.4, 0.05, 0.31, 0.62, 0.97, 1.4, 2.8];

function isUnary(name: string): boolean {
  if (name.endsWith('_rng')) return false;
  return FUNCTIONS.lookup(name).some(({ parameters }) => parameters.length === 1 && parameters[0].type.kind === 'real');
}

const names = [...FUNCTIONS.entries()].map(({ name }) => name).filter(isUnary);
const byName = names.flatMap((name) =>
  [`inv_${name}`, `a${name}`]
    .filter((inverse) => names.includes(inverse) && !RECIPROCALS.has(inverse))
    .map((inverse) => [inverse, name] as const),
);

function valueOr(name: string, x: number): number {
  try {
    const { value } = evaluate(name, real(x));
    return typeof value === 'number' ? value : Number.NaN;
  } catch {
    return Number.NaN;
  }
}

describe('a function maps the values of its inverse back', () => {
  for (const [inverse, name] of [...byName, ...PAIRS]) {
    it(`${name}(${inverse}(x))`, () => {
      let compared = 0;
      for (const x of POINTS) {
        const y = valueOr(inverse, x);
        if (!Number.isFinite(y)) continue;
        compared++;
        const back = valueOr(name, y);
        const expected = name === 'sqrt' ? Math.abs(x) : x;
        assert.ok(
          Math.abs(back - expected) <= 1e-12 * Math.max(1, Math.abs(x)),
          `${name}(${inverse}(${x})) is ${back}`,
        );
      }
      assert.ok(compared > 1);
    });
  }

  it('pairs are found by name', () => {
    for (const inverse of ['inv_logit', 'inv_Phi', 'acos', 'atanh', 'inv_erfc']) {
      assert.ok(
        byName.some(([found]) => found === inverse),
        inverse,
      );
    }
  });
});
