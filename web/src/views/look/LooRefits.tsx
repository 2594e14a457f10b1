import type { LeaveOneOut } from 'leapfrog';
import { cancelRefits, discardRefits, startRefits } from '../../run/refitting.js';
import type { Refitting } from '../../state/refitting.js';
import type { Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { numerals, t } from '../../words/messages.js';
import { RefitProgress } from './RefitProgress.js';
import { isDerivable } from './useDerived.js';
import { useFit } from './useFit.js';

/** Starts and cancels refits without the observations whose Pareto k is high, and shows their progress and how they ended. */
export function LooRefits({ loo, run }: { readonly loo: LeaveOneOut; readonly run: Run }) {
  const fit = useFit(run);
  const refits = useStore((state) => state.refits[run.id]);
  const count = loo.unreliable.length;
  const isOffered = refits !== undefined || (count > 0 && isDerivable(run, fit));
  if (fit === undefined || !isOffered) return null;
  const press = () => {
    // Two presses may precede a rendering.
    const current = useStore.getState().refits[run.id]?.kind;
    if (current === 'running') cancelRefits(run);
    else if (current === 'done') discardRefits(run);
    else void startRefits(run, fit);
  };
  return (
    <div className="refits">
      {/* One element for all states, so that it keeps the focus. */}
      <button
        type="button"
        title={refits?.kind === 'running' || refits?.kind === 'done' ? undefined : t('plots.refitHelp')}
        onClick={press}
      >
        {refits?.kind === 'running'
          ? t('frame.cancel')
          : refits?.kind === 'done'
            ? t('plots.refitDiscard')
            : t('plots.refit', { count })}
      </button>
      {refits?.kind === 'running' && <RefitProgress refits={refits} />}
      {/* Present in all states: screen readers announce changes of its text. */}
      <p role="status" className={refits?.kind === 'failed' ? 'wrong' : 'muted'}>
        {refits && statusOf(refits, loo)}
      </p>
    </div>
  );
}

function statusOf(refits: Refitting, { elpd, unreliable }: LeaveOneOut): string {
  switch (refits.kind) {
    case 'running':
      return t('plots.refitting', { count: unreliable.length });
    case 'cancelled':
      return t('plots.refitsCancelled');
    case 'failed':
      return t('plots.refitsFailed', { reason: refits.problem });
    case 'done':
      return t('plots.refitted', {
        exact: numerals.column(elpd.estimate),
        approximate: numerals.column(refits.approximate),
      });
  }
}
