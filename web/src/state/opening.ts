import { emptyProject, type Project } from './project.js';
import { update } from './store.js';

/** Makes a project the one that is worked on. */
export function openProject(project: Project): void {
  update({
    project,
    report: undefined,
    compileTime: undefined,
    runs: [],
    runId: undefined,
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
