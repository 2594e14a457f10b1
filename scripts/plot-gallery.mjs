/** Draws the pictures of docs/plots.md from fits of the workbench's examples, the same each time: `npm run plot-gallery`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { predictionsIn } from '../dist/src/fits/predictions.js';
import { close, compile } from '../dist/src/node/library/index.js';
import { rankDifferences, rankHistogram } from '../dist/src/plots/calibration.js';
import { energyPlot } from '../dist/src/plots/energy.js';
import { forestHeight, forestPlot } from '../dist/src/plots/forest.js';
import { forestPanels, forestVariables } from '../dist/src/plots/forest-rows.js';
import { intervalsHeight, intervalsPlot } from '../dist/src/plots/intervals.js';
import { looIntervalsPlot } from '../dist/src/plots/loo-intervals.js';
import { looPitPlot } from '../dist/src/plots/loo-pit.js';
import { PLOTS_OF_ONE } from '../dist/src/plots/of-one.js';
import { pairMatrixHeight, pairMatrixPlot } from '../dist/src/plots/pair-matrix.js';
import { pairPlot } from '../dist/src/plots/pairs.js';
import { PARALLEL_HEIGHT, parallelPlot } from '../dist/src/plots/parallel.js';
import { paretoKPlot } from '../dist/src/plots/pareto-k.js';
import {
  dataStatistics,
  predictiveDistributionPlot,
  predictiveIntervalsPlot,
  predictiveStatisticPlot,
} from '../dist/src/plots/predictive.js';
import { predictiveByPlot } from '../dist/src/plots/predictive-by.js';
import { predictiveEcdfPlot } from '../dist/src/plots/predictive-ecdf.js';
import { errorsPlot, observedAgainstMeanPlot } from '../dist/src/plots/predictive-means.js';
import { reliabilityPlot } from '../dist/src/plots/reliability.js';
import { ridgelinesHeight, ridgelinesPlot } from '../dist/src/plots/ridgelines.js';
import { stepSizeHeight, stepSizePlot } from '../dist/src/plots/step-size.js';
import { PAPER, svgText, titled } from '../dist/src/plots/svg.js';
import { treeDepthPlot } from '../dist/src/plots/tree-depth.js';
import { twoStatisticsPlot } from '../dist/src/plots/two-statistics.js';

const EXAMPLES = new URL('../web/src/examples/', import.meta.url);
const FOLDER = new URL('../docs/images/plots/', import.meta.url);
const [WIDTH, HEIGHT] = [380, 200];

async function fitted(folder) {
  const text = readFileSync(new URL(`${folder}/data.json`, EXAMPLES), 'utf8');
  const model = await compile(readFileSync(new URL(`${folder}/model.stan`, EXAMPLES), 'utf8'));
  const fit = await model.sample({ data: text, num_chains: 4, num_samples: 250, random_seed: 1 }).result();
  return { data: JSON.parse(text), fit, model, text };
}

function quantityOf(fit, name, label = name) {
  return { name: label, chains: fit.column(name), divergent: fit.column('divergent__') };
}

/** The outcome y with its simulations. */
function predictedOf({ data, fit }) {
  const columns = data.y.map((_, k) => fit.column(`y_rep.${k + 1}`).flatMap((chain) => [...chain]));
  const simulated = columns[0].map((_, draw) => Float64Array.from(columns, (column) => column[draw]));
  return { name: 'y', observed: Float64Array.from(data.y), simulated };
}

const pictures = new Map();

function draw(name, plot, height = HEIGHT) {
  pictures.set(name, titled(plot({ width: WIDTH, height })));
}

const schools = await fitted('eight-schools-centered');
const line = await fitted('line');
const counts = await fitted('counts');

const [mu, tau] = ['mu', 'tau'].map((name) => quantityOf(schools.fit, name));
const theta = schools.data.y.map((_, k) => quantityOf(schools.fit, `theta.${k + 1}`, `theta[${k + 1}]`));
const other = await schools.model
  .sample({ data: schools.text, num_chains: 4, num_samples: 250, random_seed: 1, reparameterize: 'auto' })
  .result();
const reference = (name) => ({
  name: 'reference run',
  draws: Float64Array.from(other.column(name).flatMap((chain) => [...chain])),
});

for (const { name, plot } of PLOTS_OF_ONE) draw(name, (size) => plot(name === 'distribution' ? mu : tau, size));
draw('reference', (size) =>
  PLOTS_OF_ONE.find(({ name }) => name === 'density').plot({ ...tau, reference: reference('tau') }, size),
);
draw('intervals', (size) => intervalsPlot(theta, size), intervalsHeight(theta));
draw('ridgelines', (size) => ridgelinesPlot(theta, size), ridgelinesHeight(theta.length));
draw('pairs', (size) => pairPlot(mu, tau, size), 280);
draw('matrix', (size) => pairMatrixPlot([mu, tau, theta[0], theta[4]], size), pairMatrixHeight(4));
draw('parallel', (size) => parallelPlot([mu, tau, ...theta], size), PARALLEL_HEIGHT);
draw('energy', (size) => energyPlot({ chains: schools.fit.column('energy__') }, size));
draw('tree_depth', (size) => treeDepthPlot({ name: 'tree depth', chains: schools.fit.column('treedepth__') }, size));
draw(
  'step_size',
  (size) =>
    stepSizePlot({ chains: schools.fit.column('stepsize__') }, { chains: schools.fit.column('accept_stat__') }, size),
  stepSizeHeight(4),
);
const summaries = (await schools.fit.summary()).filter(({ name }) => /^(?:mu|tau|theta)/.test(name));
const panels = forestPanels(forestVariables(summaries), () => true);
pictures.set('forest', forestPlot(panels, 4, { width: 640, height: forestHeight(panels) }));

const predicted = predictedOf(line);
const frequencies = predictedOf(counts);
draw('predictive_densities', (size) => predictiveDistributionPlot(predicted, size));
draw('predictive_frequencies', (size) => predictiveDistributionPlot(frequencies, size));
draw('predictive_intervals', (size) => predictiveIntervalsPlot(predicted, size));
draw('predictive_ecdfs', (size) => predictiveEcdfPlot(predicted, size));
draw('predictive_means', (size) => observedAgainstMeanPlot(predicted, size), 260);
draw('predictive_errors', (size) => errorsPlot(predicted, size));
draw('predictive_two_statistics', (size) => twoStatisticsPlot(frequencies, dataStatistics, size), 260);
draw('predictive_statistic', (size) =>
  predictiveStatisticPlot(frequencies, { key: 'greatest', of: (values) => Math.max(...values) }, size),
);
draw('predictive_covariate', (size) =>
  predictiveByPlot(predicted, { name: 'x', values: Float64Array.from(line.data.x), areGroups: false }, size),
);
draw('predictive_groups', (size) =>
  predictiveByPlot(
    predicted,
    {
      name: 'x rounded',
      values: Float64Array.from(line.data.x, (value) => 1 + Math.floor(value / 2.5)),
      areGroups: true,
    },
    size,
  ),
);

// Whether the outcome exceeds 5.
const binary = {
  name: 'y',
  observed: Float64Array.from(line.data.y, (value) => (value > 5 ? 1 : 0)),
  simulated: predicted.simulated.map((set) => set.map((value) => (value > 5 ? 1 : 0))),
};
draw('predictive_reliability', (size) => reliabilityPlot(binary, size), 260);
draw('predictive_binned_errors', (size) => errorsPlot(binary, size));

const loo = await line.fit.loo();
draw('pareto_k', (size) =>
  paretoKPlot(
    {
      names: loo.observations.map(({ name }) => name),
      paretoK: loo.observations.map(({ paretoK }) => paretoK),
      greatest: loo.greatestK,
    },
    size,
  ),
);
const [prediction] = predictionsIn(line.text, line.fit.columns);
const transforms = await line.fit.looPit(prediction);
draw('loo_pit', (size) => looPitPlot({ name: 'y', ...transforms }, size));
draw('loo_intervals', (size) => looIntervalsPlot({ name: 'y', ...transforms }, size));

const calibration = await line.model.sbc({ data: line.text, simulations: 60, random_seed: 1 });
const [ranked] = calibration.quantities;
draw('calibration_ranks', (size) => rankHistogram({ ...ranked, greatestRank: calibration.greatestRank }, size));
draw('calibration_differences', (size) =>
  rankDifferences({ ...ranked, band: calibration.band, places: calibration.places }, size),
);

/** Readers with a dark theme see the plots on paper. */
function withPaper(svg) {
  const paper = `<rect width="100%" height="100%" y="-100" fill="${PAPER.surface}"/><rect width="100%" height="100%" fill="${PAPER.surface}"/>`;
  return svg.replace('</desc>\n', `</desc>\n${paper}\n`);
}

mkdirSync(FOLDER, { recursive: true });
for (const [name, plot] of pictures) writeFileSync(new URL(`${name}.svg`, FOLDER), withPaper(svgText(plot, PAPER)));
await close();
