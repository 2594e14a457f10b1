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
import { currentRun, type PageState, type RightTab, type Theme, update, useStore } from '../state/store.js';
import { goToStop } from '../state/tour.js';
import { focusNextPane } from './panes.js';
import { copyLink, saveZip } from './sharing.js';
import { openFile } from './taking.js';

export interface Action {
  readonly group: string;
  readonly name: string;
  /** `Mod` is ⌘ on Apple's machines and Ctrl elsewhere. */
  readonly keys?: string;
  readonly isPossible?: (state: PageState) => boolean;
  readonly act: () => void;
}

const hasProgram = ({ project }: PageState) => project.program.trim() !== '';
const isRunning = (state: PageState) => {
  const run = currentRun(state);
  return run !== undefined && !isOver(run);
};

/** The fix of the first error; without errors, that of the first warning. */
const firstFix = ({ report }: PageState) => report?.remarks.find(({ fixes }) => fixes.length > 0)?.fixes[0];

const RIGHT_TABS: readonly (readonly [RightTab, string])[] = [
  ['verdict', 'Verdict'],
  ['summary', 'Summary'],
  ['plots', 'Plots'],
  ['predictive', 'Predictive checks and cross-validation'],
  ['compare', 'Comparison of runs'],
  ['draws', 'Draws'],
  ['log', 'Log'],
];
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const actions: readonly Action[] = [
  {
    ...{ group: 'Run', name: 'Run', keys: 'Mod+Enter' },
    isPossible: (state) => hasProgram(state) && !isRunning(state),
    act: () => void startRun(),
  },
  {
    ...{ group: 'Run', name: 'Cancel the run' },
    isPossible: isRunning,
    act: () => void cancelRun(currentRun(useStore.getState())?.id ?? ''),
  },
  {
    ...{ group: 'Run', name: 'Draw from the prior' },
    isPossible: (state) => hasProgram(state) && !isRunning(state),
    act: () =>
      void startPrior().then((reason) => reason !== undefined && update({ rightTab: 'compare', side: 'right' })),
  },
  {
    ...{ group: 'Run', name: 'Simulation-based calibration' },
    isPossible: hasProgram,
    act: () => update({ overlay: 'calibration' }),
  },
  {
    ...{ group: 'Run', name: 'Notify me when a run ends and the page is hidden' },
    isPossible: () => 'Notification' in window && Notification.permission === 'default',
    act: () => void Notification.requestPermission(),
  },
  {
    ...{ group: 'Write', name: 'Format the program', keys: 'Mod+S' },
    isPossible: hasProgram,
    act: () => void formatProgram(),
  },
  {
    ...{ group: 'Write', name: 'Fix the first error', keys: 'Mod+.' },
    isPossible: (state) => firstFix(state) !== undefined,
    act: () => {
      const fix = firstFix(useStore.getState());
      if (fix !== undefined) void applyFix(fix);
    },
  },
  {
    ...{ group: 'Write', name: 'Show the program' },
    act: () => update({ leftTab: 'program', side: 'left' }),
  },
  { ...{ group: 'Write', name: 'Show the data' }, act: () => update({ leftTab: 'data', side: 'left' }) },
  ...RIGHT_TABS.map(
    ([tab, name]): Action => ({
      ...{ group: 'Look', name: `Show: ${name}` },
      isPossible: (state) => state.runs.length > 0,
      act: () => update({ rightTab: tab, side: 'right' }),
    }),
  ),
  { ...{ group: 'Project', name: 'New project' }, act: () => openProject(emptyProject()) },
  { ...{ group: 'Project', name: 'Copy a link to this project' }, isPossible: hasProgram, act: () => void copyLink() },
  {
    ...{ group: 'Project', name: 'Save the project and its runs as a zip file' },
    isPossible: hasProgram,
    act: () => void saveZip(),
  },
  { ...{ group: 'Project', name: 'Open files (zip, Stan, JSON, CSV, R dump)' }, act: openFile },
  {
    ...{ group: 'Project', name: 'Code and notebooks for Python, R, curl, TypeScript' },
    isPossible: hasProgram,
    act: () => update({ overlay: 'code' }),
  },
  ...THEMES.map((theme): Action => ({ ...{ group: 'Page', name: `Colours: ${theme}` }, act: () => update({ theme }) })),
  { ...{ group: 'Page', name: 'Next pane', keys: 'F6' }, act: () => focusNextPane(1) },
  { ...{ group: 'Page', name: 'Previous pane', keys: 'Shift+F6' }, act: () => focusNextPane(-1) },
  { ...{ group: 'Page', name: 'All actions', keys: 'Mod+K' }, act: () => update({ overlay: 'palette' }) },
  { ...{ group: 'Page', name: 'Keys', keys: 'F1' }, act: () => update({ overlay: 'keys' }) },
  { ...{ group: 'Page', name: 'Tour of the page' }, act: () => goToStop(0) },
  ...lessons.map(
    (lesson): Action => ({
      ...{ group: 'Lessons', name: lesson.title },
      act: () => void openLesson(lesson),
    }),
  ),
  ...examples.map(
    (example): Action => ({
      ...{ group: 'Examples', name: example.title },
      act: () => void openExample(example),
    }),
  ),
];

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

const SYMBOLS: Readonly<Record<string, string>> = IS_APPLE
  ? { Mod: '⌘', Shift: '⇧', Enter: '⏎' }
  : { Mod: 'Ctrl', Enter: '⏎' };

/** The names of the keys as labelled on the keyboard. */
export function keyNames(keys: string): readonly string[] {
  return keys.split('+').map((key) => SYMBOLS[key] ?? key);
}

/** The action of a pressed key in the current state of the page. */
export function actionOf(event: KeyboardEvent): Action | undefined {
  const isCommand = event.metaKey || event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const pressed = `${isCommand ? 'Mod+' : ''}${event.shiftKey ? 'Shift+' : ''}${key}`;
  return actions.find(({ keys }) => keys === pressed);
}

export function isPossible({ isPossible }: Action, state: PageState): boolean {
  return isPossible?.(state) ?? true;
}
