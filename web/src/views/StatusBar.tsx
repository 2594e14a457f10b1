import { keyNames } from '../actions/actions.js';
import { jumpTo } from '../language/editors.js';
import { applyFix } from '../language/fixing.js';
import { currentRun, type Theme, update, useStore } from '../state/store.js';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function StatusBar() {
  return (
    <footer className="status">
      <Remarks />
      <Compiled />
      <span className="space" />
      <Saved />
      <ThemeButton />
      <button type="button" className="quiet wide" onClick={() => update({ overlay: 'palette' })}>
        Actions <kbd>{keyNames('Mod+K').join(' ')}</kbd>
      </button>
    </footer>
  );
}

/** The number of problems, errors first; a click goes to the first. */
function Remarks() {
  const report = useStore(({ report }) => report);
  const program = useStore(({ project }) => project.program);
  const problems = useStore(({ dataProblems }) => dataProblems);
  const hasRun = useStore((state) => currentRun(state) !== undefined);
  if (program.trim() === '') return <span>No program yet</span>;
  if (report === undefined) return <span>Reading…</span>;
  const errors = report.remarks.filter(({ severity }) => severity === 'error');
  const warnings = report.remarks.filter(({ severity }) => severity === 'warning');
  const [first] = [...errors, ...warnings];
  const wrongData = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0 && wrongData.length > 0) {
    return (
      <button type="button" className="quiet wrong" onClick={() => update({ leftTab: 'data', side: 'left' })}>
        {counted(wrongData.length, 'problem')} in the data
      </button>
    );
  }
  if (first === undefined) return <span>No errors, no warnings</span>;
  const text = [
    errors.length > 0 && counted(errors.length, 'error'),
    warnings.length > 0 && counted(warnings.length, 'warning'),
  ];
  // Before the first run, the error and all its fixes are shown beside the program.
  const [fix] = hasRun && errors.length > 0 ? first.fixes : [];
  return (
    <>
      <button
        type="button"
        className={errors.length > 0 ? 'quiet wrong' : 'quiet warning'}
        onClick={() => jumpTo(first.at.file, first.at.from)}
      >
        {text.filter(Boolean).join(', ')}
      </button>
      {fix !== undefined && (
        <button type="button" className="quiet fix" title={fix.title} onClick={() => void applyFix(fix)}>
          {fix.title}
        </button>
      )}
    </>
  );
}

function Compiled() {
  const report = useStore(({ report }) => report);
  const time = useStore(({ compileTime }) => compileTime);
  if (report?.info === undefined || time === undefined) return null;
  return (
    <span className="wide">
      compiled in {time.toFixed(0)} ms · {wordsForParameters(Object.keys(report.info.parameters))}
    </span>
  );
}

const MOST_NAMED = 4;

/** Names, or the number of variables: the number of their elements is unknown without the data. */
function wordsForParameters(names: readonly string[]): string {
  if (names.length === 0) return 'no parameters';
  if (names.length > MOST_NAMED) return `${names.length} parameter variables`;
  return `${names.length === 1 ? 'parameter' : 'parameters'} ${names.join(', ')}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function Saved() {
  const saved = useStore(({ saved }) => saved);
  const isWriting = useStore(({ writing }) => writing.length > 0);
  if (saved === 'full') {
    return <span className="wrong">This browser does not store projects. Save what you need as a file.</span>;
  }
  const words = { saved: 'saved', saving: 'saving…', link: 'from a link; saved when you change or run it' };
  return <span className="muted wide">{isWriting ? 'saving draws…' : words[saved]}</span>;
}

function ThemeButton() {
  const theme = useStore(({ theme }) => theme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const icons: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };
  return (
    <button
      type="button"
      className="quiet"
      aria-label={`Colours: ${theme}. Change to ${next}`}
      title={`Colours: ${theme}`}
      onClick={() => update({ theme: next })}
    >
      <span aria-hidden="true">{icons[theme]}</span> {theme}
    </button>
  );
}
