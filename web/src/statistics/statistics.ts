/** What draws of runs that are over say, computed once by threads of the library. */
import type { Fit, LeaveOneOut, NamedSummary } from 'leapfrog';

interface Statistics {
  summary?: Promise<readonly NamedSummary[]>;
  loo?: Promise<LeaveOneOut>;
}

const known = new WeakMap<Fit, Statistics>();

function of(fit: Fit): Statistics {
  const there = known.get(fit) ?? {};
  known.set(fit, there);
  return there;
}

/** Summaries of all quantities. */
export function summaryOf(fit: Fit): Promise<readonly NamedSummary[]> {
  const there = of(fit);
  there.summary ??= fit.draws === 0 ? Promise.resolve([]) : fit.summary();
  return there.summary;
}

/** Leave-one-out cross-validation; rejects where the draws do not allow it. */
export function looOf(fit: Fit): Promise<LeaveOneOut> {
  const there = of(fit);
  there.loo ??= fit.loo();
  return there.loo;
}
