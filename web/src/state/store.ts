/** The state of the page, in one store. Views read it by selectors; only actions write it. */

import { create } from 'zustand';
import type { ProgramReport } from '#engine/editing/language-service.js';
import type { DrawPlace, Plot, Size } from '#engine/plots/scene.js';
import type { Range } from '#engine/plots/selection.js';
import type { TableOutline } from '#engine/tables/outline.js';
import type { TableChoices } from '#engine/tables/table.js';
import type { DataProblem } from '../data/data-problems.js';
import type { Language } from '../words/languages.js';
import type { Calibrating } from './calibrating.js';
import type { Deriving, DerivingChoice } from './deriving.js';
import type { Profiling } from './profiling.js';
import { emptyProject, type Project } from './project.js';
import type { FoldChoice, Folding, Refitting } from './refitting.js';
import type { Run } from './run.js';

export type LeftTab = 'program' | 'data' | 'script' | `include:${string}`;
export type RightTab = 'verdict' | 'summary' | 'plots' | 'predictive' | 'compare' | 'explore' | 'draws' | 'log';
export type PlotOrder = 'declared' | 'worst';
export type Theme = 'system' | 'light' | 'dark';
type Side = 'left' | 'right';

/** Whether a server sent the page and accepts it. */
type ServerState = 'unknown' | 'absent' | 'ready' | 'locked';
type OverlayName =
  | 'palette'
  | 'keys'
  | 'about'
  | 'examples'
  | 'code'
  | 'table'
  | 'token'
  | 'linked'
  | 'calibration'
  | 'profile'
  | 'qr'
  | 'runs'
  | 'enlarged';

export interface Notice {
  readonly text: string;
  /** Reverses the action. */
  readonly undo?: () => void;
}

export interface PageState {
  readonly project: Project;
  /** For the current program; undefined while it is being analyzed. */
  readonly report: ProgramReport | undefined;
  readonly dataProblems: readonly DataProblem[];
  /** Whether program and data have been checked since the project was opened; until then, `dataProblems` belong to the previous project. */
  readonly isChecked: boolean;
  /** Whether another tab writes the project: this one only shows it. */
  readonly isFollowing: boolean;
  /** Whether another tab has moved the project to the trash. This tab follows, and does not store it. */
  readonly isDeleted: boolean;
  /** Whether the project is shown without checking it, because its last opening did not end. */
  readonly isSafe: boolean;
  /** Whether the check of the data was stopped, because the program takes too long to compute its transformed data. */
  readonly isDataSlow: boolean;
  readonly runs: readonly Run[];
  /** Unsettled runs of other projects. */
  readonly elsewhere: readonly Run[];
  /** Ids of runs whose draws are being written to the browser's storage. */
  readonly writing: readonly string[];
  /** The displayed run. */
  readonly runId: string | undefined;
  /** The run to compare it with, if one has been chosen. */
  readonly compareId: string | undefined;
  readonly leftTab: LeftTab;
  readonly rightTab: RightTab;
  readonly theme: Theme;
  readonly language: Language;
  /** Fraction of the width that the left half takes. */
  readonly ratio: number;
  /** The half that a narrow page shows. */
  readonly side: Side;
  /** Parameters chosen for plots, as written: names or patterns, such as `theta[*]`. */
  readonly selection: string;
  /** Names of the types of plots that are shown. */
  readonly plotKinds: readonly string[];
  /** The order of plots of single quantities. */
  readonly plotOrder: PlotOrder;
  /** Whether plots of pairs contain all shown quantities, instead of the first few. */
  readonly areAllPairs: boolean;
  readonly server: ServerState;
  /** Where runs execute. */
  readonly place: 'browser' | 'server';
  /** `link`: opened by a link, and not stored until it is changed or run. */
  readonly saved: 'saved' | 'saving' | 'full' | 'link';
  /** Why the browser did not store the project or draws; sizes in bytes. */
  readonly storageFault: { readonly isFull: boolean; readonly quota?: number; readonly usage?: number } | undefined;
  /** Whether the browser has all files of the page, which then starts without a network. */
  readonly isKeptOffline: boolean;
  /** Whether all arguments of the function are shown, not only the common ones. */
  readonly areSettingsOpen: boolean;
  /** The open window over the page. */
  readonly overlay: OverlayName | undefined;
  /** The plot that the window `enlarged` shows. */
  readonly enlarged: { readonly plot: (size: Size) => Plot } | undefined;
  /** The table whose columns are being assigned to data variables. */
  readonly table: TableOutline | undefined;
  /** How the user wants the table to be read. */
  readonly tableChoices: TableChoices;
  /** The current notice. */
  readonly notice: Notice | undefined;
  /** The draw under the pointer, in the figures of one run. */
  readonly hovered: { readonly group: string; readonly draw: DrawPlace } | undefined;
  /** The selection of draws of one run, in all its plots. */
  readonly brush: { readonly group: string; readonly ranges: readonly Range[] } | undefined;
  /** The displayed stop of the tour, from 0. */
  readonly tourStop: number | undefined;
  readonly isTourOffered: boolean;
  /** Milliseconds that the program took to compile. */
  readonly compileTime: number | undefined;
  /** The calibration in progress, or the latest one of the open project. */
  readonly calibration: Calibrating | undefined;
  /** Refits of runs without observations whose Pareto k is high, by the id of the run. */
  readonly refits: Readonly<Record<string, Refitting>>;
  /** What is being computed for predictive checks, by the id of the run. */
  readonly deriving: Readonly<Record<string, Deriving>>;
  /** Choices for predictive checks, by the id of the run. */
  readonly derivingChoices: Readonly<Record<string, DerivingChoice>>;
  /** K-fold cross-validations, by the id of the run. */
  readonly foldings: Readonly<Record<string, Folding>>;
  /** The chosen folds by the id of a run, which remain while another view is shown. */
  readonly foldChoices: Readonly<Record<string, FoldChoice>>;
  /** The profile that is being measured, or the latest one of the open project. */
  readonly profile: Profiling | undefined;
  /** Changes when runs in progress have new draws. */
  readonly drawsVersion: number;
}

export const useStore = create<PageState>()(() => ({
  project: emptyProject(),
  report: undefined,
  dataProblems: [],
  isChecked: false,
  isFollowing: false,
  isDeleted: false,
  isSafe: false,
  isDataSlow: false,
  runs: [],
  elsewhere: [],
  writing: [],
  runId: undefined,
  compareId: undefined,
  leftTab: 'program',
  rightTab: 'verdict',
  theme: 'system',
  language: 'en',
  ratio: 0.46,
  side: 'right',
  selection: '',
  plotKinds: ['trace', 'density'],
  plotOrder: 'declared',
  areAllPairs: false,
  server: 'unknown',
  place: 'browser',
  saved: 'saved',
  storageFault: undefined,
  isKeptOffline: false,
  areSettingsOpen: false,
  overlay: undefined,
  enlarged: undefined,
  table: undefined,
  tableChoices: {},
  notice: undefined,
  hovered: undefined,
  brush: undefined,
  tourStop: undefined,
  isTourOffered: false,
  compileTime: undefined,
  calibration: undefined,
  refits: {},
  deriving: {},
  derivingChoices: {},
  foldings: {},
  foldChoices: {},
  profile: undefined,
  drawsVersion: 0,
}));

/** Updates a part of the state. */
export function update(change: Partial<PageState> | ((state: PageState) => Partial<PageState>)): void {
  useStore.setState(change);
}

/** Changes the open project, unless another tab writes it. */
export function updateProject(change: Partial<Project>): void {
  update(({ isFollowing, project }) => (isFollowing ? {} : { project: { ...project, ...change } }));
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

/** Shows a notice; with `undo`, a button reverses the action. */
export function notify(text: string, undo?: () => void): void {
  update({ notice: { text, undo } });
}
