import { t } from '../words/messages.js';
import { keptRuns } from './kept-runs.js';
import { markOpening } from './opening-marks.js';
import { emptyProject, type Project, withSeed } from './project.js';
import { claimProject } from './sharing-tabs.js';
import { type PageState, update, useStore } from './store.js';
import { unsettled } from './unsettled.js';

/** Opens a project with its stored runs; `saved` is the project's own storage status. */
export function openProject(project: Project, saved: PageState['saved'] = 'saved'): void {
  void keptRuns(project.id).then((kept) => {
    if (useStore.getState().project.id !== project.id) return;
    update(({ runs: begun, runId }) => {
      const others = kept.filter(({ id }) => !begun.some((run) => run.id === id));
      const runs = [...begun, ...others].toSorted((a, b) => b.number - a.number);
      return { runs, ...(!isSafe && { runId: runId ?? runs[0]?.id }) };
    });
  });
  const { runs, elsewhere } = useStore.getState();
  const going = [...elsewhere, ...runs.filter(({ id }) => unsettled.has(id))];
  const own = going.filter(({ projectId }) => projectId === project.id);
  const isSafe = markOpening(project.id);
  void claimProject(project.id);
  update({
    project: withSeed(project),
    isSafe,
    isFollowing: false,
    isDeleted: false,
    elsewhere: going.filter((run) => !own.includes(run)),
    ...(useStore.getState().saved !== 'full' && { saved }),
    report: undefined,
    dataProblems: [],
    isChecked: false,
    isDataSlow: false,
    compileTime: undefined,
    runs: own,
    runId: own[0]?.id,
    compareId: undefined,
    calibration: undefined,
    profile: undefined,
    leftTab: 'program',
    rightTab: 'verdict',
    side: firstSide(project),
    selection: '',
  });
}

/** The half that a narrow page shows first: an empty project starts with the instructions. */
export function firstSide({ program, data }: Pick<Project, 'program' | 'data'>): PageState['side'] {
  return program.trim() === '' && (data.trim() === '' || data.trim() === '{}') ? 'right' : 'left';
}

/** Opens a copy of the open project, without its runs. */
export function duplicateProject(): void {
  const { project } = useStore.getState();
  openNew({
    ...project,
    id: crypto.randomUUID(),
    name: t('frame.copyOf', { name: project.name }),
    savedAt: Date.now(),
  });
}

/** A new project with the given parts. */
export function openNew(parts: Partial<Project>): void {
  openProject({ ...emptyProject(), ...parts });
}
