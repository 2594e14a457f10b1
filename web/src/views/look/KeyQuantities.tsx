import { useId } from 'react';
import type { Run } from '../../state/run.js';
import { t } from '../../words/messages.js';
import { QuantityForest } from './QuantityForest.js';
import { areRefused, useSummaries } from './useSummaries.js';

/** The key quantities of a finished run. */
export function KeyQuantities({ run }: { readonly run: Run }) {
  const loaded = useSummaries(run);
  const title = useId();
  if (loaded !== undefined && areRefused(loaded)) return null;
  return (
    <section className="key-quantities" aria-labelledby={title}>
      <h3 id={title} className="section-title">
        {t('runs.keyQuantities')}
      </h3>
      {loaded === undefined ? (
        <p className="muted">{t('runs.summarizing')}</p>
      ) : (
        <QuantityForest run={run} summaries={loaded} label={title} />
      )}
    </section>
  );
}
