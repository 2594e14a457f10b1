import { useId } from 'react';
import { type Remedy, remediesFor } from '#engine/requests/remedies.js';
import { showTab } from '../../actions/panes.js';
import { runAgain } from '../../run/starting.js';
import { nameOf, type Run } from '../../state/run.js';
import { update, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';

/** Buttons that run the program of a run again with settings that may resolve its problems. */
export function Remedies({ run }: { readonly run: Run }) {
  const title = useId();
  const { settings } = run.source;
  const remedies = remediesFor(settings.functionName, settings.arguments, run.findings ?? []).filter(
    // A stopping rule determines the number of draws.
    ({ kind }) => kind !== 'longer' || settings.until === undefined,
  );
  if (remedies.length === 0 || run.importedFrom !== undefined) return null;
  return (
    <section className="remedies" aria-labelledby={title}>
      <h3 id={title} className="section-title">
        {t('runs.runAgain')}
      </h3>
      <div className="buttons">
        {remedies.map((remedy) => (
          <button key={remedy.kind} type="button" onClick={() => void runAgain(run, remedy)}>
            {labelOf(remedy)}
          </button>
        ))}
      </div>
    </section>
  );
}

function labelOf({ kind, arguments: { delta, num_samples: samples } }: Remedy): string {
  switch (kind) {
    case 'tempered':
      return t('runs.withTempering');
    case 'reparameterize':
      return t('runs.withReparameterization');
    case 'recommended':
      return t('runs.withRecommended');
    case 'delta':
      return t('runs.withDelta', { delta: Number(delta) });
    case 'longer':
      return t('runs.withMore', { samples: Number(samples) });
  }
}

/** The number of problems before and after a remedy, and a button that compares both runs. */
export function RemedyResult({ run }: { readonly run: Run }) {
  const before = useStore(({ runs }) => runs.find(({ id }) => id === run.remedyFor));
  if (before === undefined || run.findings === undefined) return null;
  return (
    <p className="prose remedy-result">
      {t('runs.remedied', { run: nameOf(before), before: problemsOf(before), after: problemsOf(run) })}{' '}
      <button
        type="button"
        onClick={() => {
          update({ compareId: before.id });
          showTab({ rightTab: 'compare' });
        }}
      >
        {t('runs.compareBoth')}
      </button>
    </p>
  );
}

function problemsOf({ findings = [] }: Run): number {
  return findings.filter(({ ok }) => !ok).length;
}
