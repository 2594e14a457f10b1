import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../inference/random/random-stream.js';
import { rankDifferences, rankHistogram } from './calibration.js';

const SIZE = { width: 360, height: 190 };
const rng = createRng(3, 1);
const uniform = Array.from({ length: 200 }, () => Math.floor(101 * rng.uniform()));
const crowded = uniform.map((rank) => Math.round(25 + rank / 2));

describe('the histogram of ranks', () => {
  it('counts each rank once, in bins of nearly equal size', () => {
    const { rows } = rankHistogram({ name: 'mu', ranks: uniform, greatestRank: 100 }, SIZE).table();
    assert.equal(rows.length, 20);
    assert.equal(rows[0][0], 0);
    assert.equal(rows.at(-1)?.[1], 100);
    for (const [index, [first, last, count]] of rows.entries()) {
      const expected = uniform.filter((rank) => rank >= Number(first) && rank <= Number(last)).length;
      assert.equal(count, expected);
      if (index > 0) assert.equal(first, Number(rows[index - 1][1]) + 1);
    }
  });

  it('has a band of binomial counts that uniform ranks stay within', () => {
    const plot = rankHistogram({ name: 'mu', ranks: uniform, greatestRank: 99 }, SIZE);
    assert.match(plot.description, /All counts are within the band/);
    const [[, , , low, high]] = plot.table().rows;
    // R: qbinom(0.05 / 40, 200, 0.05) is 2, and qbinom(1 - 0.05 / 40, 200, 0.05) is 20.
    assert.deepEqual([low, high], [2, 20]);
    const other = rankHistogram({ name: 'mu', ranks: crowded, greatestRank: 100 }, SIZE);
    assert.match(other.description, /\d+ of 20 counts are not within the band/);
  });

  it('has an axis of ranks', () => {
    const { marks } = rankHistogram({ name: 'mu', ranks: uniform, greatestRank: 100 }, SIZE);
    const texts = marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));
    for (const text of ['0', '50', '100']) assert.ok(texts.includes(text), `${text} in ${texts}`);
  });

  it('has fewer bins for few ranks', () => {
    assert.equal(
      rankHistogram({ name: 'mu', ranks: uniform.slice(0, 20), greatestRank: 100 }, SIZE).table().rows.length,
      4,
    );
  });
});

describe('the difference of ranks from a uniform distribution', () => {
  it('reports whether the line leaves the band', () => {
    const places = [0.25, 0.5, 0.75];
    const band = [0.1, 0.12, 0.1];
    const inside = rankDifferences({ name: 'mu', places, band, differences: [0.02, -0.1, 0.05] }, SIZE);
    assert.match(inside.description, /the line stays within the band/);
    assert.deepEqual(inside.table().rows.at(-1), [1, 0, 0]);
    const outside = rankDifferences({ name: 'mu', places, band, differences: [0.02, -0.13, 0.05] }, SIZE);
    assert.match(outside.description, /the line leaves the band/);
  });
});
