/** The plots of one quantity, which the report, the packages and the page offer. */

import { autocorrelationPlot } from './autocorrelation.js';
import { densityPlot } from './density.js';
import { distributionPlot } from './distribution.js';
import { ecdfDifferencePlot } from './ecdf.js';
import { localSampleSizePlot } from './local-sample-size.js';
import { plotOrReason } from './plottable.js';
import { rankPlot } from './ranks.js';
import { sampleSizePlot } from './sample-size.js';
import type { Plot, Quantity, Size } from './scene.js';
import { tracePlot } from './trace.js';
import type { PLOT_WORDS } from './words.js';

interface PlotOfOne<Name extends string = string> {
  readonly name: Name;
  readonly plot: (quantity: Quantity, size: Size) => Plot;
  /** Whether the plot requires Markov chains. Draws of approximations have no order. */
  readonly isOfChains: boolean;
  /** The heading of its section in a report. Reports omit plots without a heading. */
  readonly heading?: keyof typeof PLOT_WORDS;
}

const TABLE = [
  { name: 'trace', plot: tracePlot, isOfChains: true, heading: 'reportTraces' },
  { name: 'density', plot: densityPlot, isOfChains: false, heading: 'reportDensities' },
  { name: 'distribution', plot: distributionPlot, isOfChains: false },
  { name: 'ranks', plot: rankPlot, isOfChains: true, heading: 'reportRanks' },
  { name: 'ecdf', plot: ecdfDifferencePlot, isOfChains: true, heading: 'reportEcdf' },
  { name: 'autocorrelation', plot: autocorrelationPlot, isOfChains: true, heading: 'reportAutocorrelation' },
  { name: 'sample_size', plot: sampleSizePlot, isOfChains: true },
  { name: 'local_sample_size', plot: localSampleSizePlot, isOfChains: true },
] as const satisfies readonly PlotOfOne[];

export type PlotOfOneName = (typeof TABLE)[number]['name'];

export const PLOTS_OF_ONE: readonly PlotOfOne<PlotOfOneName>[] = TABLE.map((each) => ({
  ...each,
  plot: plotOrReason(each.plot),
}));
