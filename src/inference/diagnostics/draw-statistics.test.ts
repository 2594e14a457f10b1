import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainStatistics } from '../../../test/support/plain-statistics.js';
import { autoregressive } from '../../../test/support/series.js';
import type { Chains } from './chains.js';
import { judge, summarize } from './summary.js';

function series(
  chains: number,
  length: number,
  correlation: number,
  change: (value: number, k: number) => number,
): Chains {
  return Array.from({ length: chains }, (_, chain) =>
    autoregressive(31 * length + chain, length, correlation).map(change),
  );
}

/**
 * Types of draws: independent, slowly mixing, alternating, tied, heavy-tailed, skewed, tiny, huge, with a large common offset, discrete.
 */
const CASES: readonly (readonly [string, number, (value: number, k: number) => number])[] = [
  ['plain', 0, (value) => value],
  ['slow', 0.97, (value) => value],
  ['alternating', -0.7, (value) => value],
  ['tied', 0.5, (value) => Math.round(4 * value) / 4],
  ['heavy-tailed', 0.3, (value) => value ** 9],
  ['skewed', 0.3, (value) => Math.exp(4 * value)],
  ['tiny', 0.3, (value) => 1e-300 * value],
  ['huge', 0.3, (value) => 1e150 * value],
  ['near a number', 0.3, (value) => 1e6 + 1e-8 * value],
  ['discrete', 0.8, (value) => (value > 0 ? 1 : 0)],
  ['rarely different', 0.2, (value) => (value > 1.5 ? 3 : 2)],
  ['constant', 0, () => 2],
  ['constant except for one draw', 0, (_value, k) => (k === 3 ? 1 : 2)],
  ['with an infinity', 0, (value, k) => (k === 1 ? Number.POSITIVE_INFINITY : value)],
  ['with NaN', 0, (value, k) => (k === 2 ? Number.NaN : value)],
  ['of both zeros', 0, (value, k) => (k % 2 === 0 ? -0 : 0 * value)],
  ['with a trend', 0, (value, k) => value + k / 10],
];

describe('statistics of draws', () => {
  for (const [name, correlation, change] of CASES) {
    it(`agree with their definitions for draws that are ${name}`, () => {
      for (const chains of [1, 2, 4]) {
        for (const length of [1, 2, 3, 5, 6, 7, 13, 100, 501]) {
          // The second iteration uses memory that contains earlier values.
          for (const shift of [0, 1]) {
            const draws = series(chains, length, correlation, (value, k) => change(value, k + shift));
            const found = summarize(draws);
            for (const [field, value] of Object.entries(plainStatistics(draws))) {
              const actual = Object.entries(found).find(([key]) => key === field)?.[1];
              const isSame =
                Object.is(actual, value) ||
                (typeof actual === 'number' && Math.abs(actual - value) <= 1e-12 * Math.abs(value));
              assert.ok(isSame || actual === value, `${field} of ${chains} × ${length}: ${actual} is not ${value}`);
            }
          }
        }
      }
    });
  }
});

it('judges draws whose distances from the median overflow', () => {
  const ofSize = (scale: number) => judge(series(2, 51, 0.3, (value) => (value > 0 ? scale : -scale)));
  assert.deepEqual(ofSize(1e308), ofSize(1));
});
