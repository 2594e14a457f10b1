import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { predictedCurve } from './predicted-curve.js';

const columnsOf = (count: number, name = 'y_rep') => Array.from({ length: count }, (_, k) => `${name}.${k + 1}`);
const curve = (data: object, columns: readonly string[]) => predictedCurve(JSON.stringify(data), ['mu', ...columns]);

describe('the curve of predictions', () => {
  it('is along the numbers that increase', () => {
    const data = { y: [1, 2, 3, 5], x: [3, 1, 2, 0], year: [1990, 1991, 1993, 1994] };
    assert.deepEqual(curve(data, columnsOf(4)), {
      name: 'y',
      axis: 'year',
      grid: Float64Array.of(1990, 1991, 1993, 1994),
      series: [{ name: 'y', observed: Float64Array.of(1, 2, 3, 5), columns: columnsOf(4) }],
    });
  });

  it('is in the order of the only other numbers', () => {
    const found = curve({ y: [1, 2, 3, 5], x: [3, 1, 2, 0] }, columnsOf(4));
    assert.deepEqual(found?.grid, Float64Array.of(0, 1, 2, 3));
    assert.deepEqual(found?.series[0]?.observed, Float64Array.of(5, 2, 3, 1));
    assert.deepEqual(found?.series[0]?.columns, ['y_rep.4', 'y_rep.2', 'y_rep.3', 'y_rep.1']);
  });

  it('has a series for each column of a matrix', () => {
    const columns = [1, 2].flatMap((k) => [1, 2, 3, 4].map((n) => `y_rep.${n}.${k}`));
    const data = { y: [1, 2, 3, 4].map((n) => [n, 10 * n]), t: [0, 1, 2, 3] };
    const found = curve(data, columns);
    assert.deepEqual(
      found?.series.map(({ name, observed }) => [name, ...observed]),
      [
        ['y[,1]', 1, 2, 3, 4],
        ['y[,2]', 10, 20, 30, 40],
      ],
    );
    assert.deepEqual(found?.series[1]?.columns, columns.slice(4));
  });

  it('does not exist without simulations, without one clear axis, or with repeated values', () => {
    const y = [1, 2, 3, 5];
    assert.equal(curve({ y, x: [0, 1, 2, 3] }, []), undefined);
    assert.equal(curve({ y }, columnsOf(4)), undefined);
    assert.equal(curve({ y, x: [0, 3, 2, 1], z: [1, 5, 2, 4] }, columnsOf(4)), undefined);
    assert.equal(curve({ y, x: [0, 3, 3, 1] }, columnsOf(4)), undefined);
    assert.equal(curve({ y: [1, 2, 3], x: [0, 1, 2] }, columnsOf(3)), undefined);
  });
});
