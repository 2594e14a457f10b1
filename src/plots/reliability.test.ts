import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isBinary, isotonic, reliabilityPlot } from './reliability.js';

const SIZE = { width: 400, height: 260 };
const of = (observed: readonly number[], simulated: readonly (readonly number[])[] = [observed]) => ({
  name: 'y',
  observed: Float64Array.from(observed),
  simulated: simulated.map((set) => Float64Array.from(set)),
});

describe('isotonic regression', () => {
  it('pools adjacent values that decrease', () => {
    assert.deepEqual([...isotonic([1, 3, 2, 4])], [1, 2.5, 2.5, 4]);
    assert.deepEqual([...isotonic([4, 3, 2, 1])], [2.5, 2.5, 2.5, 2.5]);
    assert.deepEqual([...isotonic([0, 1, 0, 0, 1])], [0, 1 / 3, 1 / 3, 1 / 3, 1]);
    assert.deepEqual([...isotonic([])], []);
  });
});

describe('the calibration of a binary outcome', () => {
  it('exists if both values occur, and no others', () => {
    assert.equal(isBinary(of([0, 1, 1])), true);
    assert.equal(isBinary(of([1, 1])), false);
    assert.equal(isBinary(of([0, 1, 2])), false);
  });

  it('has the share of ones in the order of predicted probabilities', () => {
    // The probabilities are 0.75, 0.25, 0.5 and 0.25; the two equal ones share their mean.
    const simulated = [
      [1, 1, 0, 0],
      [1, 0, 1, 0],
      [1, 0, 1, 1],
      [0, 0, 0, 0],
    ];
    const { rows } = reliabilityPlot(of([1, 1, 0, 0], simulated), SIZE).table();
    assert.deepEqual(
      rows.map(([chance, share]) => [chance, share]),
      [
        [0.25, 1 / 3],
        [0.25, 1 / 3],
        [0.5, 1 / 3],
        [0.75, 1],
      ],
    );
  });

  it('counts observations outside of the band of simulations', () => {
    const simulated = Array.from({ length: 40 }, (_, draw) => [0, 0, 0, Number(draw > 0)]);
    const description = (observed: readonly number[]) => reliabilityPlot(of(observed, simulated), SIZE).description;
    assert.match(description([0, 0, 0, 1]), /\b0 of 4 observations/);
    assert.match(description([1, 1, 1, 0]), /\b4 of 4 observations/);
  });
});
