import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { effectsHeight, effectsPlot } from './effects.js';
import { type Fitted, fittedHeight, fittedLevelsPlot, fittedPlot } from './fitted.js';
import type { Mark, Plot } from './scene.js';

const unused = { rhat: Number.NaN, essBulk: Number.NaN, essTail: Number.NaN };
const EFFECTS = [
  { name: 'hours: one more', mean: 3, q05: 2.437, q25: 2.7, q50: 2.928, q75: 3.1, q95: 3.403, above: 1, ...unused },
  {
    name: 'sex: m instead of f',
    mean: -1,
    q05: -2.5,
    q25: -1.5,
    q50: -1,
    q75: -0.5,
    q95: 0.5,
    above: 0.123,
    ...unused,
  },
];
const FITTED: Fitted = {
  title: 'score against hours',
  xLabel: 'hours',
  yLabel: 'score',
  expected: 'expected score',
  isBinary: false,
  grid: [0, 2, 4],
  groups: 1,
  panels: [
    {
      label: '',
      x: [0, 1, 4],
      y: [10, 12, 20],
      at: [
        [8, 9, 10, 11, 12],
        [12, 13, 14, 15, 16],
        [16, 17, 18, 19, 20],
      ],
    },
  ],
};

const textsOf = ({ marks }: Plot) => marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));
const isKind =
  <Kind extends Mark['kind']>(kind: Kind) =>
  (mark: Mark): mark is Extract<Mark, { kind: Kind }> =>
    mark.kind === kind;

describe('the plot of effects', () => {
  it('shows median, interval and the probability of a positive effect at any width', () => {
    for (const width of [320, 900]) {
      const plot = effectsPlot('Effects', EFFECTS, { width, height: effectsHeight(EFFECTS, width) });
      const texts = textsOf(plot).join(' ');
      for (const part of ['hours: one more', '2.93', '2.44 to 3.40', '> 99 %', '−1.0', '−2.5 to 0.5', '12 %'])
        assert.ok(texts.includes(part), `${part} in ${texts}`);
      for (const mark of plot.marks.filter(isKind('text'))) assert.ok(mark.y > 0 && mark.y < plot.height, mark.text);
    }
    assert.deepEqual(effectsPlot('Effects', EFFECTS, { width: 900, height: 100 }).table().rows[1].at(-1), 0.123);
  });

  it('has an axis with zero', () => {
    const plot = effectsPlot('Effects', EFFECTS.slice(0, 1), { width: 900, height: 90 });
    assert.ok(textsOf(plot).includes('0'), textsOf(plot).join(' '));
  });
});

describe('the plot of fitted values', () => {
  it('draws observations, bands and the line', () => {
    const plot = fittedPlot(FITTED, { width: 600, height: fittedHeight(FITTED, 600) });
    assert.equal(plot.marks.filter(isKind('area')).length, 2);
    assert.equal(plot.marks.find(isKind('dots'))?.points.length, 6);
    const [line] = plot.marks.filter(isKind('line'));
    assert.equal(line.points.length, 6);
    const spot = plot.spotAt?.(line.points[2], line.points[3]);
    assert.equal(spot?.text, 'hours 2: 14 (12 to 16)');
    assert.deepEqual(plot.table().rows[1], [2, 12, 13, 14, 15, 16]);
  });

  it('has a panel for each group, all within the plot', () => {
    const panels = ['Aue', 'Bern', 'Chur', 'Davos', 'Elm'].map((label) => ({ ...FITTED.panels[0], label }));
    const fitted: Fitted = { ...FITTED, panels, groups: 9, overall: [10, 14, 18] };
    for (const width of [320, 700]) {
      const plot = fittedPlot(fitted, { width, height: fittedHeight(fitted, width) });
      assert.equal(plot.marks.filter(isKind('area')).length, 10);
      for (const { label } of panels) assert.ok(textsOf(plot).includes(label));
      assert.match(plot.description, /4 other groups are not shown/);
      for (const { points } of plot.marks.filter(isKind('line')))
        for (const [k, value] of Array.from(points).entries())
          assert.ok(value >= 0 && value <= (k % 2 === 0 ? width : plot.height), `${value}`);
    }
  });

  it('shows categories beside their observations', () => {
    const levels = ['f', 'm'].map((label, k) => ({ label, y: [10 + k, 12], at: [8, 9, 10 + k, 11, 12] }));
    const plot = fittedLevelsPlot(FITTED, levels, { width: 400, height: 300 });
    assert.ok(textsOf(plot).includes('f') && textsOf(plot).includes('m'));
    assert.equal(plot.spotAt?.(380, 100)?.text, 'm: 11 (8 to 12)');
  });
});
