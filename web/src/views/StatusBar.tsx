import { keyNames, THEME_NAMES } from '../actions/actions.js';
import { chooseLanguage } from '../actions/choosing-language.js';
import { showTab } from '../actions/panes.js';
import { jumpTo } from '../language/editors.js';
import { applyFix } from '../language/fixing.js';
import { currentRun, type Theme, update, useStore } from '../state/store.js';
import { compileTimeWords } from '../words/compile-time.js';
import { isLanguage, languages } from '../words/languages.js';
import { t } from '../words/messages.js';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function StatusBar() {
  return (
    <footer className="status">
      <Remarks />
      <Unchecked />
      <Compiled />
      <span className="space" />
      <Saved />
      <Offline />
      <LanguageField />
      <ThemeButton />
      <button type="button" className="quiet wide" onClick={() => update({ overlay: 'palette' })}>
        {t('frame.actions')} <kbd>{keyNames('Mod+K').join(' ')}</kbd>
      </button>
    </footer>
  );
}

/** The number of problems, errors first; a click goes to the first. */
function Remarks() {
  const report = useStore(({ report }) => report);
  const program = useStore(({ project }) => project.program);
  const problems = useStore(({ dataProblems }) => dataProblems);
  const isSafe = useStore(({ isSafe }) => isSafe);
  const hasRun = useStore((state) => currentRun(state) !== undefined);
  if (program.trim() === '') return <span>{t('frame.noProgram')}</span>;
  if (isSafe) return <span>{t('frame.notChecked')}</span>;
  if (report === undefined) return <span>{t('frame.reading')}</span>;
  const errors = report.remarks.filter(({ severity }) => severity === 'error');
  const warnings = report.remarks.filter(({ severity }) => severity === 'warning');
  const [first] = [...errors, ...warnings];
  const wrongData = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0 && wrongData.length > 0) {
    return (
      <button type="button" className="quiet wrong" onClick={() => showTab({ leftTab: 'data' })}>
        {t('frame.dataErrors', { count: wrongData.length })}
      </button>
    );
  }
  if (first === undefined) return <span>{t('frame.noErrors')}</span>;
  const text = [
    errors.length > 0 && t('frame.errors', { count: errors.length }),
    warnings.length > 0 && t('frame.warnings', { count: warnings.length }),
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

/** The note that the data are checked when the program runs. Before the first run, the right half explains it. */
function Unchecked() {
  const isSlow = useStore(({ isDataSlow }) => isDataSlow);
  return isSlow ? <span className="warning">{t('frame.slowData')}</span> : null;
}

function Compiled() {
  const report = useStore(({ report }) => report);
  const time = useStore(({ compileTime }) => compileTime);
  if (report?.info === undefined || time === undefined) return null;
  return (
    <span className="wide">
      {compileTimeWords(time)} · {wordsForParameters(Object.keys(report.info.parameters))}
    </span>
  );
}

const MOST_NAMED = 4;

/** Names, or the number of variables: the number of their elements is unknown without the data. */
function wordsForParameters(names: readonly string[]): string {
  if (names.length === 0) return t('frame.noParameters');
  if (names.length > MOST_NAMED) return t('frame.parameterCount', { count: names.length });
  return t('frame.parameters', { count: names.length, names: names.join(', ') });
}

const SAVED = { saved: 'frame.saved', saving: 'frame.saving', link: 'frame.fromLink' } as const;

function Saved() {
  const saved = useStore(({ saved }) => saved);
  const isUnstored = useStore(({ storageFault }) => storageFault !== undefined);
  const isDeleted = useStore(({ isDeleted }) => isDeleted);
  const isFollowing = useStore(({ isFollowing }) => isFollowing);
  const isWriting = useStore(({ writing }) => writing.length > 0);
  if (isUnstored || saved === 'full') {
    return <span className="wrong">{t('frame.unsaved')}</span>;
  }
  if (isDeleted) return <span className="muted wide">{t('frame.inTrash')}</span>;
  if (isFollowing) return <span className="muted wide">{t('frame.followed')}</span>;
  return <span className="muted wide">{t(isWriting ? 'frame.savingDraws' : SAVED[saved])}</span>;
}

function Offline() {
  const isKept = useStore(({ isKeptOffline }) => isKeptOffline);
  return isKept ? (
    <span className="muted wide" title={t('frame.offlineHelp')}>
      {t('frame.offline')}
    </span>
  ) : null;
}

function LanguageField() {
  const language = useStore(({ language }) => language);
  return (
    <select
      className="quiet language"
      aria-label={t('frame.language')}
      value={language}
      onChange={({ target }) => isLanguage(target.value) && void chooseLanguage(target.value)}
    >
      {Object.entries(languages).map(([tag, { name }]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}

function ThemeButton() {
  const theme = useStore(({ theme }) => theme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const icons: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };
  return (
    <button
      type="button"
      className="quiet"
      aria-label={t('frame.themeButton', { theme: t(THEME_NAMES[theme]), next: t(THEME_NAMES[next]) })}
      title={t('frame.theme', { theme: t(THEME_NAMES[theme]) })}
      onClick={() => update({ theme: next })}
    >
      <span aria-hidden="true">{icons[theme]}</span> {t(THEME_NAMES[theme])}
    </button>
  );
}
