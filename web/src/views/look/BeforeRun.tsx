import type { ProgramReport } from '#engine/analysis/language-service.js';
import { keyNames } from '../../actions/actions.js';
import { openFile } from '../../actions/taking.js';
import { pasteTable } from '../../data/filling.js';
import { examples, openExample } from '../../examples/examples.js';
import { briefMessage } from '../../language/brief-message.js';
import { jumpTo } from '../../language/editors.js';
import { applyFix } from '../../language/fixing.js';
import { lessons, openLesson } from '../../lessons/lessons.js';
import { DATA_FILE, PROGRAM_FILE } from '../../state/file-names.js';
import { useStore } from '../../state/store.js';
import { endTour, goToStop } from '../../state/tour.js';

/** What to do next, shown before the first run. It scrolls where the page is low. */
export function BeforeRun() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="before-run" aria-label="Next step" tabIndex={0}>
      <NextStep />
    </section>
  );
}

function NextStep() {
  const isEmpty = useStore(({ project }) => project.program.trim() === '');
  const report = useStore(({ report }) => report);
  const problems = useStore(({ dataProblems }) => dataProblems);
  const isChecked = useStore(({ isChecked }) => isChecked);
  const onServer = useStore(({ place, server }) => place === 'server' && server === 'ready');
  if (isEmpty) return <Welcome />;
  const error = report?.remarks.find(({ severity }) => severity === 'error');
  if (error !== undefined) {
    return (
      <div className="state">
        <h2>The program has an error</h2>
        <p className="prose">{briefMessage(error.message)}</p>
        {briefMessage(error.message) !== error.message && (
          <details>
            <summary>The whole message</summary>
            <p className="prose">{error.message}</p>
          </details>
        )}
        <div className="buttons">
          {error.fixes.map((fix) => (
            <button key={fix.title} type="button" className="primary" onClick={() => void applyFix(fix)}>
              {fix.title}
            </button>
          ))}
          <button type="button" onClick={() => jumpTo(error.at.file, error.at.from)}>
            Go to {error.at.file === PROGRAM_FILE ? '' : `${error.at.file}, `}line {error.line}
          </button>
        </div>
      </div>
    );
  }
  if (report === undefined) return <Waiting title="Checking the program…" />;
  const wrong = problems.filter(({ severity }) => severity === 'error');
  if (wrong.length > 0) {
    return (
      <div className="state">
        <h2>The data do not fit the program</h2>
        <ul className="prose">
          {wrong.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
        <button type="button" onClick={() => jumpTo(DATA_FILE, wrong[0]?.from ?? 0)}>
          Go to the data
        </button>
      </div>
    );
  }
  if (!isChecked) return <Waiting title="Checking the data…" />;
  if (isOnlyData(report)) {
    return (
      <div className="state">
        <h2>Next: parameters and model</h2>
        <p className="prose">
          The program declares its data. Declare the unknowns in the block <code>parameters</code>, and define in{' '}
          <code>model</code> how the data depend on them, such as <code>y ~ normal(a + b * x, sigma)</code>. Names are
          completed as you type.
        </p>
      </div>
    );
  }
  return (
    <div className="state">
      <h2>Ready to run</h2>
      <p className="prose">
        Press Run, or <kbd>{keyNames('Mod+Enter').join(' ')}</kbd> from anywhere.{' '}
        {onServer
          ? 'The program and the data are sent to the server. The run continues when this page is closed.'
          : 'Chains run in this browser, on the cores of this machine. No data leave it.'}
      </p>
    </div>
  );
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
  const isOffered = useStore(({ isTourOffered }) => isTourOffered);
  return (
    <div className="state">
      {isOffered && (
        <div className="tour-offer">
          <span>New here? The tour has four stops.</span>
          <button type="button" onClick={() => goToStop(0)}>
            Take the tour
          </button>
          <button type="button" className="quiet" onClick={endTour}>
            No, thanks
          </button>
        </div>
      )}
      <h2>Write a model, run it, look at it</h2>
      <p className="prose">
        This page compiles and samples Stan programs. Start writing on the left, or open an example:
      </p>
      <ul className="cards">
        {examples.slice(0, 3).map((example) => (
          <li key={example.folder}>
            <button type="button" className="card" onClick={() => openExample(example)}>
              <strong>{example.title}</strong>
              <span>{example.teaches}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="prose">Or take a lesson, step by step:</p>
      <ul className="lessons">
        {lessons.map((lesson) => (
          <li key={lesson.folder}>
            <button type="button" onClick={() => void openLesson(lesson)}>
              {lesson.title}
            </button>{' '}
            <span className="muted">{lesson.teaches}</span>
          </li>
        ))}
      </ul>
      <p className="prose">
        Or start with your data: a table (CSV), JSON or an R dump. The page adds their declarations to the program.
      </p>
      <div className="buttons">
        <button type="button" onClick={openFile}>
          Open data
        </button>
        <button type="button" onClick={() => void pasteTable()}>
          Paste a table
        </button>
      </div>
    </div>
  );
}
