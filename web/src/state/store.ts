/** The state of the page, in one place. Views read it by selectors; actions are the only writers. */
import { create } from 'zustand';
import type { ProgramReport } from '#engine/analysis/language-service.js';
import type { DrawPlace } from '#engine/plots/scene.js';
import type { Range } from '#engine/plots/selection.js';
import type { DataProblem } from '../data/data-problems.js';
import type { Table } from '../data/table.js';
import { emptyProject, type Project } from './project.js';
import type { Run } from './run.js';

export type LeftTab = 'program' | 'data' | `include:${string}`;
export type RightTab = 'verdict' | 'summary' | 'plots' | 'predictive' | 'compare' | 'draws' | 'log';
export type Theme = 'system' | 'light' | 'dark';
type Side = 'left' | 'right';

/** Whether a server sent the page, and lets it in. */
type ServerState = 'unknown' | 'absent' | 'ready' | 'locked';
type OverlayName = 'palette' | 'keys' | 'code' | 'table' | 'token' | 'linked';

interface Notice {
  readonly text: string;
  /** Reverses what was done. */
  readonly undo?: () => void;
}

export interface PageState {
  readonly project: Project;
  /** Of the program as it is now; undefined while it is being read. */
  readonly report: ProgramReport | undefined;
  readonly dataProblems: readonly DataProblem[];
  /** Whether program and data were checked since the project was opened; `dataProblems` are those of another project before. */
  readonly isChecked: boolean;
  readonly runs: readonly Run[];
  /** Unsettled runs of other projects. */
  readonly elsewhere: readonly Run[];
  /** Ids of runs that are being written to the browser's storage with their draws. */
  readonly writing: readonly string[];
  /** The run that is looked at. */
  readonly runId: string | undefined;
  /** The run that it is compared with, once one was chosen. */
  readonly compareId: string | undefined;
  readonly leftTab: LeftTab;
  readonly rightTab: RightTab;
  readonly theme: Theme;
  /** Share of the left half. */
  readonly ratio: number;
  /** The half that a narrow page shows. */
  readonly side: Side;
  /** Parameters chosen for plots, as written: names or patterns, such as `theta[*]`. */
  readonly selection: string;
  /** Kinds of plots that are shown, by name. */
  readonly plotKinds: readonly string[];
  readonly server: ServerState;
  /** Where runs are made. */
  readonly place: 'browser' | 'server';
  /** `link`: opened by a link, and kept nowhere until it is changed or run. */
  readonly saved: 'saved' | 'saving' | 'full' | 'link';
  /** Whether all arguments of the function are shown, not the common ones alone. */
  readonly areSettingsOpen: boolean;
  /** The window over the page. */
  readonly overlay: OverlayName | undefined;
  /** Whose columns are being assigned to data variables. */
  readonly table: Table | undefined;
  /** What was done, or could not be. */
  readonly notice: Notice | undefined;
  /** The draw under the pointer, in the figures of one run. */
  readonly hovered: { readonly group: string; readonly draw: DrawPlace } | undefined;
  /** What picks out draws of one run, in all its plots. */
  readonly brush: { readonly group: string; readonly ranges: readonly Range[] } | undefined;
  /** The stop of the tour that is shown, from 0. */
  readonly tourStop: number | undefined;
  readonly isTourOffered: boolean;
  /** Milliseconds that the program took to compile. */
  readonly compileTime: number | undefined;
  /** Changes with the draws of runs that go on. */
  readonly drawsVersion: number;
}

export const useStore = create<PageState>()(() => ({
  project: emptyProject(),
  report: undefined,
  dataProblems: [],
  isChecked: false,
  runs: [],
  elsewhere: [],
  writing: [],
  runId: undefined,
  compareId: undefined,
  leftTab: 'program',
  rightTab: 'verdict',
  theme: 'system',
  ratio: 0.46,
  side: 'left',
  selection: '',
  plotKinds: ['trace', 'density'],
  server: 'unknown',
  place: 'browser',
  saved: 'saved',
  areSettingsOpen: false,
  overlay: undefined,
  table: undefined,
  notice: undefined,
  hovered: undefined,
  brush: undefined,
  tourStop: undefined,
  isTourOffered: false,
  compileTime: undefined,
  drawsVersion: 0,
}));

/** Changes a part of the state. */
export function update(change: Partial<PageState> | ((state: PageState) => Partial<PageState>)): void {
  useStore.setState(change);
}

export function updateProject(change: Partial<Project>): void {
  update(({ project }) => ({ project: { ...project, ...change } }));
}

export function updateRun(id: string, change: Partial<Run> | ((run: Run) => Partial<Run>)): void {
  const changed = (run: Run): Run =>
    run.id === id ? { ...run, ...(typeof change === 'function' ? change(run) : change) } : run;
  update(({ runs, elsewhere }) => ({ runs: runs.map(changed), elsewhere: elsewhere.map(changed) }));
}

/** A run of the open project, or an unsettled one of another project. */
export function runWith(id: string): Run | undefined {
  const { runs, elsewhere } = useStore.getState();
  return [...runs, ...elsewhere].find((run) => run.id === id);
}

export function currentRun({ runs, runId }: PageState): Run | undefined {
  return runs.find(({ id }) => id === runId);
}

/** Milliseconds that a notice stays, long enough to be read. */
const NOTICE_TIME = 10_000;
let noticeTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows what was done, or could not be; with `undo` a button reverses it. */
export function notify(text: string, undo?: () => void): void {
  clearTimeout(noticeTimer);
  update({ notice: { text, undo } });
  noticeTimer = setTimeout(() => update({ notice: undefined }), NOTICE_TIME);
}
