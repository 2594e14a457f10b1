/** Draws the pictures of the workbench's examples from draws of their posteriors, and writes them as paths: `npm run example-pictures`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { kernelDensity } from '../dist/src/inference/diagnostics/kernel-density.js';
import { close, compile } from '../dist/src/node/library/index.js';

const FOLDER = new URL('../web/src/examples/', import.meta.url);
const [WIDTH, HEIGHT] = [480, 144];
const MARGIN = 8;

const fits = new Map();

/** The data of an example and its draws, the same each time. */
async function example(folder, delta = 0.8) {
  const known = fits.get(folder);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`${folder}/data.json`, FOLDER), 'utf8');
  const model = await compile(readFileSync(new URL(`${folder}/model.stan`, FOLDER), 'utf8'));
  const fit = await model.sample({ data: text, num_chains: 4, random_seed: 1, delta }).result();
  const made = {
    data: JSON.parse(text),
    column: (name) => fit.column(name).flatMap((chain) => [...chain]),
    columns: fit.columns,
  };
  fits.set(folder, made);
  return made;
}

const quantile = (values, share) => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))];
};

const extent = (values) => [Math.min(...values), Math.max(...values)];

/** Maps numbers to whole pixels between two margins. */
function scale([from, to], [start, end]) {
  return (value) => Math.round(start + ((value - from) / (to - from)) * (end - start));
}

const across = (range) => scale(range, [MARGIN, WIDTH - MARGIN]);
const up = (range) => scale(range, [HEIGHT - MARGIN, MARGIN]);

/** A path through points, in relative coordinates, which compress better. */
function path(points) {
  let [x, y] = points[0];
  const steps = points.slice(1).map(([nextX, nextY]) => {
    const step = `${nextX - x},${nextY - y}`;
    [x, y] = [nextX, nextY];
    return step;
  });
  return `M${points[0].join()}l${steps.join(' ')}`;
}

const line = (points) => ['line', path(points)];
const area = (points) => ['area', `${path(points)}z`];
const dots = (points) => ['dots', points.map(([x, y]) => `M${x},${y}h0`).join('')];
const bars = (segments) => ['bars', segments.map(([x, from, to]) => `M${x},${from}v${to - from}`).join('')];

/** Densities of quantities on a common axis. */
function densities(draws, range) {
  const curves = draws.map((values) => kernelDensity(Float64Array.from(values)));
  const x = across(range ?? extent(curves.flatMap(({ values }) => [...values])));
  const y = up([0, Math.max(...curves.flatMap(({ densities: heights }) => [...heights]))]);
  return curves.flatMap(({ densities: heights, values }) => {
    const step = Math.ceil(values.length / 40);
    const points = [...values.keys()].filter((k) => k % step === 0 || k === values.length - 1);
    const curve = points.map((k) => [x(values[k]), y(heights[k])]);
    const base = y(0);
    return [area([[curve[0][0], base], ...curve, [curve.at(-1)[0], base]]), line(curve)];
  });
}

/** Medians with 90 % intervals along an axis, over data. `sets` are lists of draws, one for each point of the axis. */
function bands(axis, sets, observed) {
  const x = across(extent(axis));
  const limits = sets.map((values) => values.map((draws) => [0.05, 0.5, 0.95].map((share) => quantile(draws, share))));
  const y = up(extent([...limits.flat(2), ...observed.flatMap(([, value]) => value)]));
  return [
    ...limits.flatMap((set) => [
      area([
        ...set.map(([low], k) => [x(axis[k]), y(low)]),
        ...set.map(([, , high], k) => [x(axis[k]), y(high)]).toReversed(),
      ]),
      line(set.map(([, median], k) => [x(axis[k]), y(median)])),
    ]),
    ...(observed.length > 0 ? [dots(observed.map(([place, value]) => [x(place), y(value)]))] : []),
  ];
}

/** Medians with 90 % intervals of quantities, from left to right. */
function intervals(draws) {
  const limits = draws.map((values) => [0.05, 0.5, 0.95].map((share) => quantile(values, share)));
  const x = across([-0.5, draws.length - 0.5]);
  const y = up(extent(limits.flat()));
  return [
    bars(limits.map(([low, , high], k) => [x(k), y(low), y(high)])),
    dots(limits.map(([, median], k) => [x(k), y(median)])),
  ];
}

const grid = (from, to, count) => Array.from({ length: count }, (_, k) => from + ((to - from) * k) / (count - 1));
const indexes = (count) => Array.from({ length: count }, (_, k) => k + 1);

/** The curve of a function of two coefficients over a covariate. */
function curve({ column, data }, { covariate, outcome, of, points = 16 }) {
  const [alpha, beta] = [column('alpha'), column('beta')];
  const axis = grid(...extent(data[covariate]), points);
  const sets = axis.map((x) => alpha.map((a, k) => of(a + beta[k] * x)));
  return bands(
    axis,
    [sets],
    data[covariate].map((x, k) => [x, outcome(data, k)]),
  );
}

const PICTURES = {
  coin: async () => densities([(await example('coin')).column('theta')], [0, 1]),
  'coin-live': async () => densities([(await example('coin-live')).column('theta')], [0, 1]),
  line: async () => curve(await example('line'), { covariate: 'x', outcome: ({ y }, k) => y[k], of: (eta) => eta }),
  'eight-schools': async () => {
    const { column } = await example('eight-schools', 0.95);
    return intervals(indexes(8).map((k) => column(`theta[${k}]`)));
  },
  'eight-schools-centered': async () => {
    const { column } = await example('eight-schools-centered');
    const [theta, tau] = [column('theta[1]'), column('tau').map(Math.log)];
    const chosen = indexes(180).map((k) => Math.floor((k * theta.length) / 181));
    const x = across([-15, 30]);
    const y = up(extent(chosen.map((k) => tau[k])));
    return [dots(chosen.filter((k) => theta[k] > -15 && theta[k] < 30).map((k) => [x(theta[k]), y(tau[k])]))];
  },
  dose: async () =>
    curve(await example('dose'), {
      covariate: 'dose',
      outcome: ({ n, y }, k) => y[k] / n[k],
      of: (eta) => 1 / (1 + Math.exp(-eta)),
    }),
  golf: async () => {
    const { column, data } = await example('golf');
    return bands(
      data.x,
      [data.x.map((_, k) => column(`p[${k + 1}]`))],
      data.x.map((x, k) => [x, data.y[k] / data.n[k]]),
    );
  },
  counts: async () => curve(await example('counts'), { covariate: 'x', outcome: ({ y }, k) => y[k], of: Math.exp }),
  'varying-slopes': async () => {
    const { column, data } = await example('varying-slopes');
    const lines = indexes(data.G).map((g) => {
      const [start, slope] = [1, 2].map((k) => quantile(column(`b[${g},${k}]`), 0.5));
      return [start, start + 7 * slope];
    });
    const x = across([0, 7]);
    const y = up(extent(lines.flat()));
    return lines.map(([from, to]) =>
      line([
        [x(0), y(from)],
        [x(7), y(to)],
      ]),
    );
  },
  mixture: async () => {
    const { column } = await example('mixture');
    return densities([column('mu[1]'), column('mu[2]')]);
  },
  'change-point': async () => {
    const { column, data } = await example('change-point');
    const counts = indexes(data.T).map((year) => column('change').filter((draw) => draw === year).length);
    const x = across([1, data.T]);
    const y = up([0, Math.max(...counts)]);
    return [bars(counts.flatMap((count, k) => (count > 0 ? [[x(k + 1), y(0), y(count)]] : [])))];
  },
  'local-level': async () => {
    const { column, data } = await example('local-level');
    const years = indexes(data.T).filter((t) => t % 2 === 1);
    return bands(
      years,
      [years.map((t) => column(`level[${t}]`))],
      years.map((t) => [t, data.y[t - 1]]),
    );
  },
  survival: async () => {
    const { column } = await example('survival');
    return densities([column('median_untreated'), column('median_treated')]);
  },
  'item-response': async () => {
    const { column, data } = await example('item-response');
    return intervals(indexes(data.K).map((k) => column(`difficulty[${k}]`)));
  },
  'gaussian-process': async () => {
    const { column, data } = await example('gaussian-process');
    return bands(
      data.x,
      [data.x.map((_, k) => column(`f[${k + 1}]`))],
      data.x.map((x, k) => [x, data.y[k]]),
    );
  },
  'predator-prey': async () => {
    const { column, data } = await example('predator-prey');
    return bands(
      data.year,
      [1, 2].map((k) => data.year.map((_, n) => column(`z[${n + 1},${k}]`))),
      [1, 2].flatMap((k) => data.year.map((year, n) => [year, data.y[n][k - 1]])),
    );
  },
};

const rows = [];
for (const [folder, draw] of Object.entries(PICTURES)) {
  const shapes = await draw();
  rows.push(`  '${folder}': [\n${shapes.map(([kind, d]) => `    ['${kind}', '${d}'],\n`).join('')}  ],\n`);
}
await close();
writeFileSync(
  new URL('pictures.generated.ts', FOLDER),
  `/** Pictures of the examples, from draws of their posteriors. Written by scripts/example-pictures.mjs. */

/** Shapes in a picture of ${WIDTH} × ${HEIGHT} pixels. */
export type Shape = readonly [kind: 'area' | 'line' | 'dots' | 'bars', path: string];

export const pictures: Readonly<Record<string, readonly Shape[]>> = {
${rows.join('')}};
`,
);
