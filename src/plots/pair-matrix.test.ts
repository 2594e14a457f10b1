import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MOST_IN_MATRIX, pairMatrixPlot } from './pair-matrix.js';
import type { Quantity } from './scene.js';

const SIZE = { width: 600, height: 400 };

function quantity(name: string, ...values: number[]): Quantity {
  return { name, chains: [Float64Array.from(values)], divergent: [values.map((_, k) => Number(k === 0))] };
}

const rising = quantity('rising', 1, 2, 3, 4);
const falling = quantity('falling', 4, 3, 2, 1);
const mixed = quantity('mixed', 1, 3, 2, 4);
const plot = pairMatrixPlot([rising, falling, quantity('constant', 5, 5, 5, 5), mixed], SIZE);

/** The middle of a cell, counted from 0. */
const at = (row: number, column: number) => [48 + ((column + 0.5) * 538) / 3, ((row + 0.5) * 378) / 3] as const;

describe('a matrix of pairs', () => {
  it('has the correlations of the quantities that vary', () => {
    const { columns, rows } = plot.table();
    assert.deepEqual(columns, ['quantity', 'rising', 'falling', 'mixed']);
    const rounded = rows.map((row) =>
      row.map((value) => (typeof value === 'number' ? Number(value.toFixed(6)) : value)),
    );
    assert.deepEqual(rounded, [
      ['rising', 1, -1, 0.8],
      ['falling', -1, 1, -0.8],
      ['mixed', 0.8, -0.8, 1],
    ]);
  });

  it('has the draws of each pair once, with a cross for each divergence', () => {
    const counts = (kind: 'crosses' | 'dots') =>
      plot.marks.flatMap((mark) => (mark.kind === kind ? [mark.points.length / 2] : []));
    assert.deepEqual(counts('dots'), [3, 3, 3]);
    assert.deepEqual(counts('crosses'), [1, 1, 1]);
  });

  it('shows a correlation above the diagonal, and a draw below it', () => {
    assert.equal(plot.spotAt?.(...at(0, 2))?.text, 'Correlation of rising and mixed: 0.80');
    const dots = plot.marks.find(({ kind }) => kind === 'dots');
    assert.ok(dots?.kind === 'dots');
    const spot = plot.spotAt?.(dots.points[0] + 1, dots.points[1] - 1);
    assert.deepEqual(spot?.draw, { chain: 0, index: 1 });
    assert.match(spot.text, /rising 2, falling 3$/);
  });

  it('selects one quantity on the diagonal, two below it, and none above it', () => {
    const names = (row: number, column: number) => {
      const [x, y] = at(row, column);
      return plot.rangesIn?.({ x, y }, { x: x + 5, y: y + 5 }).map(({ name }) => name);
    };
    assert.deepEqual(names(1, 1), ['falling']);
    assert.deepEqual(names(2, 1), ['falling', 'mixed']);
    assert.deepEqual(names(0, 1), []);
  });

  it('is of the first quantities if there are many', () => {
    const many = Array.from({ length: 9 }, (_, k) => quantity(`q${k}`, 1, 2, 5, k));
    assert.equal(pairMatrixPlot(many, SIZE).table().rows.length, MOST_IN_MATRIX);
  });
});
