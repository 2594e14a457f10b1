/** Plots of a fit as SVG. */

import type { Fit } from '../library/public.js';
import { autocorrelationPlot } from '../plots/autocorrelation.js';
import { densityPlot } from '../plots/density.js';
import { forestHeight, forestPlot } from '../plots/forest.js';
import { forestPanels, forestVariables } from '../plots/forest-rows.js';
import { rankPlot } from '../plots/ranks.js';
import type { Plot, Quantity, Size } from '../plots/scene.js';
import { PAPER, svgText } from '../plots/svg.js';
import { tracePlot } from '../plots/trace.js';
import { displayName } from '../run/columns.js';
import { keyQuantities } from '../run/key-quantities.js';
import { quantitiesIn } from '../run/statistics.js';

const SMALL: Size = { width: 360, height: 190 };
const WIDTH = 900;

/** Vectors of more elements are one row of intervals. */
const MOST_OPEN = 12;

const EACH: ReadonlyMap<string, (quantity: Quantity, size: Size) => Plot> = new Map([
  ['autocorrelation', autocorrelationPlot],
  ['density', densityPlot],
  ['ranks', rankPlot],
  ['trace', tracePlot],
]);

/**
 * Plots of quantities, of the key quantities unless variables or elements are named: one of all for `intervals`, otherwise one of each,
 * at most `most`.
 */
export async function plotsOf(
  fit: Fit,
  kind: string,
  variables: readonly string[] | undefined,
  most: number,
): Promise<readonly string[]> {
  const places = variables === undefined ? quantitiesIn(fit.columns) : variables.flatMap((name) => fit.places(name));
  const names = places.map((place) => displayName(fit.columns[place]));
  const shown = variables === undefined ? keyQuantities(names) : names;
  if (shown.length === 0) return [];
  if (kind === 'intervals') return [svgText(await intervals(fit, shown), PAPER)];
  const plot = EACH.get(kind);
  if (plot === undefined) throw new Error(`there is no plot ${kind}`);
  const divergent = fit.columns.includes('divergent__') ? fit.column('divergent__') : undefined;
  return shown.slice(0, most).map((name) => {
    const chains = fit.column(name);
    return svgText(plot({ name, chains, ...(divergent && { divergent }) }, SMALL), PAPER);
  });
}

async function intervals(fit: Fit, names: readonly string[]): Promise<Plot> {
  const estimates = await fit.summary({ variables: names });
  const panels = forestPanels(forestVariables(estimates), ({ elements }) => elements.length <= MOST_OPEN);
  return forestPlot(panels, fit.chains.length, { width: WIDTH, height: forestHeight(panels) });
}
