import { useMemo } from 'react';
import { headline } from '#engine/requests/headlines.js';
import { repeatedRun } from '../../compare/text-changes.js';
import { isOver, nameOf, type Run } from '../../state/run.js';
import { update, useStore } from '../../state/store.js';
import { discardRun } from '../../state/trash.js';
import { t } from '../../words/messages.js';

/** Runs of this project, the newest first, and a button that lists them with their names and notes. */
export function RunStrip() {
  const runs = useStore(({ runs }) => runs);
  const runId = useStore(({ runId }) => runId);
  const program = useStore(({ project }) => project.program);
  const repeated = useMemo(() => new Map(runs.map((run) => [run.id, repeatedRun(run, runs)])), [runs]);
  return (
    <div className="run-strip">
      <ul className="runs" aria-label={t('runs.list')}>
        {runs.map((run) => (
          <li key={run.id}>
            <button
              type="button"
              className="card"
              aria-pressed={run.id === runId}
              title={run.note}
              onClick={() => update({ runId: run.id })}
              onDoubleClick={() => update({ overlay: 'runs' })}
            >
              <strong>{nameOf(run)}</strong>
              <span>{wordsFor(run)}</span>
              <Origin run={run} program={program} repeated={repeated.get(run.id)} />
            </button>
            {isOver(run) && (
              <button
                type="button"
                className="quiet forget"
                aria-label={t('runs.delete', { number: run.number })}
                title={t('runs.delete', { number: run.number })}
                onClick={({ currentTarget }) => {
                  focusNeighbor(currentTarget.closest('li'));
                  void discardRun(run.id);
                }}
              >
                <span aria-hidden="true">×</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      <button type="button" title={t('runs.allRunsHelp')} onClick={() => update({ overlay: 'runs' })}>
        {t('runs.allRuns')}
      </button>
    </div>
  );
}

/** Whether the program of a run is no longer that of the project, or the run repeats another one. */
function Origin(of: { readonly run: Run; readonly program: string; readonly repeated: Run | undefined }) {
  const { program, repeated, run } = of;
  const own = (run.original ?? run.source).program;
  if (run.linked !== undefined) return <span className="muted">{t('runs.fromLink')}</span>;
  if (repeated !== undefined) return <span className="muted">{t('runs.sameAs', { run: nameOf(repeated) })}</span>;
  if (own === program || (run.isPrior === true && run.original === undefined)) return null;
  return <span className="muted">{t('runs.otherProgram')}</span>;
}

/** Moves the focus to the next run of the list, otherwise to the previous one or to the projects, before a run is removed. */
function focusNeighbor(item: HTMLElement | null): void {
  const neighbor = item?.nextElementSibling ?? item?.previousElementSibling;
  const target = neighbor?.querySelector('button') ?? document.querySelector<HTMLElement>('.menus button');
  target?.focus();
}

/** The state of a run in a few words. */
export function wordsFor(run: Run): string {
  const count = run.draws;
  switch (run.status) {
    case 'compiling':
    case 'running':
      return t('runs.running');
    case 'failed':
      return t('runs.failed');
    case 'cancelled':
      return count === 0 ? t('runs.cancelled') : t('runs.cancelledDraws', { count });
    case 'done': {
      const problems = run.findings?.filter(({ ok }) => !ok).length ?? 0;
      if (run.findings === undefined) return t('runs.done');
      if (problems > 0) return t('runs.problems', { count: problems });
      return t(run.isPrior !== true && headline(run.findings).key === 'reliable' ? 'runs.reliable' : 'runs.sampled');
    }
  }
}
