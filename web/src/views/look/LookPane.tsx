import { lazy, Suspense } from 'react';
import { headlineOf } from '../../run/headline-text.js';
import type { Run } from '../../state/run.js';
import { currentRun, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { BeforeRun } from './BeforeRun.js';

const Results = lazy(async () => ({ default: (await import('./Results.js')).Results }));

/** The right half: instructions before the first run, then its results. */
export function LookPane() {
  const run = useStore(currentRun);
  return (
    <section className="look" aria-label={t('runs.results')}>
      <Suspense fallback={<Stored run={run} />}>{run === undefined ? <BeforeRun /> : <Results run={run} />}</Suspense>
    </section>
  );
}

/** The verdict of a stored run, until the code of the results is loaded. */
function Stored({ run }: { readonly run: Run | undefined }) {
  if (run?.findings === undefined) return null;
  const isReliable = run.findings.every(({ ok }) => ok);
  return (
    <div className="tabs">
      <div className="tab-list" />
      <div className="tab">
        <div className="verdict">
          <h2 className={isReliable ? 'headline good' : 'headline wrong'}>{headlineOf(run, run.findings)}</h2>
        </div>
      </div>
    </div>
  );
}
