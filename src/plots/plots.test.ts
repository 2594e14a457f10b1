import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { numeralsOf } from '../base/numerals.js';
import { createRng } from '../inference/random/random-stream.js';
import { rankDifferences, rankHistogram } from './calibration.js';
import { comparedDensityPlot } from './compared-density.js';
import { type ComparedModel, elpdDifferencesPlot, pointwiseDifferencesPlot } from './comparison.js';
import { densityPlot } from './density.js';
import { distributionPlot } from './distribution.js';
import { ecdfDifferencePlot } from './ecdf.js';
import { energyPlot } from './energy.js';
import { forestAxis, forestHeight, forestPlot, forestStrip } from './forest.js';
import { type Estimate, forestPanels, forestVariables } from './forest-rows.js';
import { intervalsHeight, intervalsPlot } from './intervals.js';
import { looIntervalsPlot } from './loo-intervals.js';
import { looPitPlot } from './loo-pit.js';
import { PLOTS_OF_ONE } from './of-one.js';
import { pairMatrixPlot } from './pair-matrix.js';
import { pairPlot } from './pairs.js';
import { parallelPlot } from './parallel.js';
import { paretoKPlot } from './pareto-k.js';
import {
  dataStatistics,
  type Predicted,
  predictiveDistributionPlot,
  predictiveIntervalsPlot,
  predictiveStatisticPlot,
} from './predictive.js';
import { predictiveByPlot } from './predictive-by.js';
import { predictiveEcdfPlot } from './predictive-ecdf.js';
import { errorsPlot, observedAgainstMeanPlot } from './predictive-means.js';
import { rankCounts, rankPlot } from './ranks.js';
import { reliabilityPlot } from './reliability.js';
import { ridgelinesPlot } from './ridgelines.js';
import { ticksOf } from './scale.js';
import type { Mark, Plot, Quantity, Size } from './scene.js';
import { countSelected, DRAW, selectedDraws } from './selection.js';
import { stepSizePlot } from './step-size.js';
import { PAPER, svgText, titled } from './svg.js';
import { tracePlot } from './trace.js';
import { treeDepthPlot } from './tree-depth.js';
import { twoStatisticsPlot } from './two-statistics.js';
import { warmupPlot } from './warmup.js';

const SIZE: Size = { width: 400, height: 200 };

function normals(seed: number, count: number): Float64Array {
  const rng = createRng(seed, 1);
  return Float64Array.from({ length: count }, () => rng.normal());
}

const quantity: Quantity = {
  name: 'mu',
  chains: [1, 2, 3, 4].map((seed) => normals(seed, 500)),
  divergent: [1, 2, 3, 4].map((chain) =>
    Uint8Array.from({ length: 500 }, (_, k) => (chain === 2 && k % 100 === 0 ? 1 : 0)),
  ),
};
const other: Quantity = { ...quantity, name: 'tau', chains: [5, 6, 7, 8].map((seed) => normals(seed, 500)) };
const predicted: Predicted = {
  name: 'y',
  observed: normals(9, 50),
  simulated: Array.from({ length: 100 }, (_, k) => normals(20 + k, 50)),
};
const counts: Predicted = {
  name: 'n',
  observed: Float64Array.of(0, 0, 1, 2, 5),
  simulated: [Float64Array.of(0, 1, 1, 2, 3), Float64Array.of(0, 0, 2, 2, 4)],
};
const estimates: readonly Estimate[] = [
  estimate('theta[1]', 1, 0.5),
  estimate('theta[2]', Number.NaN, 0.5),
  estimate('sigma', 0.3, 0.1),
  { ...estimate('fixed', 3, 0), rhat: Number.NaN, essBulk: Number.NaN, essTail: Number.NaN },
];
const finite = forestPanels(
  forestVariables(['sigma', 'theta[1]', 'theta[2]'].map((name) => estimate(name, 1, 0.3))),
  () => false,
);
const panels = forestPanels(forestVariables(estimates), () => true);

function estimate(name: string, mean: number, half: number): Estimate {
  const ends = { q05: mean - half, q50: mean, q95: mean + half };
  return { name, mean, ...ends, rhat: 1.001, essBulk: 1200, essTail: 900 };
}

const compared: readonly ComparedModel[] = [0, -3].map((difference, k) => ({
  name: `Run ${k + 1}`,
  elpd: -9 + difference,
  difference,
  standardError: k,
  probabilityWorse: k,
  stacking: 1 - k,
  pseudoBmaPlus: 1 - k,
  greatestK: 0.7,
  observations: [0.1, 0.9, Number.NaN].map((paretoK) => {
    return { elpd: -3 + difference / 3, mcse: 0, effectiveParameters: 1, paretoK };
  }),
}));

const binary = {
  name: 'b',
  observed: Float64Array.of(0, 1, 1),
  simulated: [Float64Array.of(0, 1, 1), Float64Array.of(1, 0, 1)],
};

const constant: Quantity = { name: 'c', chains: [new Float64Array(100), new Float64Array(100)] };

/** Each type of plot, in the language that `size` specifies. */
const plotsIn = (size: Size): readonly Plot[] => [
  ...PLOTS_OF_ONE.flatMap(({ plot }) => [plot(quantity, size), plot(constant, size)]),
  warmupPlot(quantity, size),
  ecdfDifferencePlot({ ...constant, chains: constant.chains.slice(1) }, size),
  intervalsPlot([quantity, other], size),
  stepSizePlot(quantity, other, size),
  pairPlot(quantity, other, size),
  pairMatrixPlot([quantity, other, constant], size),
  energyPlot(quantity, size),
  treeDepthPlot({ name: 'treedepth__', chains: [Float64Array.of(1, 2, 2, 3)] }, size),
  predictiveDistributionPlot(predicted, size),
  predictiveIntervalsPlot(predicted, size),
  predictiveStatisticPlot(predicted, { key: 'least', of: (values) => Math.min(...values) }, size),
  predictiveDistributionPlot(counts, size),
  predictiveEcdfPlot(predicted, size),
  observedAgainstMeanPlot(predicted, size),
  errorsPlot(predicted, size),
  errorsPlot(binary, size),
  twoStatisticsPlot(predicted, [dataStatistics[2], dataStatistics[2]], size),
  reliabilityPlot(binary, size),
  ridgelinesPlot([quantity, other, constant], size),
  parallelPlot([quantity, other], size),
  looPitPlot({ name: 'y', places: Float64Array.of(0, 0.1, 0.5, 1), isRandomized: true }, size),
  looIntervalsPlot(
    { name: 'y', observed: Float64Array.of(2, 9), quantiles: [0, 5].map((k) => [k, k, k + 1, k + 2, k + 3]) },
    size,
  ),
  predictiveByPlot(predicted, { name: 'x', values: normals(3, 50), areGroups: false }, size),
  predictiveByPlot(predicted, { name: 'g', values: normals(3, 50).map(Math.round), areGroups: true }, size),
  paretoKPlot({ names: ['a', 'b', 'c'], paretoK: [0.1, 0.9, Number.NaN], greatest: 0.7 }, size),
  comparedDensityPlot(
    'mu',
    [1, 2].map((seed) => ({ name: `Run ${seed}`, draws: normals(seed, 50) })),
    size,
  ),
  rankHistogram({ name: 'mu', ranks: [1, 5, 5, 9, 2, 3], greatestRank: 9 }, size),
  rankDifferences({ name: 'mu', differences: [0.1, -0.4], places: [0.3, 0.6], band: [0.2, 0.2] }, size),
  forestPlot(finite, 4, { ...size, height: forestHeight(finite) }),
  forestStrip(finite[0].rows[0], finite[0].domain, size),
  forestAxis(finite[0].domain, size),
  elpdDifferencesPlot(compared, size),
  pointwiseDifferencesPlot(compared, ['a', 'b', 'c'], size),
];
const plots = plotsIn(SIZE);

const incomplete: Quantity = {
  name: 'd',
  chains: [Float64Array.of(1, Number.NaN, 2, 3, Number.POSITIVE_INFINITY, 4), new Float64Array(6).fill(Number.NaN)],
};

describe('a quantity with non-finite draws', () => {
  for (const plot of [
    ...PLOTS_OF_ONE.map(({ plot }) => plot(incomplete, SIZE)),
    intervalsPlot([incomplete, constant], SIZE),
    ridgelinesPlot([incomplete, constant], SIZE),
    pairMatrixPlot([incomplete, { ...incomplete, name: 'e' }], SIZE),
    parallelPlot([incomplete, { ...incomplete, name: 'e' }], SIZE),
    forestPlot(panels, 4, { width: 900, height: forestHeight(panels) }),
    pairPlot(
      incomplete,
      { ...constant, chains: incomplete.chains.map((chain) => new Float64Array(chain.length)) },
      SIZE,
    ),
  ])
    it(`has a ${plot.title} without them`, () => {
      const paths = [...svgText(plot, PAPER).matchAll(/ d="([^"]*)"/g)].map(([, path]) => path);
      assert.doesNotMatch(paths.join(), /NaN|Infinity/);
    });
});

describe('intervals of quantities', () => {
  const scaled = (name: string, by: number): Quantity => ({
    name,
    chains: quantity.chains.map((chain) => chain.map((value) => value * by)),
  });
  const quantities = [quantity, scaled('small', 0.3), scaled('large', 1e4)];
  const lengths = (plot: Plot) =>
    plot.marks.flatMap((mark) => {
      if (mark.kind !== 'segments' || mark.width !== 1.5) return [];
      const { ends } = mark;
      return Array.from({ length: ends.length / 4 }, (_, row) => ends[4 * row + 2] - ends[4 * row]);
    });

  it('have separate axes if a common one would show some as points', () => {
    const plot = intervalsPlot(quantities, { width: 400, height: intervalsHeight(quantities) });
    const [mu, small, large] = lengths(plot);
    assert.ok(mu > 100 && large > 100 && small > mu / 5, `${mu}, ${small} and ${large} pixels`);
    const names = plot.marks.flatMap((mark) => (mark.kind === 'text' && mark.anchor === 'end' ? [mark] : []));
    for (const { text, y } of names) assert.match(plot.spotAt?.(200, y)?.text ?? '', new RegExp(`^${text}`));
  });

  it('of chains have one axis', () => {
    const steps = { chains: quantities.map(() => Float64Array.of(0.1)) };
    const acceptance = { chains: quantities.flatMap(({ chains }) => chains.slice(0, 1)) };
    const [mu] = lengths(stepSizePlot(steps, acceptance, SIZE));
    assert.ok(mu < 1, `${mu} pixels`);
  });
});

const textsOf = ({ marks }: Plot) => marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));

describe('plots of one quantity', () => {
  const of = (values: readonly number[], name = 'q'): Quantity => ({ name, chains: [Float64Array.from(values)] });

  it('state that a quantity is constant or has no finite value in place of axes', () => {
    for (const { plot } of PLOTS_OF_ONE) {
      assert.deepEqual(textsOf(plot(of([5, 5, 5, 5, 5, 5, 5, 5]), SIZE)), ['constant: 5']);
      const infinite = plot(of(new Array<number>(8).fill(Number.POSITIVE_INFINITY)), SIZE);
      assert.deepEqual(textsOf(infinite), ['no finite value']);
    }
  });

  it('state the share of draws that are not finite', () => {
    const values = Array.from({ length: 100 }, (_, k) => (k % 4 === 0 ? Number.NaN : Math.sin(k)));
    for (const { plot } of PLOTS_OF_ONE)
      assert.ok(textsOf(plot(of(values), SIZE)).includes('25 % of the draws are NaN or infinite'));
  });

  it('do not join a trace across draws that are not finite', () => {
    const trace = tracePlot(of([1, 2, Number.NaN, 2, 1]), SIZE);
    assert.deepEqual(
      trace.marks.flatMap((mark) => (mark.kind === 'line' ? [mark.points.length] : [])),
      [4, 4],
    );
  });

  it('count the draws of each integer', () => {
    const density = densityPlot(of([0, 1, 1, 2, 2, 2, 2, 3]), SIZE);
    assert.deepEqual(
      density.table().rows.map(([, value, share]) => [value, share]),
      [
        [0, 1 / 8],
        [1, 2 / 8],
        [2, 4 / 8],
        [3, 1 / 8],
      ],
    );
    const wide = densityPlot(of(Array.from({ length: 1000 }, (_, k) => k)), SIZE).table().rows;
    assert.equal(wide.length, 40);
    assert.ok(wide.every(([, , share]) => Math.abs(Number(share) - 1 / 1000) < 1e-12));
  });

  it('leave constant quantities out of parallel coordinates', () => {
    const { table } = parallelPlot([of([1, 2, 3], 'a'), of([7, 7, 7], 'c'), of([3, 1, 2], 'b')], SIZE);
    assert.deepEqual(table().columns.slice(3), ['a', 'b']);
  });

  it('show complete numbers at the ends of the axis', () => {
    for (const [from, to] of [
      [-10, 12],
      [-0.6, 0.6],
      [1e-5, 1.2e-4],
    ]) {
      const { marks, width } = densityPlot(
        of(Array.from({ length: 50 }, (_, k) => from + ((to - from) * k) / 49)),
        SIZE,
      );
      for (const mark of marks) {
        if (mark.kind !== 'text' || mark.anchor !== 'middle') continue;
        const half = (7 * mark.text.length) / 2;
        assert.ok(mark.x - half >= -1 && mark.x + half <= width + 1, `${mark.text} at ${mark.x} of ${width}`);
      }
    }
  });
});

describe('a statistic of counts', () => {
  it('has bins that are centered on integers', () => {
    const simulated = Array.from({ length: 200 }, (_, k) => Float64Array.of(k % 7, 20));
    const plot = predictiveStatisticPlot(
      { name: 'n', observed: Float64Array.of(3, 20), simulated },
      { key: 'least', of: (values) => Math.min(...values) },
      SIZE,
    );
    const boxes = plot.marks.flatMap((mark) => (mark.kind === 'boxes' ? Array.from(mark.boxes) : []));
    assert.equal(boxes.length, 4 * 7);
    assert.ok(boxes.every((value, k) => k % 4 !== 3 || value > 0));
  });
});

function numbersOf(mark: Mark): ArrayLike<number> {
  if (mark.kind === 'text') return [mark.x, mark.y];
  if (mark.kind === 'boxes') return mark.boxes;
  return mark.kind === 'segments' ? mark.ends : mark.points;
}

describe('a plot in another language', () => {
  /** Texts that are the same in all languages: names, and terms in tables of other programs. */
  const NAMES = /\b(?:mu|tau|theta|sigma|fixed|Run|R-hat|ESS|least|LOO-PIT|elpd_diff|se_diff|NaN)\b/g;
  const foreign = plotsIn({
    ...SIZE,
    words: Object.assign(
      (_: unknown, values = {}) => `§${Object.values(values).join(' ')}`,
      numeralsOf(() => ','),
    ),
  });
  for (const [index, plot] of foreign.entries())
    it(`has no English words and numbers: ${plots[index].title}`, () => {
      const spot = plot.spotAt?.(plot.width / 2, plot.height / 2);
      const texts = [
        ...[plot.title, plot.description, spot?.text ?? ''],
        ...(plot.legend ?? []).map(({ text }) => text),
        ...plot.marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : [])),
        ...plot.table().columns,
      ];
      for (const text of texts) assert.doesNotMatch(text.replaceAll(NAMES, ''), /[A-Za-z]{2}|\d\.\d/);
      for (const cell of plot.table().rows.flat()) assert.doesNotMatch(`${cell}`, /\d,\d/);
    });
});

describe('a plot without chains', () => {
  const sampleSize = PLOTS_OF_ONE.find(({ name }) => name === 'sample_size')?.plot(quantity, SIZE);

  for (const plot of [energyPlot(quantity, SIZE), sampleSize, distributionPlot(quantity, SIZE)])
    it(`does not use their colors: ${plot?.title}`, () => {
      const inks = plot?.marks.flatMap((mark) => ('ink' in mark ? [mark.ink] : [])) ?? [];
      assert.ok(inks.includes('accent'));
      assert.deepEqual(
        inks.filter((ink) => ink.startsWith('chain')),
        [],
      );
    });
});

describe('the distribution of a quantity', () => {
  const textsOf = (plot: Plot) => plot.marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));
  const hundredths = (shift: number): Quantity => ({
    name: 'b',
    chains: [Float64Array.from({ length: 101 }, (_, k) => k / 100 - shift)],
  });

  it('shows its median, its 90 % interval and the probability of positive values', () => {
    const texts = textsOf(distributionPlot(hundredths(0.2), SIZE));
    assert.ok(texts.includes('median 0.3, 90 %: −0.15 to 0.75'), texts.join('; '));
    assert.ok(texts.includes('P(> 0) 0.792'));
    assert.ok(textsOf(distributionPlot(hundredths(-1), SIZE)).every((text) => !text.startsWith('P(')));
  });

  it('has the probability of larger values under the pointer', () => {
    const plot = distributionPlot(hundredths(0), SIZE);
    const [left, right] = [4, SIZE.width - 18];
    assert.match(plot.spotAt?.(left - 50, 50)?.text ?? '', /^P\(b > −[\d.]+\) = 1$/);
    assert.match(plot.spotAt?.(right + 50, 50)?.text ?? '', /^P\(b > 1[\d.]+\) = 0$/);
    assert.match(plot.spotAt?.((left + right) / 2, 50)?.text ?? '', /^P\(b > 0\.[45]\d*\) = 0\.(?:49|5)\d*$/);
  });

  it('covers the draws that are finite', () => {
    const [chain] = hundredths(0.2).chains;
    const withNaN: Quantity = { name: 'b', chains: [chain, Float64Array.of(Number.NaN, Number.POSITIVE_INFINITY)] };
    assert.ok(textsOf(distributionPlot(withNaN, SIZE)).includes('P(> 0) 0.792'));
  });

  it('has the curve of another fit beside it', () => {
    const plot = distributionPlot({ ...quantity, reference: { name: 'prior', draws: normals(9, 500) } }, SIZE);
    assert.deepEqual(
      plot.legend?.map(({ text }) => text),
      ['prior'],
    );
    assert.ok(plot.table().rows.some(([fit]) => fit === 'prior'));
  });
});

describe('a plot shown on its own', () => {
  it('has a title above it', () => {
    const text = svgText(titled(energyPlot(quantity, SIZE)), PAPER);
    assert.match(text, /height="228" viewBox="0 -28 400 228"/);
    assert.match(text, /<text x="4" y="-10"[^>]*>Energy<\/text>/);
  });

  it('has a legend between title and plot, in lines as wide as the plot', () => {
    const legend = (width: number) => {
      const plot = titled(rankPlot(quantity, { ...SIZE, width }));
      const texts = plot.marks.flatMap((mark) => (mark.kind === 'text' && /^chain/.test(mark.text) ? [mark] : []));
      return { plot, texts, lines: new Set(texts.map(({ y }) => y)).size };
    };
    const wide = legend(400);
    assert.deepEqual(
      wide.texts.map(({ text }) => text),
      ['chain 1', 'chain 2', 'chain 3', 'chain 4'],
    );
    assert.ok(wide.texts.every(({ x, y }) => x < 400 && y < 0 && y > -(wide.plot.top ?? 0)));
    assert.equal(wide.lines, 1);
    const narrow = legend(200);
    assert.equal(narrow.lines, 2);
    assert.equal(narrow.plot.height, 200 + (narrow.plot.top ?? 0));
  });
});

describe('parallel coordinates', () => {
  const plot = parallelPlot([quantity, other], SIZE);

  it('show some of the draws, and all divergent ones with crosses on each quantity', () => {
    const lines = plot.marks.filter((mark) => mark.kind === 'line');
    const divergent = lines.filter(({ ink }) => ink === 'divergence');
    assert.equal(divergent.length, 5);
    assert.ok(lines.length - divergent.length > 200 && lines.length - divergent.length <= 300);
    const crosses = plot.marks.find((mark) => mark.kind === 'crosses');
    assert.equal(crosses?.points.length, 5 * 2 * 2);
    assert.match(plot.description, /\. Divergent draws, with crosses: 5\.$/);
  });

  it('find the draw under the pointer', () => {
    const [first] = plot.marks.filter((mark) => mark.kind === 'line');
    const spot = plot.spotAt?.(first.points[0], first.points[1]);
    assert.match(spot?.text ?? '', /^chain 1, draw 1: mu /);
  });
});

describe('ridgelines', () => {
  it('have equal heights on one axis, and a table of the densities', () => {
    const narrow = { ...other, chains: other.chains.map((chain) => chain.map((value) => value / 10)) };
    const plot = ridgelinesPlot([quantity, narrow], SIZE);
    const heights = plot.marks.flatMap(({ kind, ...mark }) => {
      if (kind !== 'line' || !('points' in mark)) return [];
      const ys = Array.from(mark.points).filter((_, k) => k % 2 === 1);
      return [Math.max(...ys) - Math.min(...ys)];
    });
    assert.ok(heights.length === 2 && Math.abs(heights[0] - heights[1]) < 0.1 * heights[0], heights.join());
    const rows = plot.table().rows;
    for (const name of ['mu', 'tau']) {
      const own = rows.filter(([each]) => each === name).map(([, value, density]) => [Number(value), Number(density)]);
      const width = own[1][0] - own[0][0];
      const area = own.reduce((sum, [, density]) => sum + density * width, 0);
      assert.ok(Math.abs(area - 1) < 0.02, `${area}`);
    }
  });
});

describe('every plot', () => {
  for (const plot of plots) {
    it(`${plot.title} has finite marks, a description, and its numbers`, () => {
      assert.ok(plot.marks.every((mark) => Array.from(numbersOf(mark)).every(Number.isFinite)));
      assert.match(plot.description, /\.$/);
      const { columns, rows } = plot.table();
      assert.ok(rows.every((row) => row.length === columns.length));
    });

    it(`${plot.title} becomes an SVG with title and description`, () => {
      const text = svgText(plot, PAPER);
      assert.match(text, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="400"/);
      assert.doesNotMatch(text, /NaN|undefined|Infinity|style=/);
      assert.ok(text.includes('<title>') && text.includes('<desc>'));
    });
  }
});

describe('a trace', () => {
  it('of many draws is thinned to the minimum and maximum of each pixel column', () => {
    const draws = normals(3, 100_000);
    draws[54_321] = 50;
    const line = tracePlot({ name: 'x', chains: [draws] }, SIZE).marks.find(({ kind }) => kind === 'line');
    assert.ok(line?.kind === 'line' && line.points.length <= 2 * 2 * SIZE.width);
    const highest = Math.min(...Array.from(line.points).filter((_, k) => k % 2 === 1));
    assert.ok(highest < 20, 'the outlier is still there, at the top');
  });

  it('returns the draw under the pointer, and its position', () => {
    const plot = tracePlot(quantity, SIZE);
    const place = plot.placeOf?.({ chain: 2, index: 250 });
    const spot = place && plot.spotAt?.(place.x, place.y);
    assert.deepEqual(spot?.draw, { chain: 2, index: 250 });
    assert.match(spot?.text ?? '', /^chain 3, draw 251: /);
  });
});

describe('a trace of warmup', () => {
  it('has an axis without outliers, and no line where a chain is far from its later values', () => {
    const chain = Float64Array.from({ length: 40 }, (_, k) => (k < 5 ? -1e6 : Math.sin(k)));
    const { marks } = warmupPlot({ name: 'lp__', chains: [chain] }, SIZE);
    const [line] = marks.filter(({ kind }) => kind === 'line');
    assert.ok(line?.kind === 'line' && line.ink === 'muted');
    assert.equal(line.points.length, 2 * 35);
    const heights = Array.from(line.points).filter((_, k) => k % 2 === 1);
    assert.ok(Math.max(...heights) - Math.min(...heights) > SIZE.height / 10, 'the later values are not a flat line');
  });
});

describe('ranks', () => {
  it('of draws are spread evenly, and sum to the number of draws', () => {
    const found = rankCounts(quantity.chains);
    for (const bins of found)
      assert.equal(
        bins.reduce((a, b) => a + b),
        500,
      );
    assert.deepEqual(rankCounts([Float64Array.from({ length: 40 }, (_, k) => k)]), [new Array(20).fill(2)]);
  });

  it('of equal draws are shared', () => {
    assert.equal(rankCounts([Float64Array.of(1, 1, 1, 1)])[0][10], 4);
  });
});

describe('pairs', () => {
  it('have a cross for each divergence', () => {
    const crosses = pairPlot(quantity, other, SIZE).marks.find(({ kind }) => kind === 'crosses');
    assert.ok(crosses?.kind === 'crosses');
    assert.equal(crosses.points.length / 2, 5);
  });
});

describe('predictive checks', () => {
  it('show integers with few distinct values by their frequencies', () => {
    const { title, table } = predictiveDistributionPlot(counts, SIZE);
    const { rows } = table();
    assert.notEqual(title, predictiveDistributionPlot(predicted, SIZE).title);
    assert.deepEqual(
      rows.map(([value, observed]) => [value, observed]),
      [
        [0, 2],
        [1, 1],
        [2, 1],
        [3, 0],
        [4, 0],
        [5, 1],
      ],
    );
  });
});

describe('axes', () => {
  it('are marked at multiples of 1, 2 and 5', () => {
    assert.deepEqual(ticksOf([0, 1], 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.deepEqual(ticksOf([-3, 12], 3), [0, 5, 10]);
  });
});

it('step sizes are paired with the acceptance statistics of their transitions', () => {
  const steps = { chains: [Float64Array.of(1, 0.5, 0.5), Float64Array.of(1, 0.25, 0.25)] };
  const acceptance = {
    chains: [Float64Array.of(0.8, 0.8, 0.8), Float64Array.of(0.9, 0.9, 0.9)],
    chainNames: ['3', '4'],
  };
  const { description, table } = stepSizePlot(steps, acceptance, SIZE);
  assert.match(description, /step sizes from 0\.25 to 0\.5/);
  assert.deepEqual(table(), {
    columns: ['chain', 'step size', '5%', '25%', '50%', '75%', '95%'],
    rows: [
      ['3', 0.5, 0.8, 0.8, 0.8, 0.8, 0.8],
      ['4', 0.25, 0.9, 0.9, 0.9, 0.9, 0.9],
    ],
  });
});

describe('selected draws', () => {
  const chainsOf = (name: string) => [quantity, other].find((each) => each.name === name)?.chains;
  const lengths = quantity.chains.map(({ length }) => length);

  it('lie in all ranges', () => {
    const selected = selectedDraws(
      [
        { name: 'mu', from: 0, to: 1 },
        { name: DRAW, from: 1, to: 100 },
      ],
      lengths,
      chainsOf,
    );
    const expected = quantity.chains.map((chain) =>
      chain.map((value, k) => (value >= 0 && value <= 1 && k < 100 ? 1 : 0)),
    );
    assert.deepEqual(
      selected.map((flags) => [...flags]),
      expected.map((flags) => [...flags]),
    );
    assert.equal(countSelected(selectedDraws([], lengths, chainsOf)), 0);
    assert.equal(countSelected(selectedDraws([{ name: 'nu', from: -9, to: 9 }], lengths, chainsOf)), 0);
  });

  it('are those inside a rectangle in one plot, and are marked in all plots', () => {
    const pairs = pairPlot(quantity, other, SIZE);
    const place = pairs.placeOf?.({ chain: 2, index: 7 });
    assert.ok(place !== undefined);
    const near = { x: place.x + 0.01, y: place.y + 0.01 };
    const ranges = pairs.rangesIn?.(near, { x: place.x - 0.01, y: place.y - 0.01 }) ?? [];
    assert.deepEqual(
      ranges.map(({ name }) => name),
      ['mu', 'tau'],
    );
    const selected = selectedDraws(ranges, lengths, chainsOf);
    assert.equal(selected[2][7], 1);
    assert.equal(countSelected(selected), 1);
    const marked = (plot: Plot) =>
      (plot.marksOf?.(selected) ?? []).flatMap((mark) => (mark.kind === 'dots' ? [...Array.from(mark.points)] : []));
    assert.deepEqual(marked(pairs), [place.x, place.y]);
    const trace = tracePlot(quantity, SIZE);
    const there = trace.placeOf?.({ chain: 2, index: 7 });
    assert.deepEqual(marked(trace), [there?.x, there?.y]);
    const inTrace = trace.rangesIn?.({ x: (there?.x ?? 0) - 0.2, y: 0 }, { x: (there?.x ?? 0) + 0.2, y: SIZE.height });
    assert.equal(selectedDraws(inTrace ?? [], lengths, chainsOf)[2][7], 1);
  });

  it('have a density proportional to their share', () => {
    const density = densityPlot(quantity, SIZE);
    const [range] = density.rangesIn?.({ x: 0, y: 0 }, { x: SIZE.width, y: SIZE.height }) ?? [];
    assert.equal(range?.name, 'mu');
    const all = selectedDraws([range], lengths, chainsOf);
    assert.equal(countSelected(all), 2000);
    const highest = (marks: readonly Mark[] | undefined) =>
      Math.min(
        ...(marks ?? []).flatMap((mark) =>
          mark.kind === 'area' ? Array.from(mark.points).filter((_, k) => k % 2 === 1) : [],
        ),
      );
    assert.equal(highest(density.marksOf?.(all)), highest(density.marks));
  });
});
