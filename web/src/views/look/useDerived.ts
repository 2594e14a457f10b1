import type { Fit } from 'leapfrog';
import { programReasonOf } from '../../reasons.js';
import { isOver, type Run } from '../../state/run.js';
import { chosenDraws } from '../../state/statistics.js';
import { useStore } from '../../state/store.js';
import { useFit } from './useFit.js';
import { useStatistic } from './useStatistic.js';

/** Why quantities cannot be derived from a program. */
export interface NotDerived {
  readonly unclear: string;
}

/** Maximum product of the characters of the data and the number of draws; above it, derived quantities may take too much memory. */
const MOST_NUMBERS = 1e9;

/** Quantities derived from the program for the draws of a run, such as `log_lik`; undefined until they are computed, and if they are not required. */
export function useDerived<Derived>(
  run: Run | undefined,
  isWanted: boolean,
  derive: (run: Run, fit: Fit) => Promise<Derived>,
  isPossible = isDerivable,
): Derived | NotDerived | undefined {
  const fit = useFit(run);
  const draws = isWanted && run !== undefined && isPossible(run, fit) ? fit : undefined;
  const derived = useStatistic<Derived | NotDerived>(run, draws, derive, notDerived);
  return isWanted ? derived : undefined;
}

/** As many draws of a run as the user has chosen for predictive checks; undefined if the user has cancelled them. */
export function useChosenDraws(run: Run | undefined, fit: Fit | undefined): Fit | undefined {
  const choice = useStore(({ derivingChoices }) => run && derivingChoices[run.id]);
  return run === undefined || fit === undefined || choice?.isCancelled === true ? undefined : chosenDraws(run, fit);
}

/** Like `useDerived`, for the draws that the user has chosen. */
export function useCancellable<Derived>(
  run: Run | undefined,
  isWanted: boolean,
  derive: (run: Run, fit: Fit) => Promise<Derived>,
  isPossible = isDerivable,
): Derived | NotDerived | undefined {
  const all = useFit(run);
  const used = useChosenDraws(run, all);
  const draws = isWanted && run !== undefined && isPossible(run, all) ? used : undefined;
  const derived = useStatistic<Derived | NotDerived>(run, draws, derive, notDerived);
  return isWanted && used !== undefined ? derived : undefined;
}

/**
 * Whether a run has a program with a likelihood, which imported draws and draws of the prior lack, and draws for which
 * quantities can be derived.
 */
export function isDerivable(run: Run, fit: Fit | undefined): boolean {
  return run.isPrior !== true && isReplicable(run, fit);
}

/** Like `isDerivable`, for data that are replicated: draws of the prior have the likelihood of the original program. */
export function isReplicable(run: Run, fit: Fit | undefined): boolean {
  if (fit === undefined || fit.draws < 2 || !isOver(run) || run.remote?.isLarge === true) return false;
  if (run.isPrior === true && run.original === undefined) return false;
  if (run.source.program.trim() === '') return false;
  return run.source.data.length * fit.draws * fit.chains.length <= MOST_NUMBERS;
}

function notDerived(error: unknown): NotDerived | undefined {
  return isAbort(error) ? undefined : { unclear: programReasonOf(error) };
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
