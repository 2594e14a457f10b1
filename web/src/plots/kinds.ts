/** The available plots: for one quantity, for several, or for the sampler. */

import { energyPlot } from '#engine/plots/energy.js';
import { intervalsHeight, intervalsPlot } from '#engine/plots/intervals.js';
import { PLOTS_OF_ONE, type PlotOfOneName } from '#engine/plots/of-one.js';
import { MOST_IN_MATRIX, pairMatrixHeight, pairMatrixPlot } from '#engine/plots/pair-matrix.js';
import { pairPlot } from '#engine/plots/pairs.js';
import { PARALLEL_HEIGHT, parallelPlot } from '#engine/plots/parallel.js';
import { ridgelinesHeight, ridgelinesPlot } from '#engine/plots/ridgelines.js';
import type { Plot, Quantity, Size } from '#engine/plots/scene.js';
import { stepSizeHeight, stepSizePlot } from '#engine/plots/step-size.js';
import { treeDepthPlot } from '#engine/plots/tree-depth.js';
import { t } from '../words/messages.js';
import type { PlainKey } from '../words/types.js';

/** A plot to draw, with its height. */
export interface PlannedPlot {
  readonly key: string;
  readonly height: number;
  readonly isWide?: boolean;
  /** The one quantity that it shows. */
  readonly of?: string;
  readonly plot: (size: Size) => Plot;
}

export interface Chosen {
  readonly quantities: readonly Quantity[];
  /** A longer selection, for plots that show several. */
  readonly together: readonly Quantity[];
  /** Whether plots of pairs contain all quantities, instead of the first few. */
  readonly areAllPairs: boolean;
  /** The energy that the sampler reports; undefined for other algorithms. */
  readonly energy: Quantity | undefined;
  readonly treeDepth: Quantity | undefined;
  readonly stepSize: Quantity | undefined;
  readonly acceptance: Quantity | undefined;
}

export interface PlotKind {
  /** Identifies it in the state of the page. */
  readonly name: string;
  readonly label: PlainKey;
  /** Whether it requires Markov chains. Draws of approximations have no order. */
  readonly isOfChains: boolean;
  /** Whether one plot shows all quantities. */
  readonly isOfSeveral?: boolean;
  readonly plan: (chosen: Chosen) => readonly PlannedPlot[];
  /** Why some of the chosen quantities are left out. */
  readonly note?: (chosen: Chosen) => string | undefined;
}

const HEIGHT = 180;
/** Number of quantities with plots of pairs, unless the user wants all. */
export const MOST_IN_PAIRS = 4;

/** The labels of plots of one quantity. */
const LABELS: Readonly<Record<PlotOfOneName, PlainKey>> = {
  trace: 'plots.trace',
  density: 'plots.density',
  distribution: 'plots.distribution',
  ranks: 'plots.ranks',
  ecdf: 'plots.ecdf',
  autocorrelation: 'plots.autocorrelation',
  sample_size: 'plots.sampleSize',
  local_sample_size: 'plots.localSampleSize',
};

/** One plot for each quantity. */
function each({ isOfChains, name, plot }: (typeof PLOTS_OF_ONE)[number]): PlotKind {
  return {
    name,
    label: LABELS[name],
    isOfChains,
    plan: ({ quantities }) =>
      quantities.map((quantity) => ({
        key: `${name} ${quantity.name}`,
        height: HEIGHT,
        of: quantity.name,
        plot: (size) => plot(quantity, size),
      })),
  };
}

/** One plot of all quantities, if enough are selected. */
function several(
  name: string,
  label: PlainKey,
  fewest: number,
  height: (quantities: readonly Quantity[]) => number,
  plot: (quantities: readonly Quantity[], size: Size) => Plot,
): PlotKind {
  return {
    name,
    label,
    isOfChains: false,
    isOfSeveral: true,
    plan: ({ together }) =>
      together.length < fewest
        ? []
        : [{ key: name, height: height(together), isWide: true, plot: (size) => plot(together, size) }],
  };
}

export const plotKinds: readonly PlotKind[] = [
  ...PLOTS_OF_ONE.map(each),
  several('intervals', 'plots.intervals', 1, intervalsHeight, intervalsPlot),
  several('ridgelines', 'plots.ridgelines', 1, ({ length }) => ridgelinesHeight(length), ridgelinesPlot),
  {
    name: 'pairs',
    label: 'plots.pairs',
    isOfChains: false,
    plan: ({ areAllPairs, quantities }) => pairsOf(areAllPairs ? quantities : quantities.slice(0, MOST_IN_PAIRS)),
    note: ({ quantities }) => (quantities.length < 2 ? t('plots.pairsNeed') : undefined),
  },
  {
    ...several('matrix', 'plots.matrix', 2, ({ length }) => pairMatrixHeight(length), pairMatrixPlot),
    note: ({ together: { length } }) => {
      if (length < 2) return t('plots.matrixNeeds');
      return length > MOST_IN_MATRIX ? t('plots.matrixFirst', { shown: MOST_IN_MATRIX, count: length }) : undefined;
    },
  },
  {
    ...several('parallel coordinates', 'plots.parallel', 2, () => PARALLEL_HEIGHT, parallelPlot),
    note: ({ together }) => (together.length < 2 ? t('plots.parallelNeeds') : undefined),
  },
  {
    name: 'sampler',
    label: 'plots.sampler',
    isOfChains: true,
    plan: ({ acceptance, energy, stepSize, treeDepth }) => [
      ...(energy === undefined
        ? []
        : [{ key: 'energy', height: HEIGHT, plot: (size: Size) => energyPlot(energy, size) }]),
      ...(treeDepth === undefined
        ? []
        : [{ key: 'tree depth', height: HEIGHT, plot: (size: Size) => treeDepthPlot(treeDepth, size) }]),
      ...(stepSize === undefined || acceptance === undefined
        ? []
        : [
            {
              key: 'step size',
              height: stepSizeHeight(stepSize.chains.length),
              isWide: true,
              plot: (size: Size) => stepSizePlot(stepSize, acceptance, size),
            },
          ]),
    ],
  },
];

/** The plots of the chosen kinds: those of one quantity side by side, then those of several. */
export function plannedPlots(kinds: readonly PlotKind[], chosen: Chosen): readonly PlannedPlot[] {
  const planned = kinds.flatMap(({ plan }) => plan(chosen));
  return [
    ...chosen.quantities.flatMap(({ name }) => planned.filter((plot) => plot.of === name)),
    ...planned.filter((plot) => plot.of === undefined),
  ];
}

function pairsOf(quantities: readonly Quantity[]): PlannedPlot[] {
  return quantities.flatMap((across, index) =>
    quantities.slice(index + 1).map((up) => ({
      key: `pair ${across.name} ${up.name}`,
      height: 280,
      plot: (size: Size) => pairPlot(across, up, size),
    })),
  );
}
