import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../inference/random/random-stream.js';
import { densityPlot } from './density.js';
import { intervalsPlot } from './intervals.js';
import type { Plot, Quantity } from './scene.js';

const SIZE = { width: 400, height: 200 };

function normals(seed: number, shift: number): Float64Array {
  const rng = createRng(seed, 1);
  return Float64Array.from({ length: 400 }, () => shift + rng.normal());
}

const chains = [1, 2].map((seed) => normals(seed, 0));
const reference = { name: 'Run 1', draws: normals(3, 20) };
const quantity: Quantity = { name: 'mu', chains };
const compared: Quantity = { ...quantity, reference };

function dashed({ marks }: Plot) {
  return marks.filter((mark) => 'dash' in mark && mark.dash === '6 3');
}

describe('another fit in plots of a quantity', () => {
  it('is a dashed density with its name and its numbers', () => {
    assert.equal(dashed(densityPlot(quantity, SIZE)).length, 0);
    const plot = densityPlot(compared, SIZE);
    assert.equal(dashed(plot).length, 1);
    assert.equal(plot.legend?.at(-1)?.text, 'Run 1');
    const rows = plot.table().rows.filter(([of]) => of === 'Run 1');
    const places = rows.map(([, value]) => Number(value));
    assert.ok(Math.min(...places) > 12 && Math.max(...places) > 20, 'the axis includes its values');
  });

  it('is a dashed line of frequencies for integers', () => {
    const rounded = (values: Float64Array) => values.map(Math.round);
    const plot = densityPlot(
      { name: 'k', chains: chains.map(rounded), reference: { name: 'Run 1', draws: rounded(reference.draws) } },
      SIZE,
    );
    assert.equal(dashed(plot).length, 1);
    const shares = plot.table().rows.filter(([of]) => of === 'Run 1');
    assert.ok(Math.abs(shares.reduce((sum, [, , share]) => sum + Number(share), 0) - 1) < 1e-12);
  });

  it('is an interval below that of the fit, on the same axis', () => {
    const [own, other] = [quantity, compared].map((each) => intervalsPlot([each, each], SIZE));
    assert.ok(own !== undefined && other !== undefined);
    assert.equal(dashed(own).length, 0);
    const [line] = dashed(other);
    assert.ok(line?.kind === 'segments' && line.ends.length === 8);
    assert.ok(Math.max(...Array.from(line.ends)) < SIZE.width);
  });
});
