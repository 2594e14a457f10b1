import type { Fit } from 'leapfrog';
import { useId, useMemo } from 'react';
import type { SuggestedPrior } from '#engine/derive/suggested-priors.js';
import { type Cause, causesOf } from '#engine/fits/causes.js';
import { showTab } from '../../actions/panes.js';
import { applyEdits, jumpTo } from '../../language/editors.js';
import { isSampler } from '../../run/functions.js';
import type { Run } from '../../state/run.js';
import { update, useStore } from '../../state/store.js';
import { stated, t } from '../../words/messages.js';
import { useFit } from './useFit.js';
import { usePriorFacts } from './usePriorFacts.js';

/** Likely causes of the problems of a run, each with the way to what shows it. */
export function Causes({ run }: { readonly run: Run }) {
  const title = useId();
  const { causes, suggested } = useCauses(run, useFit(run));
  if (causes.length === 0) return null;
  return (
    <section className="causes" aria-labelledby={title}>
      <h3 id={title} className="section-title">
        {t('runs.causes')}
      </h3>
      {causes.map((cause) => (
        <div key={cause.statement.key}>
          <p className="prose">{stated([cause.statement])}</p>
          {cause.statement.key === 'causeCorrelated' ? (
            <ShowPairs names={cause.names} />
          ) : (
            <>
              <GoToDeclaration run={run} names={cause.names} />
              <InsertPriors run={run} priors={suggested.filter(({ name }) => cause.names.includes(name))} />
            </>
          )}
        </div>
      ))}
    </section>
  );
}

/** The causes, and priors for parameters without one. */
function useCauses(
  run: Run,
  fit: Fit | undefined,
): { readonly causes: readonly Cause[]; readonly suggested: readonly SuggestedPrior[] } {
  const { findings } = run;
  const hasProblems = isSampler(run) && findings?.some(({ ok }) => !ok) === true;
  const facts = usePriorFacts(run, hasProblems);
  const causes = useMemo(() => {
    if (!hasProblems || findings === undefined || fit === undefined) return [];
    const { columns, outputs } = fit.contents();
    return causesOf(
      findings,
      { columns, outputs, columnAt: (place) => fit.columnAt(place) },
      facts?.withoutPrior ?? [],
    );
  }, [hasProblems, findings, fit, facts]);
  return { causes, suggested: facts?.suggested ?? [] };
}

function ShowPairs({ names }: { readonly names: readonly string[] }) {
  return (
    <button
      type="button"
      onClick={() => {
        update({ selection: names.join(', '), plotKinds: ['pairs'] });
        showTab({ rightTab: 'plots' });
      }}
    >
      {t('runs.showPairs')}
    </button>
  );
}

/** A way to the first parameter in the editor, if it still has the program of the run. */
function GoToDeclaration({ run, names: [name = ''] }: { readonly run: Run; readonly names: readonly string[] }) {
  const declared = useStore(({ project, report }) =>
    project.program === run.source.program ? report?.declared.find((each) => each.name === name) : undefined,
  );
  if (declared === undefined) return null;
  return (
    <button type="button" onClick={() => jumpTo(declared.declaredAt.file, declared.declaredAt.from)}>
      {t('runs.goTo', { name })}
    </button>
  );
}

/** Adds the priors to the program in the editor, if it is still that of the run. */
function InsertPriors({ run, priors }: { readonly run: Run; readonly priors: readonly SuggestedPrior[] }) {
  const isCurrent = useStore(({ project }) => project.program === run.source.program);
  if (!isCurrent || priors.length === 0) return null;
  return (
    <button type="button" onClick={() => applyEdits(priors.map(({ edit }) => edit))}>
      {t('runs.insertPriors', { count: priors.length })}
    </button>
  );
}
