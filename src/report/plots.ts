/** The plots of a report. */
import type { Chains } from '../inference/diagnostics/chains.js';
import { autocorrelationPlot } from '../plots/autocorrelation.js';
import { densityPlot } from '../plots/density.js';
import { ecdfDifferencePlot } from '../plots/ecdf.js';
import { energyPlot } from '../plots/energy.js';
import { forestHeight, forestPlot } from '../plots/forest.js';
import { type Estimate, forestPanels, forestVariables } from '../plots/forest-rows.js';
import { pairPlot } from '../plots/pairs.js';
import { paretoKPlot } from '../plots/pareto-k.js';
import {
  dataStatistics,
  type Predicted,
  predictiveDistributionPlot,
  predictiveIntervalsPlot,
  predictiveStatisticPlot,
} from '../plots/predictive.js';
import { rankPlot } from '../plots/ranks.js';
import type { Plot, Quantity, Size } from '../plots/scene.js';
import { stepSizePlot } from '../plots/step-size.js';
import { tracePlot } from '../plots/trace.js';
import { treeDepthPlot } from '../plots/tree-depth.js';
import type { LeaveOneOut } from '../run/cross-validation.js';
import type { NamedDraws } from '../run/statistics.js';
import type { Section } from './report.js';

export interface Plotted {
  readonly quantities: readonly NamedDraws[];
  /** What the sampler reports, where it does. */
  readonly divergent: Chains | undefined;
  readonly energy: Chains | undefined;
  readonly treeDepth: Chains | undefined;
  readonly stepSize: Chains | undefined;
  readonly acceptance: Chains | undefined;
  readonly loo: LeaveOneOut | undefined;
  readonly predictions: readonly Predicted[];
}

const SMALL: Size = { width: 360, height: 190 };
const WIDE: Size = { width: 1100, height: 260 };
/** Quantities that are plotted against each other. */
const MOST_IN_PAIRS = 3;

export function plotSections(plotted: Plotted): Section[] {
  const { acceptance, divergent, energy, loo, predictions, quantities, stepSize, treeDepth } = plotted;
  const drawn = quantities.map((each): Quantity => ({ ...each, ...(divergent && { divergent }) }));
  const each = (plot: (quantity: Quantity, size: Size) => Plot) => drawn.map((quantity) => plot(quantity, SMALL));
  return [
    { title: 'Densities', plots: each(densityPlot) },
    { title: 'Traces', plots: each(tracePlot) },
    { title: 'Ranks', plots: each(rankPlot) },
    { title: 'ECDF differences', plots: each(ecdfDifferencePlot) },
    { title: 'Autocorrelation', plots: each(autocorrelationPlot) },
    { title: 'Pairs', plots: pairsOf(drawn.slice(0, MOST_IN_PAIRS)) },
    {
      title: 'The sampler',
      plots: [
        ...(energy ? [energyPlot({ chains: energy }, SMALL)] : []),
        ...(treeDepth ? [treeDepthPlot({ name: 'tree depth', chains: treeDepth }, SMALL)] : []),
        ...(stepSize && acceptance ? [stepSizePlot({ chains: stepSize }, { chains: acceptance }, SMALL)] : []),
      ],
    },
    { title: 'Observations left out', plots: loo === undefined ? [] : [shapesOf(loo)], isWide: true },
    ...predictions.flatMap(predictiveSections),
  ];
}

/** Vectors of more elements are one row. */
const MOST_SHOWN = 12;

/** The quantities with their intervals and numbers, below the verdict. */
export function keyQuantitiesSection(summaries: readonly Estimate[], chains: number): Section {
  const panels = forestPanels(forestVariables(summaries), ({ elements }) => elements.length <= MOST_SHOWN);
  const size = { width: WIDE.width, height: forestHeight(panels) };
  return { title: 'Key quantities', plots: panels.length > 0 ? [forestPlot(panels, chains, size)] : [], isWide: true };
}

function pairsOf(quantities: readonly Quantity[]): Plot[] {
  const size = { width: SMALL.width, height: 280 };
  return quantities.flatMap((across, index) => quantities.slice(index + 1).map((up) => pairPlot(across, up, size)));
}

function shapesOf({ greatestK, observations }: LeaveOneOut): Plot {
  const names = observations.map(({ name }) => name);
  return paretoKPlot({ names, paretoK: observations.map(({ paretoK }) => paretoK), greatest: greatestK }, WIDE);
}

function predictiveSections(predicted: Predicted): Section[] {
  return [
    {
      title: `Predictive checks of ${predicted.name}`,
      plots: [predictiveDistributionPlot(predicted, WIDE), predictiveIntervalsPlot(predicted, WIDE)],
      isWide: true,
    },
    {
      title: `Statistics of ${predicted.name}`,
      plots: dataStatistics.map((statistic) => predictiveStatisticPlot(predicted, statistic, SMALL)),
    },
  ];
}
