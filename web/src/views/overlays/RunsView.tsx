import { useEffect } from 'react';
import { changedInputs, repeatedRun } from '../../compare/text-changes.js';
import { describeRun, pinRun, takeBack } from '../../state/describing-runs.js';
import { isOver, nameOf, type Run } from '../../state/run.js';
import { announceRuns } from '../../state/sharing-tabs.js';
import { update, useStore } from '../../state/store.js';
import { discardRun } from '../../state/trash.js';
import { enumeration, t } from '../../words/messages.js';
import { wordsFor } from '../look/RunStrip.js';
import { CloseButton, closeOverlay, Overlay } from './Overlay.js';

/** Runs of the project, the newest first, with names, notes and what has changed from one to the next. */
export function RunsView() {
  const runs = useStore(({ runs }) => runs);
  const runId = useStore(({ runId }) => runId);
  const projectId = useStore(({ project }) => project.id);
  useEffect(() => () => announceRuns(projectId), [projectId]);
  return (
    <Overlay label={t('runs.runsTitle')}>
      <h2>{t('runs.runsTitle')}</h2>
      <ul className="run-list">
        {runs.map((run, index) => (
          <RunItem
            key={run.id}
            run={run}
            isCurrent={run.id === runId}
            previous={runs[index + 1]}
            repeated={repeatedRun(run, runs)}
          />
        ))}
      </ul>
      <div className="buttons">
        <CloseButton />
      </div>
    </Overlay>
  );
}

const LONGEST_NAME = 60;
const LONGEST_NOTE = 1000;

interface RunItemProps {
  readonly run: Run;
  readonly isCurrent: boolean;
  readonly previous: Run | undefined;
  /** The run whose inputs this one repeats. */
  readonly repeated: Run | undefined;
}

function RunItem({ run, isCurrent, previous, repeated }: RunItemProps) {
  const { id, number, name = '', note = '' } = run;
  const own = nameOf({ ...run, name: '' });
  const change = changeText(run, previous, repeated);
  return (
    <li aria-current={isCurrent}>
      <div className="run-head">
        <input
          aria-label={t('runs.runName', { run: own })}
          placeholder={own}
          maxLength={LONGEST_NAME}
          value={name}
          data-first={isCurrent || undefined}
          onChange={({ target }) => describeRun(id, { name: target.value })}
        />
        <span>{name === '' ? wordsFor(run) : `${own}, ${wordsFor(run)}`}</span>
        <span className="muted">{t('runs.startedAt', { at: new Date(run.startedAt) })}</span>
      </div>
      <textarea
        aria-label={t('runs.runNote', { run: own })}
        placeholder={t('runs.note')}
        rows={note.includes('\n') ? 3 : 1}
        maxLength={LONGEST_NOTE}
        value={note}
        onChange={({ target }) => describeRun(id, { note: target.value })}
      />
      {change !== undefined && <p className="muted">{change}</p>}
      <div className="buttons">
        <button
          type="button"
          aria-label={t('runs.showRun', { run: own })}
          onClick={() => {
            update({ runId: id, side: 'right' });
            closeOverlay();
          }}
        >
          {t('runs.show')}
        </button>
        {isOver(run) && run.draws > 1 && (
          <button
            type="button"
            aria-pressed={run.isReference === true}
            title={t('runs.pinHelp', { run: own })}
            onClick={() => pinRun(run)}
          >
            {t('runs.pin')}
          </button>
        )}
        {(run.original ?? run.source).program.trim() !== '' && (
          <button
            type="button"
            title={t('runs.takeBackHelp', { run: own })}
            onClick={() => {
              closeOverlay();
              void takeBack(run);
            }}
          >
            {t('runs.takeBack')}
          </button>
        )}
        {isOver(run) && (
          <button type="button" onClick={() => void discardRun(id)}>
            {t('runs.delete', { number })}
          </button>
        )}
      </div>
    </li>
  );
}

function changeText(run: Run, previous: Run | undefined, repeated: Run | undefined): string | undefined {
  if (repeated !== undefined) return t('runs.sameInputs', { run: nameOf(repeated) });
  if (previous === undefined || run.importedFrom !== undefined) return undefined;
  const names = changedInputs(previous.source, run.source);
  if (names.length === 0) return t('runs.sameInputs', { run: nameOf(previous) });
  return t('runs.changedSince', { run: nameOf(previous), names: enumeration(names) });
}
