import { keptRuns } from './kept-runs.js';
import { emptyProject, type Project, withSeed } from './project.js';
import { type PageState, update, useStore } from './store.js';
import { unsettled } from './unsettled.js';

/** Opens a project with its stored runs; `saved` is the project's own storage status. */
export function openProject(project: Project, saved: PageState['saved'] = 'saved'): void {
  void keptRuns(project.id).then((kept) => {
    if (useStore.getState().project.id !== project.id) return;
    update(({ runs: begun, runId }) => {
      const others = kept.filter(({ id }) => !begun.some((run) => run.id === id));
      const runs = [...begun, ...others].toSorted((a, b) => b.number - a.number);
      return { runs, runId: runId ?? runs[0]?.id };
    });
  });
  const { runs, elsewhere } = useStore.getState();
  const going = [...elsewhere, ...runs.filter(({ id }) => unsettled.has(id))];
  const own = going.filter(({ projectId }) => projectId === project.id);
  update({
    project: withSeed(project),
    elsewhere: going.filter((run) => !own.includes(run)),
    ...(useStore.getState().saved !== 'full' && { saved }),
    report: undefined,
    dataProblems: [],
    isChecked: false,
    compileTime: undefined,
    runs: own,
    runId: own[0]?.id,
    compareId: undefined,
    calibration: undefined,
    profile: undefined,
    leftTab: 'program',
    rightTab: 'verdict',
    side: 'left',
    selection: '',
  });
}

/** A new project with the given parts. */
export function openNew(parts: Partial<Project>): void {
  openProject({ ...emptyProject(), ...parts });
}
