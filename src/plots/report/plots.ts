/** The plots of a report. */

import type { LeaveOneOut } from '../../fits/cross-validation.js';
import type { NamedDraws } from '../../fits/statistics.js';
import type { Chains } from '../../inference/diagnostics/chains.js';
import type { Calibration } from '../../studies/calibration.js';
import { leastUniform, rankDifferences, rankHistogram } from '../calibration.js';
import { energyPlot } from '../energy.js';
import { forestHeight, forestPlot } from '../forest.js';
import { type Estimate, forestPanels, forestVariables } from '../forest-rows.js';
import { type LeftOutPlaces, looPitPlot } from '../loo-pit.js';
import { PLOTS_OF_ONE } from '../of-one.js';
import { pairPlot } from '../pairs.js';
import { PARALLEL_HEIGHT, parallelPlot } from '../parallel.js';
import { paretoKPlot } from '../pareto-k.js';
import {
  dataStatistics,
  type Predicted,
  predictiveDistributionPlot,
  predictiveIntervalsPlot,
  predictiveStatisticPlot,
} from '../predictive.js';
import { type Companion, predictiveByPlot } from '../predictive-by.js';
import { ridgelinesHeight, ridgelinesPlot } from '../ridgelines.js';
import type { Plot, Quantity, Size } from '../scene.js';
import { stepSizePlot } from '../step-size.js';
import { treeDepthPlot } from '../tree-depth.js';
import { type PlotWords, wordsOf } from '../words.js';
import type { Section } from './report.js';

/** An outcome with its simulations and other data of its observations. */
interface Checked extends Predicted {
  readonly companions: readonly Companion[];
  /** Present if log likelihoods of its observations are known. */
  readonly leftOut: LeftOutPlaces | undefined;
}

export interface Plotted {
  readonly quantities: readonly NamedDraws[];
  /** The draws of a column of the sampler, such as `divergent__`; undefined for others. */
  readonly column: (name: string) => Chains | undefined;
  readonly loo: LeaveOneOut | undefined;
  readonly predictions: readonly Checked[];
  /** The language of titles and texts; English by default. */
  readonly words?: PlotWords;
}

/** The sizes of plots in a report, with the language of their texts. */
interface Sizes {
  readonly small: Size;
  readonly wide: Size;
}

function sizesIn(words: PlotWords): Sizes {
  return { small: { ...SMALL, words }, wide: { ...WIDE, words } };
}

/** Maximum number of parameters in plots of a calibration. */
const MOST_CALIBRATED = 24;

const SMALL = { width: 360, height: 190 } as const;
const WIDE = { width: 1100, height: 260 } as const;
/** Maximum number of quantities in pair plots. */
const MOST_IN_PAIRS = 3;
/** Minimum number of quantities for parallel coordinates. Fewer quantities are shown as pairs. */
const FEWEST_IN_PARALLEL = 3;
/** Maximum number of data variables by which predictions of one outcome are checked. */
const MOST_COMPANIONS = 4;

/** The ranks of the parameters whose ranks differ most from a uniform distribution. */
export function calibrationSections({ band, greatestRank, places, quantities }: Calibration): Section[] {
  const shown = leastUniform(quantities, MOST_CALIBRATED);
  return [
    { title: 'ECDF differences', plots: shown.map((each) => rankDifferences({ ...each, band, places }, SMALL)) },
    { title: 'Rank histograms', plots: shown.map((each) => rankHistogram({ ...each, greatestRank }, SMALL)) },
  ];
}

export function plotSections(plotted: Plotted): Section[] {
  const { column, loo, predictions, quantities } = plotted;
  const columns = ['divergent__', 'energy__', 'treedepth__', 'stepsize__', 'accept_stat__'];
  const [divergent, energy, treeDepth, stepSize, acceptance] = columns.map(column);
  const words = wordsOf(plotted);
  const sizes = sizesIn(words);
  const { small, wide } = sizes;
  const drawn = quantities.map((each): Quantity => ({ ...each, ...(divergent && { divergent }) }));
  const ofOne = PLOTS_OF_ONE.flatMap(({ heading, plot }) =>
    heading === undefined ? [] : [{ title: words(heading), plots: drawn.map((quantity) => plot(quantity, small)) }],
  );
  return [
    ...ofOne,
    { title: words('reportPairs'), plots: pairsOf(drawn.slice(0, MOST_IN_PAIRS), sizes) },
    {
      title: words('parallelTitle'),
      plots: drawn.length < FEWEST_IN_PARALLEL ? [] : [parallelPlot(drawn, { ...wide, height: PARALLEL_HEIGHT })],
      isWide: true,
    },
    { title: words('ridgelinesTitle'), plots: vectorsOf(drawn).map((each) => ridgelinesOf(each, sizes)), isWide: true },
    {
      title: words('reportSampler'),
      plots: [
        ...(energy ? [energyPlot({ chains: energy }, small)] : []),
        ...(treeDepth ? [treeDepthPlot({ name: words('treeDepth'), chains: treeDepth }, small)] : []),
        ...(stepSize && acceptance ? [stepSizePlot({ chains: stepSize }, { chains: acceptance }, small)] : []),
      ],
    },
    { title: words('reportLeftOut'), plots: loo === undefined ? [] : [shapesOf(loo, sizes)], isWide: true },
    ...predictions.flatMap((predicted) => predictiveSections(predicted, words)),
  ];
}

/** Vectors with more elements are shown in one row. */
const MOST_SHOWN = 12;

/** The quantities with their intervals and numbers, below the verdict. */
export function keyQuantitiesSection(summaries: readonly Estimate[], chains: number, words = wordsOf({})): Section {
  const panels = forestPanels(forestVariables(summaries), ({ elements }) => elements.length <= MOST_SHOWN);
  const size = { ...sizesIn(words).wide, height: forestHeight(panels) };
  return {
    title: words('forestTitle'),
    plots: panels.length > 0 ? [forestPlot(panels, chains, size)] : [],
    isWide: true,
  };
}

/** The quantities of each variable with several quantities in the report. */
function vectorsOf(quantities: readonly Quantity[]): readonly (readonly Quantity[])[] {
  return forestVariables(quantities).flatMap(({ elements }) => (elements.length > 1 ? [elements] : []));
}

function ridgelinesOf(quantities: readonly Quantity[], { wide }: Sizes): Plot {
  return ridgelinesPlot(quantities, { ...wide, height: ridgelinesHeight(quantities.length) });
}

function pairsOf(quantities: readonly Quantity[], { small }: Sizes): Plot[] {
  const size = { ...small, height: 280 };
  return quantities.flatMap((across, index) => quantities.slice(index + 1).map((up) => pairPlot(across, up, size)));
}

function shapesOf({ greatestK, observations }: LeaveOneOut, { wide }: Sizes): Plot {
  const names = observations.map(({ name }) => name);
  return paretoKPlot({ names, paretoK: observations.map(({ paretoK }) => paretoK), greatest: greatestK }, wide);
}

function predictiveSections(predicted: Checked, words: PlotWords): Section[] {
  const { small, wide } = sizesIn(words);
  const { companions, leftOut } = predicted;
  return [
    {
      title: words('reportPredictive', { name: predicted.name }),
      plots: [
        predictiveDistributionPlot(predicted, wide),
        predictiveIntervalsPlot(predicted, wide),
        ...companions.slice(0, MOST_COMPANIONS).map((each) => predictiveByPlot(predicted, each, wide)),
        ...(leftOut === undefined ? [] : [looPitPlot(leftOut, wide)]),
      ],
      isWide: true,
    },
    {
      title: words('reportStatistics', { name: predicted.name }),
      plots: dataStatistics.map((statistic) => predictiveStatisticPlot(predicted, statistic, small)),
    },
  ];
}
