import type { Fit } from 'leapfrog';
import { useEffect, useState } from 'react';
import { reasonOf } from '../../reasons.js';
import { isOver, type Run } from '../../state/run.js';
import { useFit } from './useFit.js';

/** Why something cannot be derived from a program. */
export interface NotDerived {
  readonly unclear: string;
}

/** Largest product of the characters of the data and the draws; above it, what is derived may take too much memory. */
const MOST_NUMBERS = 1e9;

/** What is derived from a program for the draws of a run, such as `log_lik`; undefined until it is there, and where it is not wanted. */
export function useDerived<Derived>(
  run: Run | undefined,
  isWanted: boolean,
  derive: (run: Run, fit: Fit) => Promise<Derived>,
): Derived | NotDerived | undefined {
  const fit = useFit(run);
  const [found, setFound] = useState<{ readonly id: string; readonly derived: Derived | NotDerived }>();
  const id = run?.id;
  const draws = isWanted && run !== undefined && isDerivable(run, fit) ? fit : undefined;
  useEffect(() => {
    let isCurrent = true;
    if (draws !== undefined && run !== undefined && id !== undefined) {
      derive(run, draws)
        .catch((error: unknown) => ({ unclear: unclearOf(error) }))
        .then((derived) => isCurrent && setFound({ id, derived }));
    }
    return () => {
      isCurrent = false;
    };
  }, [run, id, draws, derive]);
  return isWanted && found?.id === id ? found?.derived : undefined;
}

/** Whether a run has draws for which quantities can be derived. */
export function isDerivable(run: Run, fit: Fit | undefined): boolean {
  if (fit === undefined || fit.draws < 2 || !isOver(run) || run.isPrior === true || run.remote?.isLarge === true)
    return false;
  return run.source.data.length * fit.draws * fit.chains.length <= MOST_NUMBERS;
}

/** The first diagnostic without the lines of the program, or the message of an error. */
function unclearOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'diagnostics' in error && Array.isArray(error.diagnostics)) {
    const [first]: readonly { readonly line: number; readonly message: string }[] = error.diagnostics;
    if (first !== undefined) return `Line ${first.line}: ${first.message}`;
  }
  return reasonOf(error);
}
