import assert from 'node:assert/strict';
import { it } from 'node:test';
import { autoregressive } from '../../../test/support/series.js';
import { AscendingOrder } from './ascending.js';
import { Workspace } from './statistics-kernel.js';

/** The indexes of the values in ascending order. */
function ascendingOrder(values: Float64Array): Int32Array {
  const workspace = new Workspace();
  const given = workspace.allocate(8 * values.length);
  const ordering = new AscendingOrder(workspace, values.length);
  workspace.doubles(given, values.length).set(values);
  ordering.sort(given);
  const sorted = workspace.doubles(ordering.sorted, values.length);
  const order = workspace.words(ordering.order, values.length);
  assert.deepEqual(
    [...sorted],
    [...order].map((place) => values[place]),
  );
  return order;
}

it('sorts numbers of every size and sign, stably', () => {
  const values = Float64Array.from([
    ...[3, -1, 0, -0, 3, Number.MIN_VALUE, -Number.MIN_VALUE, 1e308, -1e308, 1e-300],
    ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 4294967296, 2 ** 53 - 1, 2 ** 53, -3],
    ...autoregressive(5, 3000, 0.3),
    ...autoregressive(5, 3000, 0.3),
  ]);
  const expected = (given: Float64Array) =>
    Array.from(given.keys()).sort((a, b) => (given[a] === given[b] ? a - b : given[a] - given[b]));
  const cases = [
    values,
    values.filter((value) => Math.abs(value) < 1e3),
    values.filter((value) => Number.isFinite(value)),
    values.map((value) => Math.round(2 * value)),
    values.map((value, k) => (k % 2 === 0 ? 1e9 : -1e9) + value),
    values.subarray(16).map((value) => value ** 31),
  ];
  for (const given of cases) assert.deepEqual([...ascendingOrder(given)], expected(given));
});

it('sorts empty arrays and equal values', () => {
  assert.deepEqual([...ascendingOrder(new Float64Array())], []);
  assert.deepEqual([...ascendingOrder(new Float64Array(3).fill(-2))], [0, 1, 2]);
});
