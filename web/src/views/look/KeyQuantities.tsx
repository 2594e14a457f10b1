import { useId } from 'react';
import type { Run } from '../../state/run.js';
import { t } from '../../words/messages.js';
import { QuantityForest } from './QuantityForest.js';
import { areRefused, useSummaries } from './useSummaries.js';

/** The key quantities of a finished run. */
export function KeyQuantities({ run }: { readonly run: Run }) {
  const told = useSummaries(run);
  const title = useId();
  if (told !== undefined && areRefused(told)) return null;
  return (
    <section className="key-quantities" aria-labelledby={title}>
      <h3 id={title} className="section-title">
        {t('runs.keyQuantities')}
      </h3>
      {told === undefined ? (
        <p className="muted">{t('runs.summarizing')}</p>
      ) : (
        <QuantityForest run={run} summaries={told} label={title} />
      )}
    </section>
  );
}
