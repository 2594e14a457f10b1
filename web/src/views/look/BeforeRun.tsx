import type { MouseEvent } from 'react';
import type { ProgramReport } from '#engine/editing/language-service.js';
import { keyNames } from '../../actions/actions.js';
import { openFile } from '../../actions/taking.js';
import { DATA_LIMIT } from '../../data/checking.js';
import { pasteTable } from '../../data/filling.js';
import { examples, liveCoin, openExample } from '../../examples/examples.js';
import { briefMessage } from '../../language/brief-message.js';
import { jumpTo } from '../../language/editors.js';
import { applyFix } from '../../language/fixing.js';
import { lessons, openLesson } from '../../lessons/lessons.js';
import { DATA_FILE, PROGRAM_FILE } from '../../state/file-names.js';
import { useStore } from '../../state/store.js';
import { endTour, goToStop } from '../../state/tour.js';
import { t } from '../../words/messages.js';
import { rich } from '../../words/rich.js';
import { ExampleCard } from '../ExampleCard.js';

/** What to do next, shown before the first run. It scrolls if the page is low. */
export function BeforeRun() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="before-run" aria-label={t('start.nextStep')} tabIndex={0}>
      <NextStep />
    </section>
  );
}

function NextStep() {
  const isEmpty = useStore(({ project }) => project.program.trim() === '');
  const report = useStore(({ report }) => report);
  const problems = useStore(({ dataProblems }) => dataProblems);
  const isChecked = useStore(({ isChecked }) => isChecked);
  const isSafe = useStore(({ isSafe }) => isSafe);
  const isSlow = useStore(({ isDataSlow }) => isDataSlow);
  const onServer = useStore(({ place, server }) => place === 'server' && server === 'ready');
  if (isEmpty) return <Welcome />;
  if (isSafe) return <Waiting title={t('frame.notChecked')} />;
  const error = report?.remarks.find(({ severity }) => severity === 'error');
  if (error !== undefined) {
    return (
      <div className="state">
        <h2>{t('start.programError')}</h2>
        <p className="prose" lang="en">
          {briefMessage(error.message)}
        </p>
        {briefMessage(error.message) !== error.message && (
          <details>
            <summary>{t('start.wholeMessage')}</summary>
            <p className="prose" lang="en">
              {error.message}
            </p>
          </details>
        )}
        <div className="buttons">
          {error.fixes.map((fix) => (
            <button key={fix.title} type="button" className="primary" onClick={() => void applyFix(fix)}>
              {fix.title}
            </button>
          ))}
          <button type="button" onClick={() => jumpTo(error.at.file, error.at.from)}>
            {error.at.file === PROGRAM_FILE
              ? t('start.goToLine', { line: error.line })
              : t('start.goToLineOf', { file: error.at.file, line: error.line })}
          </button>
        </div>
      </div>
    );
  }
  if (report === undefined) return <Waiting title={t('start.checkingProgram')} />;
  const wrong = problems.filter(({ severity }) => severity === 'error');
  if (wrong.length > 0) {
    return (
      <div className="state">
        <h2>{t('start.dataError')}</h2>
        <ul className="prose">
          {wrong.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
        <button type="button" onClick={() => jumpTo(DATA_FILE, wrong[0]?.from ?? 0)}>
          {t('start.goToData')}
        </button>
      </div>
    );
  }
  if (!isChecked) return <Waiting title={t('start.checkingData')} />;
  if (isOnlyData(report)) {
    return (
      <div className="state">
        <h2>{t('start.onlyData')}</h2>
        <p className="prose">{rich('start.onlyDataHelp')}</p>
      </div>
    );
  }
  return (
    <div className="state">
      <h2>{t('start.ready')}</h2>
      <p className="prose">
        {rich('start.readyHelp', { keys: keyNames('Mod+Enter').join(' ') })}{' '}
        {t(onServer ? 'start.onServer' : 'start.inBrowser')}
      </p>
      {isSlow && <p className="prose">{t('start.slowData', { seconds: DATA_LIMIT / 1000 })}</p>}
    </div>
  );
}

/** Moves the focus from a button that disappears to what takes its place. */
function leaving(act: () => void): (event: MouseEvent<HTMLElement>) => void {
  return ({ currentTarget }) => {
    currentTarget.closest<HTMLElement>('.before-run')?.focus();
    act();
  };
}

function Waiting({ title }: { readonly title: string }) {
  return (
    <div className="state">
      <h2 className="muted">{title}</h2>
    </div>
  );
}

/** Whether a program has nothing to sample or to compute yet. */
function isOnlyData(report: ProgramReport | undefined): boolean {
  const info = report?.info;
  if (info === undefined || Object.keys(info.inputs).length === 0) return false;
  const made = [info.parameters, info['transformed parameters'], info['generated quantities']];
  return made.every((variables) => Object.keys(variables).length === 0);
}

function Welcome() {
  const isOffered = useStore(({ isTourOffered, tourStop }) => isTourOffered && tourStop === undefined);
  return (
    <div className="state">
      {isOffered && (
        <div className="tour-offer">
          <span>{t('start.tourOffer')}</span>
          <button type="button" onClick={() => goToStop(0)}>
            {t('start.takeTour')}
          </button>
          <button type="button" className="quiet" onClick={leaving(endTour)}>
            {t('start.noTour')}
          </button>
        </div>
      )}
      <h2>{t('start.welcome')}</h2>
      <div className="buttons">
        <button type="button" className="primary" onClick={leaving(() => void openExample(liveCoin))}>
          {t('start.tryLive')}
        </button>
      </div>
      <p className="prose">{t('start.welcomeHelp')}</p>
      <ul className="cards examples">
        {examples.slice(0, 3).map((example) => (
          <li key={example.folder}>
            <ExampleCard
              folder={example.folder}
              title={t(example.title)}
              teaches={t(example.teaches)}
              onOpen={leaving(() => void openExample(example))}
            />
          </li>
        ))}
      </ul>
      <p className="prose">{t('start.orLesson')}</p>
      <ul className="lessons">
        {lessons.map((lesson) => (
          <li key={lesson.folder}>
            <button type="button" onClick={leaving(() => void openLesson(lesson))}>
              {t(lesson.title)}
            </button>{' '}
            <span className="muted">{t(lesson.teaches)}</span>
          </li>
        ))}
      </ul>
      <p className="prose">{t('start.orData')}</p>
      <div className="buttons">
        <button type="button" onClick={openFile}>
          {t('start.openData')}
        </button>
        <button type="button" onClick={() => void pasteTable()}>
          {t('start.pasteTable')}
        </button>
      </div>
    </div>
  );
}
