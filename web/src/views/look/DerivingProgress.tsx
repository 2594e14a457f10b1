import type { Run } from '../../state/run.js';
import { chooseDeriving } from '../../state/statistics.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';

/** Number of draws that suffices for plots, if all draws take long. */
const FEW = 500;

interface Checks {
  readonly run: Run;
  /** Number of draws of the run. */
  readonly draws: number;
}

/** The progress of simulations or of cross-validation, with the choice to stop or to use fewer draws. */
export function DerivingProgress({ draws, isLeavingOut, run }: Checks & { readonly isLeavingOut: boolean }) {
  const deriving = useStore((state) => state.deriving[run.id]);
  const isShown = deriving !== undefined && isLeavingOut === (deriving.kind !== 'replicated');
  const text = t(isLeavingOut ? 'plots.leavingOut' : 'plots.replicating');
  return (
    <div className="deriving">
      <p role="status">{text}</p>
      {isShown && (
        <>
          <progress max={deriving.count} value={deriving.done} aria-label={text} />
          <span>{t(deriving.kind === 'loo' ? 'plots.observationsDone' : 'plots.drawsDone', deriving)}</span>
        </>
      )}
      <div className="buttons">
        <FewButton run={run} draws={draws} />
        <button type="button" onClick={() => chooseDeriving(run, { isCancelled: true })}>
          {t('frame.cancel')}
        </button>
      </div>
    </div>
  );
}

function FewButton({ draws, run }: Checks) {
  const { most = draws } = useStore((state) => state.derivingChoices[run.id]) ?? {};
  if (most <= FEW) return null;
  return (
    <button type="button" onClick={() => chooseDeriving(run, { most: FEW })}>
      {t('plots.useDraws', { count: FEW })}
    </button>
  );
}

/** States that derived quantities were cancelled or are those of few draws, with the choice to compute them for all. */
export function DerivingNote({ draws, run }: Checks) {
  const { isCancelled = false, most } = useStore((state) => state.derivingChoices[run.id]) ?? {};
  if (!isCancelled && (most === undefined || most >= draws)) return null;
  return (
    <div className="deriving">
      <p role="status">
        {isCancelled ? t('plots.derivingCancelled') : t('plots.fewDraws', { most: most ?? draws, count: draws })}
      </p>
      <div className="buttons">
        {isCancelled && <FewButton run={run} draws={draws} />}
        <button type="button" onClick={() => chooseDeriving(run, {})}>
          {t('plots.useAllDraws', { count: draws })}
        </button>
      </div>
    </div>
  );
}
