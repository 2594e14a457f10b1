import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../inference/random/random-stream.js';
import { densityPlot } from './density.js';
import { intervalsPlot } from './intervals.js';
import { pairPlot } from './pairs.js';
import { ridgelinesPlot } from './ridgelines.js';
import type { Plot, Quantity } from './scene.js';
import { tracePlot } from './trace.js';

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

  it('is its median and its 90 % interval in a trace, within the axis', () => {
    assert.equal(dashed(tracePlot(quantity, SIZE)).length, 0);
    const levels = dashed(tracePlot(compared, SIZE)).flatMap((mark) =>
      mark.kind === 'segments' ? [mark.ends[1]] : [],
    );
    assert.equal(levels.length, 3);
    assert.ok(levels.every((level) => level > 0 && level < SIZE.height));
    assert.ok(levels[0] > levels[1] && levels[1] > levels[2]);
  });

  it('is a dashed outline among ridgelines', () => {
    assert.equal(dashed(ridgelinesPlot([quantity], SIZE)).length, 0);
    const plot = ridgelinesPlot([quantity, compared], SIZE);
    assert.equal(dashed(plot).length, 1);
    assert.deepEqual(
      plot.legend?.map(({ text }) => text),
      ['Run 1'],
    );
    assert.ok(plot.table().rows.some(([name, value]) => name === 'mu, Run 1' && Number(value) > 18));
  });

  it('is dots below those of the fit in a plot of pairs', () => {
    const muted = ({ marks }: Plot) =>
      marks.flatMap((mark) => (mark.kind === 'dots' && mark.ink === 'muted' ? [mark.points.length / 2] : []));
    assert.deepEqual(muted(pairPlot(quantity, quantity, SIZE)), []);
    const draws = normals(4, 5);
    draws[7] = Number.NaN;
    const other: Quantity = { ...quantity, name: 'tau', reference: { name: 'Run 1', draws } };
    assert.deepEqual(muted(pairPlot(compared, other, SIZE)), [399]);
    const many = { ...quantity, reference: { name: 'Run 1', draws: new Float64Array(4000) } };
    assert.deepEqual(muted(pairPlot(many, many, SIZE)), [1000]);
  });
});
