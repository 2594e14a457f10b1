import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { predictionsIn } from './predictions.js';

describe('predictions', () => {
  it('pair a data variable with its simulation, in the order of the columns', () => {
    const columns = ['mu', 'y_rep.1.1', 'y_rep.2.1', 'y_rep.1.2', 'y_rep.2.2'];
    const found = predictionsIn('{"N": 2, "y": [[1, 2], [3, 4.5]]}', columns);
    assert.deepEqual(found, [{ name: 'y', observed: Float64Array.of(1, 3, 2, 4.5), columns: columns.slice(1) }]);
  });

  it('leave out what differs in shape, has no data, or is one number', () => {
    assert.deepEqual(predictionsIn('{"y": [1]}', ['y_rep.1', 'y_rep.2']), []);
    assert.deepEqual(predictionsIn('{"x": [1, 2]}', ['y_rep.1', 'y_rep.2']), []);
    assert.deepEqual(predictionsIn('{"y": 1}', ['y_rep']), []);
    assert.deepEqual(predictionsIn('{"y": [1,', ['y_rep.1', 'y_rep.2']), []);
  });
});
