import type { LeaveOneOut } from 'leapfrog';
import { LOG_LIKELIHOOD } from '#engine/derive/derived-names.js';
import { variableOf } from '#engine/formats/columns.js';
import { reasonOf } from '../../reasons.js';
import { isOver, type Run } from '../../state/run.js';
import { derivedLooOf, looOf } from '../../state/statistics.js';
import { useStore } from '../../state/store.js';
import { isAbort, isDerivable, type NotDerived, useCancellable, useChosenDraws } from './useDerived.js';
import { columnNames, useColumns, useFit } from './useFit.js';
import { useStatistic } from './useStatistic.js';

/** Cross-validation, or the reason why the draws do not allow it or the program does not determine it. */
export type Loo = LeaveOneOut | { readonly refused: string } | NotDerived;

/**
 * Leave-one-out cross-validation of a finished run, from its `log_lik` or from log likelihoods that are derived from the program, with the
 * estimates of refits once these have ended; undefined until it is computed.
 */
export function useLoo(run: Run | undefined): Loo | undefined {
  const all = useFit(run);
  const terms = run === undefined ? [] : columnNames(run, all).filter((name) => variableOf(name) === LOG_LIKELIHOOD);
  const fit = useColumns(run, terms);
  const derived = useCancellable(run, terms.length === 0, derivedLooOf);
  // A single draw has no distribution that observations could be left out of.
  const isOwn = run !== undefined && isOver(run) && run.draws > 1 && terms.length > 0;
  const wanted = useChosenDraws(run, isOwn ? fit : undefined);
  const own = useStatistic<Loo>(run, wanted, looOf, refusalOf);
  const refits = useStore((state) => run && state.refits[run.id]);
  return refits?.kind === 'done' ? refits.loo : (derived ?? own);
}

/** Whether a finished run has no log likelihoods and they cannot be derived. */
export function useLacksLoo(run: Run): boolean {
  const fit = useFit(run);
  const hasTerms = columnNames(run, fit).some((name) => variableOf(name) === LOG_LIKELIHOOD);
  return isOver(run) && fit !== undefined && !hasTerms && !isDerivable(run, fit);
}

function refusalOf(error: unknown): Loo | undefined {
  return isAbort(error) ? undefined : { refused: reasonOf(error) };
}
