import { lazy, Suspense } from 'react';
import { currentRun, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { BeforeRun } from './BeforeRun.js';

const Results = lazy(async () => ({ default: (await import('./Results.js')).Results }));

/** The right half: instructions before the first run, then its results. */
export function LookPane() {
  const run = useStore(currentRun);
  return (
    <section className="look" aria-label={t('runs.results')}>
      <Suspense>{run === undefined ? <BeforeRun /> : <Results run={run} />}</Suspense>
    </section>
  );
}
