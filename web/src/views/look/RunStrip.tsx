import { headline } from '#engine/run/headlines.js';
import { isOver, nameOf, type Run } from '../../state/run.js';
import { update, useStore } from '../../state/store.js';
import { discardRun } from '../../state/trash.js';
import { t } from '../../words/messages.js';

/** Runs of this project, the newest first. */
export function RunStrip() {
  const runs = useStore(({ runs }) => runs);
  const runId = useStore(({ runId }) => runId);
  const program = useStore(({ project }) => project.program);
  return (
    <ul className="runs" aria-label={t('runs.list')}>
      {runs.map((run) => (
        <li key={run.id}>
          <button
            type="button"
            className="card"
            aria-pressed={run.id === runId}
            onClick={() => update({ runId: run.id })}
          >
            <strong>{nameOf(run)}</strong>
            <span>{wordsFor(run)}</span>
            {run.isPrior !== true && run.source.program !== program && (
              <span className="muted">{t('runs.otherProgram')}</span>
            )}
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
  );
}

/** Moves the focus to the next run of the list, otherwise to the previous one or to the projects, before a run is removed. */
function focusNeighbor(item: HTMLElement | null): void {
  const neighbor = item?.nextElementSibling ?? item?.previousElementSibling;
  const target = neighbor?.querySelector('button') ?? document.querySelector<HTMLElement>('.menus button');
  target?.focus();
}

function wordsFor(run: Run): string {
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
