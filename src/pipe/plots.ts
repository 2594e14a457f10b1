/** Plots of a fit as SVG. */

import { keyQuantities } from '../fits/key-quantities.js';
import { displayName, quantitiesIn } from '../formats/columns.js';
import { RequestError } from '../library/errors.js';
import type { Calibration, Fit } from '../library/public.js';
import { rankDifferences, rankHistogram } from '../plots/calibration.js';
import { forestHeight, forestPlot } from '../plots/forest.js';
import { forestPanels, forestVariables } from '../plots/forest-rows.js';
import { PLOTS_OF_ONE } from '../plots/of-one.js';
import { pairMatrixHeight, pairMatrixPlot } from '../plots/pair-matrix.js';
import { PARALLEL_HEIGHT, parallelPlot } from '../plots/parallel.js';
import { ridgelinesHeight, ridgelinesPlot } from '../plots/ridgelines.js';
import type { Plot, Quantity, Size } from '../plots/scene.js';
import { PAPER, svgText, titled } from '../plots/svg.js';

const SMALL: Size = { width: 360, height: 190 };
const WIDTH = 900;

/** Vectors with more elements are a single row of intervals. */
const MOST_OPEN = 12;

const OF_ONE = new Map<string, (typeof PLOTS_OF_ONE)[number]>(PLOTS_OF_ONE.map((each) => [each.name, each]));

/** Plots of several quantities, with their heights. */
const TOGETHER: ReadonlyMap<string, readonly [plot: typeof ridgelinesPlot, height: (count: number) => number]> =
  new Map([
    ['matrix', [pairMatrixPlot, pairMatrixHeight]],
    ['parallel', [parallelPlot, () => PARALLEL_HEIGHT]],
    ['ridgelines', [ridgelinesPlot, ridgelinesHeight]],
  ]);

const KINDS = ['intervals', ...TOGETHER.keys(), ...OF_ONE.keys()];

/**
 * Plots of the given variables or elements, by default of the key quantities. `intervals` is one plot of all of them,
 * `matrix`, `parallel` and `ridgelines` one plot of the first `most`, `matrix` of the first six. Other kinds are one plot for each of the first `most`.
 * Throws `RequestError` for an unknown kind.
 */
export async function plotsOf(
  fit: Fit,
  kind: string,
  variables: readonly string[] | undefined,
  most: number,
): Promise<readonly string[]> {
  if (!KINDS.includes(kind))
    throw new RequestError([{ field: 'kind', message: `is ${kind}, but must be one of ${KINDS.join(', ')}` }]);
  const places = variables === undefined ? quantitiesIn(fit.columns) : variables.flatMap((name) => fit.places(name));
  const names = places.map((place) => displayName(fit.columns[place]));
  const shown = variables === undefined ? keyQuantities(names) : names;
  if (shown.length === 0) return [];
  if (kind === 'intervals') return [svgText(titled(await intervals(fit, shown)), PAPER)];
  const divergent = fit.columns.includes('divergent__') ? fit.column('divergent__') : undefined;
  const quantities = shown.slice(0, most).map((name): Quantity => {
    return { name, chains: fit.column(name), ...(divergent && { divergent }) };
  });
  const together = TOGETHER.get(kind);
  if (together !== undefined) {
    const [plot, height] = together;
    return [svgText(titled(plot(quantities, { width: WIDTH, height: height(quantities.length) })), PAPER)];
  }
  const ofOne = OF_ONE.get(kind);
  return quantities.flatMap((quantity) =>
    ofOne === undefined ? [] : [svgText(titled(ofOne.plot(quantity, SMALL)), PAPER)],
  );
}

/**
 * Plots of a calibration, one for each of the first `most` parameters, or for each of the given variables or elements.
 */
export function calibrationPlots(
  { band, greatestRank, places, quantities }: Calibration,
  {
    kind,
    most,
    variables,
  }: { readonly kind: 'ranks' | 'ecdf'; readonly most: number; readonly variables?: readonly string[] },
): readonly string[] {
  const isNamed = (name: string) =>
    variables?.some((each) => each === name || each === name.replace(/[[.].*$/, '')) ?? true;
  const shown = quantities.filter(({ name }) => isNamed(name)).slice(0, most);
  return shown.map((quantity) => {
    const plot =
      kind === 'ranks'
        ? rankHistogram({ ...quantity, greatestRank }, SMALL)
        : rankDifferences({ ...quantity, places, band }, SMALL);
    return svgText(titled(plot), PAPER);
  });
}

async function intervals(fit: Fit, names: readonly string[]): Promise<Plot> {
  const estimates = await fit.summary({ variables: names });
  const panels = forestPanels(forestVariables(estimates), ({ elements }) => elements.length <= MOST_OPEN);
  return forestPlot(panels, fit.chains.length, { width: WIDTH, height: forestHeight(panels) });
}
