import type { Fit } from 'leapfrog';
import { programReasonOf } from '../../reasons.js';
import { isOver, type Run } from '../../state/run.js';
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
): Derived | NotDerived | undefined {
  const fit = useFit(run);
  const draws = isWanted && run !== undefined && isDerivable(run, fit) ? fit : undefined;
  const derived = useStatistic<Derived | NotDerived>(run, draws, derive, notDerived);
  return isWanted ? derived : undefined;
}

/** Whether a run has a program, which imported draws may lack, and draws for which quantities can be derived. */
export function isDerivable(run: Run, fit: Fit | undefined): boolean {
  if (fit === undefined || fit.draws < 2 || !isOver(run) || run.isPrior === true || run.remote?.isLarge === true)
    return false;
  if (run.source.program.trim() === '') return false;
  return run.source.data.length * fit.draws * fit.chains.length <= MOST_NUMBERS;
}

function notDerived(error: unknown): NotDerived {
  return { unclear: programReasonOf(error) };
}
