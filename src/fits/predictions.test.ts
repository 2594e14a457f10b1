import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accompanying, predictionsIn } from './predictions.js';

describe('predictions', () => {
  it('pair a data variable with its simulation, in the order of the columns', () => {
    const columns = ['mu', 'y_rep.1.1', 'y_rep.2.1', 'y_rep.1.2', 'y_rep.2.2'];
    const found = predictionsIn('{"N": 2, "y": [[1, 2], [3, 4.5]]}', columns);
    assert.deepEqual(found, [{ name: 'y', observed: Float64Array.of(1, 3, 2, 4.5), columns: columns.slice(1) }]);
  });

  it('omit variables that differ in shape, have no data, or are a single number', () => {
    assert.deepEqual(predictionsIn('{"y": [1]}', ['y_rep.1', 'y_rep.2']), []);
    assert.deepEqual(predictionsIn('{"x": [1, 2]}', ['y_rep.1', 'y_rep.2']), []);
    assert.deepEqual(predictionsIn('{"y": 1}', ['y_rep']), []);
    assert.deepEqual(predictionsIn('{"y": [1,', ['y_rep.1', 'y_rep.2']), []);
  });
});

describe('data variables related to an outcome', () => {
  const prediction = {
    name: 'y',
    observed: Float64Array.of(1, 2, 3, 4),
    columns: [1, 2, 3, 4].map((k) => `y_rep.${k}`),
  };
  const found = (data: object, of = prediction) => accompanying(JSON.stringify(data), of);

  it('are groups and covariates with one varying number per observation, groups first', () => {
    const data = {
      N: 4,
      y: [1, 2, 3, 4],
      x: [0.5, 1, 1.5, 2],
      g: [1, 2, 1, 2],
      one: [1, 1, 1, 1],
      short: [1, 2],
      age: [1, 2, 3, 4],
    };
    assert.deepEqual(found(data), [
      { name: 'g', values: Float64Array.of(1, 2, 1, 2), areGroups: true },
      { name: 'x', values: Float64Array.of(0.5, 1, 1.5, 2), areGroups: false },
      { name: 'age', values: Float64Array.of(1, 2, 3, 4), areGroups: false },
    ]);
  });

  it('are the columns of a matrix with as many rows, without the intercept', () => {
    const data = {
      X: [
        [1, 2],
        [1, 3.5],
        [1, 4],
        [1, 5],
      ],
    };
    assert.deepEqual(found(data), [{ name: 'X[,2]', values: Float64Array.of(2, 3.5, 4, 5), areGroups: false }]);
  });

  it('do not exist for an outcome that is a matrix', () => {
    assert.deepEqual(
      found({ x: [1, 2, 3, 4] }, { ...prediction, columns: ['y_rep.1.1', 'y_rep.2.1', 'y_rep.1.2', 'y_rep.2.2'] }),
      [],
    );
  });
});
