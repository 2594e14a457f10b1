/** All global actions with their keyboard shortcuts. The palette lists them. */
import { openExample } from '../examples/examples.js';
import { examples } from '../examples/list.js';
import { formatProgram } from '../language/analysis.js';
import { applyFix } from '../language/fixing.js';
import { lessons, openLesson } from '../lessons/lessons.js';
import { cancelRun, startPrior, startRun } from '../run/running.js';
import { openProject } from '../state/opening.js';
import { emptyProject } from '../state/project.js';
import { isOver } from '../state/run.js';
import { currentRun, notify, type PageState, type RightTab, type Theme, update, useStore } from '../state/store.js';
import { goToStop } from '../state/tour.js';
import { isLanguage, languages } from '../words/languages.js';
import { t } from '../words/messages.js';
import type { PlainKey } from '../words/types.js';
import { type Action, hasProgram } from './action.js';
import { chooseLanguage } from './choosing-language.js';
import { focusNextPane, showTab } from './panes.js';
import { shareActions } from './share-actions.js';
import { openFile } from './taking.js';

const LANGUAGES = Object.keys(languages).filter(isLanguage);

const isRunning = (state: PageState) => {
  const run = currentRun(state);
  return run !== undefined && !isOver(run);
};

/** The fix of the first error; without errors, that of the first warning. */
const firstFix = ({ report }: PageState) => report?.remarks.find(({ fixes }) => fixes.length > 0)?.fixes[0];

const RIGHT_TABS = [
  ['verdict', 'runs.verdict'],
  ['summary', 'runs.summary'],
  ['plots', 'runs.plots'],
  ['predictive', 'actions.predictive'],
  ['compare', 'actions.compare'],
  ['draws', 'runs.draws'],
  ['log', 'runs.log'],
] as const satisfies readonly (readonly [RightTab, PlainKey])[];
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const THEME_NAMES = {
  system: 'frame.themeSystem',
  light: 'frame.themeLight',
  dark: 'frame.themeDark',
} as const satisfies Readonly<Record<Theme, PlainKey>>;

/** All actions, in the current language. */
export const actions = (): readonly Action[] => [
  {
    group: t('actions.groupRun'),
    name: t('actions.run'),
    keys: 'Mod+Enter',
    isPossible: (state) => hasProgram(state) && !isRunning(state),
    act: () => void startRun(),
  },
  {
    group: t('actions.groupRun'),
    name: t('actions.cancel'),
    isPossible: isRunning,
    act: () => void cancelRun(currentRun(useStore.getState())?.id ?? ''),
  },
  {
    group: t('actions.groupRun'),
    name: t('actions.prior'),
    isPossible: (state) => hasProgram(state) && !isRunning(state),
    act: () =>
      void startPrior().then((reason) => reason !== undefined && notify(t('compare.priorUnclear', { reason }))),
  },
  {
    group: t('actions.groupRun'),
    name: t('calibration.title'),
    isPossible: hasProgram,
    act: () => update({ overlay: 'calibration' }),
  },
  {
    group: t('actions.groupRun'),
    name: t('profile.action'),
    isPossible: hasProgram,
    act: () => update({ overlay: 'profile' }),
  },
  {
    group: t('actions.groupRun'),
    name: t('actions.notify'),
    isPossible: () => 'Notification' in window && Notification.permission === 'default',
    act: () => void Notification.requestPermission(),
  },
  {
    group: t('actions.groupWrite'),
    name: t('actions.format'),
    keys: 'Mod+S',
    isPossible: hasProgram,
    act: () => void formatProgram(),
  },
  {
    group: t('actions.groupWrite'),
    name: t('actions.fix'),
    keys: 'Mod+.',
    isPossible: (state) => firstFix(state) !== undefined,
    act: () => {
      const fix = firstFix(useStore.getState());
      if (fix !== undefined) void applyFix(fix);
    },
  },
  {
    group: t('actions.groupWrite'),
    name: t('actions.showProgram'),
    act: () => showTab({ leftTab: 'program' }),
  },
  {
    group: t('actions.groupWrite'),
    name: t('actions.showData'),
    act: () => showTab({ leftTab: 'data' }),
  },
  {
    group: t('actions.groupLook'),
    name: t('actions.runs'),
    isPossible: (state) => state.runs.length > 0,
    act: () => update({ overlay: 'runs' }),
  },
  ...RIGHT_TABS.map(
    ([tab, name]): Action => ({
      group: t('actions.groupLook'),
      name: t('actions.show', { tab: t(name) }),
      isPossible: (state) => state.runs.length > 0,
      act: () => showTab({ rightTab: tab }),
    }),
  ),
  { group: t('actions.groupProject'), name: t('actions.newProject'), act: () => openProject(emptyProject()) },
  { group: t('actions.groupProject'), name: t('actions.openFiles'), act: openFile },
  ...shareActions(),
  ...THEMES.map(
    (theme): Action => ({
      group: t('actions.groupPage'),
      name: t('actions.theme', { theme: t(THEME_NAMES[theme]) }),
      act: () => update({ theme }),
    }),
  ),
  ...LANGUAGES.map(
    (language): Action => ({
      group: t('actions.groupPage'),
      name: t('actions.language', { language: languages[language].name }),
      act: () => void chooseLanguage(language),
    }),
  ),
  { group: t('actions.groupPage'), name: t('actions.nextPane'), keys: 'F6', act: () => focusNextPane(1) },
  {
    group: t('actions.groupPage'),
    name: t('actions.previousPane'),
    keys: 'Shift+F6',
    act: () => focusNextPane(-1),
  },
  {
    group: t('actions.groupPage'),
    name: t('actions.palette'),
    keys: 'Mod+K',
    act: () => update({ overlay: 'palette' }),
  },
  { group: t('actions.groupPage'), name: t('actions.keys'), keys: 'F1', act: () => update({ overlay: 'keys' }) },
  { group: t('actions.groupPage'), name: t('actions.tour'), act: () => goToStop(0) },
  { group: t('actions.groupPage'), name: t('about.title'), act: () => update({ overlay: 'about' }) },
  ...lessons.map(
    (lesson): Action => ({
      group: t('actions.groupLessons'),
      name: t(lesson.title),
      act: () => void openLesson(lesson),
    }),
  ),
  ...examples.map(
    (example): Action => ({
      group: t('actions.groupExamples'),
      name: t(example.title),
      act: () => void openExample(example),
    }),
  ),
];

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

const SYMBOLS: Readonly<Record<string, string>> = IS_APPLE
  ? { Mod: '⌘', Shift: '⇧', Enter: '⏎' }
  : { Mod: 'Ctrl', Enter: '⏎' };

/** The names of the keys as labeled on the keyboard. */
export function keyNames(keys: string): readonly string[] {
  return keys.split('+').map((key) => SYMBOLS[key] ?? key);
}

/** The action of a pressed key in the current state of the page. */
export function actionOf(event: KeyboardEvent): Action | undefined {
  const isCommand = event.metaKey || event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const pressed = `${isCommand ? 'Mod+' : ''}${event.shiftKey ? 'Shift+' : ''}${key}`;
  return actions().find(({ keys }) => keys === pressed);
}
