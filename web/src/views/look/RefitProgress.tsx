import type { Unfinished } from '../../state/refitting.js';
import { t } from '../../words/messages.js';

/** How many refits have ended. */
export function RefitProgress({
  refits: { count, done },
}: {
  readonly refits: Extract<Unfinished, { readonly kind: 'running' }>;
}) {
  return (
    <div className="refits-progress">
      <progress max={count ?? 1} value={done} aria-label={t('plots.refits')} />
      {count !== undefined && <span className="muted">{t('plots.refitProgress', { done, count })}</span>}
    </div>
  );
}
