import type { Fit } from 'leapfrog';
import { useEffect, useRef, useState } from 'react';
import { keyQuantities } from '#engine/fits/key-quantities.js';
import { summariesOf } from '#engine/fits/statistics.js';
import { displayName } from '#engine/formats/columns.js';
import { forestVariables } from '#engine/plots/forest-rows.js';
import { fitOf, quantitiesOf } from '../../state/fits.js';
import type { QuantitySummary } from '../../state/quantity-summary.js';
import type { Run } from '../../state/run.js';

export interface Estimates {
  readonly summaries: readonly QuantitySummary[];
  /** Number of draws of each chain that is included. */
  readonly draws: readonly number[];
}

/** Minimum number of draws of a chain from which R-hat is estimated. Chains with fewer are excluded. */
const FEWEST = 10;
/** Maximum number of quantities that are summarized during a run. */
const MOST = 24;
/** Minimum interval between two summaries: in milliseconds, and as a multiple of the time that one takes, because chains need the processor. */
const INTERVAL = 400;
const PAUSE = 20;

/** The last estimates of each run in progress, which the verdict shows until the summary is computed. */
const last = new Map<string, Estimates>();

export function lastEstimates(runId: string): Estimates | undefined {
  return last.get(runId);
}

/** Summaries of the draws so far, updated when `version` changes, at limited intervals; undefined before the first draws. */
export function useEstimates(run: Run, version: number): Estimates | undefined {
  const [found, setFound] = useState<{ readonly id: string; readonly estimates: Estimates }>();
  const next = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the draws change with the version
  useEffect(() => {
    const fit = fitOf(run.id);
    const begun = performance.now();
    if (fit === undefined || begun < next.current) return;
    const estimates = estimatesOf(fit, run);
    if (estimates !== undefined) {
      last.clear();
      last.set(run.id, estimates);
      setFound({ id: run.id, estimates });
    }
    const taken = performance.now() - begun;
    next.current = begun + Math.max(INTERVAL, PAUSE * taken);
  }, [run.id, version]);
  return found?.id === run.id ? found.estimates : undefined;
}

function estimatesOf(fit: Fit, run: Run): Estimates | undefined {
  const draws = fit.columnAt(0).map(({ length }) => length);
  const counting = draws.flatMap((count, index) => (count >= FEWEST ? [index] : []));
  if (counting.length === 0) return undefined;
  const even = Math.min(...counting.map((index) => draws[index] ?? 0));
  const summaries = summariesOf(
    shownColumns(fit, run).map((name) => {
      const chains = fit.column(name);
      return {
        name: displayName(name),
        chains: counting.flatMap((index) => chains[index]?.subarray(0, even) ?? []),
      };
    }),
  );
  return { summaries, draws: counting.map((index) => draws[index] ?? 0) };
}

/** Scalars, then whole vectors, up to the limit. While it samples, a server sends only some elements of vectors. */
function shownColumns(fit: Fit, run: Run): readonly string[] {
  const columns = keyQuantities(quantitiesOf(fit.columns));
  const places = new Map(columns.map((name) => [displayName(name), name]));
  const shown: string[] = [];
  for (const { elements, isScalar } of forestVariables(columns.map((name) => ({ name: displayName(name) })))) {
    if ((!isScalar && run.remote !== undefined) || shown.length + elements.length > MOST) continue;
    shown.push(...elements.flatMap(({ name }) => places.get(name) ?? []));
  }
  return shown;
}
