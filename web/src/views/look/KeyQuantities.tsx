import { useId } from 'react';
import type { Run } from '../../state/run.js';
import { t } from '../../words/messages.js';
import { QuantityForest } from './QuantityForest.js';
import { lastEstimates } from './useEstimates.js';
import { areRefused, useSummaries } from './useSummaries.js';

/** The key quantities of a finished run. */
export function KeyQuantities({ run }: { readonly run: Run }) {
  const loaded = useSummaries(run);
  const title = useId();
  if (loaded !== undefined && areRefused(loaded)) return null;
  const summaries = loaded ?? run.estimates;
  return (
    <section className="key-quantities" aria-labelledby={title}>
      <h3 id={title} className="section-title">
        {t('runs.keyQuantities')}
      </h3>
      {summaries === undefined ? (
        <Preliminary run={run} label={title} />
      ) : (
        <QuantityForest run={run} summaries={summaries} label={title} />
      )}
    </section>
  );
}

/** The last estimates of the run in progress, faded, until all draws are summarized. */
function Preliminary({ run, label }: { readonly run: Run; readonly label: string }) {
  const estimates = lastEstimates(run.id);
  return (
    <>
      <p className="muted" role="status">
        {t('runs.summarizing')}
      </p>
      {estimates !== undefined && (
        <div className="preliminary" aria-hidden="true" inert>
          <QuantityForest run={run} summaries={estimates.summaries} label={label} />
        </div>
      )}
    </>
  );
}
