import { keptRuns } from './kept-runs.js';
import { emptyProject, type Project } from './project.js';
import { type PageState, update, useStore } from './store.js';

/** Makes a project the one that is worked on, with the runs that were kept of it; `saved` tells whether it is kept itself. */
export function openProject(project: Project, saved: PageState['saved'] = 'saved'): void {
  void keptRuns(project.id).then((runs) => {
    if (useStore.getState().project.id !== project.id || runs.length === 0) return;
    update(({ runs: begun }) => (begun.length > 0 ? {} : { runs, runId: runs[0]?.id }));
  });
  update({
    project,
    ...(useStore.getState().saved !== 'full' && { saved }),
    report: undefined,
    compileTime: undefined,
    runs: [],
    runId: undefined,
    compareId: undefined,
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
