import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENGLISH_NUMERALS } from '../base/numerals.js';
import { cellsOf, FOREST_ROW, forestHeight, forestPlot, forestStrip } from './forest.js';
import { type Estimate, estimateTexts, type ForestRow, forestPanels, forestVariables, worstOf } from './forest-rows.js';

function estimate(name: string, q05: number, q95: number): Estimate {
  const mean = (q05 + q95) / 2;
  return { name, mean, q05, q50: mean, q95, rhat: 1.002, essBulk: 1500, essTail: 1100 };
}

const nameOf = (row: ForestRow) => (row.kind === 'element' ? row.estimate.name : row.variable.name);
const namesOf = (estimates: readonly Estimate[], open: readonly string[] = []) =>
  forestPanels(forestVariables(estimates), ({ name }) => open.includes(name)).map(({ rows }) => rows.map(nameOf));

const THETA = [estimate('theta[1]', 0, 4), estimate('theta[2]', 1, 6)];

describe('the rows of a forest plot', () => {
  it('show scalars before vectors, and vectors folded until they are opened', () => {
    const all = [...THETA, estimate('mu', 0, 5), estimate('tau', 1, 9)];
    assert.deepEqual(namesOf(all), [['mu', 'tau', 'theta']]);
    assert.deepEqual(namesOf(all, ['theta']), [['mu', 'tau', 'theta', 'theta[1]', 'theta[2]']]);
  });

  it('contain the elements of one variable in matrices and in slots of tuples', () => {
    const variables = forestVariables([estimate('S[1,1]', 0, 1), estimate('S[2,1]', 0, 1), estimate('t.1[1]', 0, 1)]);
    assert.deepEqual(
      variables.map(({ name, elements }) => [name, elements.length]),
      [
        ['S', 2],
        ['t.1', 1],
      ],
    );
  });

  it('share an axis only if each interval is longer than a point on it', () => {
    const small = estimate('beta', 0.1, 0.3);
    const large = estimate('alpha', 900, 1100);
    assert.deepEqual(namesOf([small, estimate('sigma', 1, 3), large]), [['beta', 'sigma'], ['alpha']]);
    assert.deepEqual(namesOf([large, small]), [['alpha'], ['beta']]);
  });

  it('put constants on the axis of the others', () => {
    assert.deepEqual(namesOf([estimate('mu', 0, 5), estimate('fixed', 2, 2)]), [['mu', 'fixed']]);
  });

  it('have the precision that their interval justifies', () => {
    assert.deepEqual(estimateTexts({ ...estimate('mu', -1.234, 9.876), mean: 4.3216 }, ENGLISH_NUMERALS), {
      mean: '4.3',
      ends: ['−1.2', '9.9'],
    });
    assert.deepEqual(estimateTexts(estimate('p', -0.001, 0.021), ENGLISH_NUMERALS).ends, ['−0.0010', '0.0210']);
    assert.equal(estimateTexts(estimate('n', 1.5e8, 1.7e8), ENGLISH_NUMERALS).mean, '1.6e8');
    assert.equal(estimateTexts({ ...estimate('z', -1, 1), mean: -0.001 }, ENGLISH_NUMERALS).mean, '0.00');
  });
});

describe('the dot of a row', () => {
  it('is at the mean, which the row prints, unless the mean lies beyond the axis', () => {
    const dotsOf = (mean: number) => {
      const [panel] = forestPanels(forestVariables([{ ...estimate('tau', 0, 10), mean, q50: 3 }]), () => false);
      const { marks } = forestStrip(panel.rows[0], panel.domain, { width: 200, height: 20 });
      return marks.flatMap((mark) => (mark.kind === 'dots' ? Array.from(mark.points) : []));
    };
    const [left, middle, right] = [0, 5, 10].map((mean) => dotsOf(mean)[0]);
    assert.ok(Math.abs(middle - (left + right) / 2) < 1e-9);
    assert.deepEqual(dotsOf(500), []);
  });
});

describe('the numbers of a row', () => {
  const [panel] = forestPanels(forestVariables(THETA), () => false);

  it('are the range of the means and the worst diagnostics, for a variable', () => {
    const worse = [{ ...THETA[0], rhat: 1.2, essTail: 30 }, THETA[1]];
    const [row] = forestPanels(forestVariables(worse), () => false)[0].rows;
    const cells = cellsOf(row, 4, ENGLISH_NUMERALS);
    assert.deepEqual([cells.mean, cells.ends, cells.rhat, cells.ess], ['', ['2.00', '3.50'], '1.200', '30']);
    assert.deepEqual([cells.isRhatBad, cells.isEssBad], [true, true]);
  });

  it('ignore diagnostics that cannot be computed, unless none can be', () => {
    const constant = { ...THETA[0], rhat: Number.NaN, essBulk: Number.NaN, essTail: Number.NaN };
    assert.deepEqual(worstOf([constant, THETA[1]]), { rhat: 1.002, ess: 1100 });
    const [row] = forestPanels(forestVariables([constant]), () => false)[0].rows;
    const { rhat, ess, isEssBad, isRhatBad } = cellsOf(row, 4, ENGLISH_NUMERALS);
    assert.deepEqual([rhat, ess, isEssBad, isRhatBad], ['–', '–', false, false]);
  });

  it('are compared with limits that depend on the number of chains', () => {
    const [row] = panel.rows;
    assert.equal(cellsOf(row, 4, ENGLISH_NUMERALS).isEssBad, false);
    assert.equal(cellsOf(row, 12, ENGLISH_NUMERALS).isEssBad, true);
  });
});

describe('a forest plot', () => {
  it('draws each interval at its position on the axis of its panel', () => {
    const [panel] = forestPanels(forestVariables([estimate('mu', 0, 10)]), () => false);
    const { marks } = forestStrip(panel.rows[0], panel.domain, { width: 108, height: FOREST_ROW });
    const interval = marks.find((mark) => mark.kind === 'segments' && mark.ink === 'chain1');
    const ends = interval?.kind === 'segments' ? Array.from(interval.ends) : [];
    // The axis is 4 % longer than the interval at either end.
    assert.deepEqual(
      ends.map((end) => Math.round(end)),
      [4, 13, 104, 13],
    );
  });

  it('has the height of its rows and axes, and prints their numbers', () => {
    const panels = forestPanels(forestVariables([estimate('mu', 0, 10), estimate('big', 1000, 2000)]), () => false);
    assert.equal(panels.length, 2);
    const height = forestHeight(panels);
    const plot = forestPlot(panels, 4, { width: 900, height });
    const texts = plot.marks.flatMap((mark) => (mark.kind === 'text' ? [mark] : []));
    assert.ok(texts.every(({ y }) => y <= height));
    for (const wanted of ['mu', '5.0', '0.0 to 10.0', 'big', '1500', '1000 to 2000', '1.002', '1100'])
      assert.ok(
        texts.some(({ text }) => text === wanted),
        wanted,
      );
    assert.deepEqual(plot.table().rows[0].slice(0, 3), ['mu', 5, 0]);
  });
});
