/** Names and notes of runs, and the return to the inputs of an earlier run. */
import { t } from '../words/messages.js';
import { keepRun } from './kept-runs.js';
import { type Inputs, inputsOf } from './project.js';
import { nameOf, type Run } from './run.js';
import { notify, update, updateProject, updateRun, useStore } from './store.js';
import { makeWritable } from './trash.js';

/** Changes the name or the note of a run, and stores it. */
export function describeRun(id: string, change: Pick<Run, 'name' | 'note'>): void {
  updateRun(id, change);
  void keepRun(id);
}

/** Makes a run the one that plots of other runs show for comparison, or no longer. */
export function pinRun(pinned: Run): void {
  for (const { id, isReference = false } of useStore.getState().runs) {
    const next = id === pinned.id && !isReference;
    if (next === isReference) continue;
    updateRun(id, { isReference: next });
    void keepRun(id);
  }
}

/** Replaces the inputs of the project by those of a run; a notice offers to undo it. */
export async function takeBack(run: Run): Promise<void> {
  await makeWritable();
  const { project } = useStore.getState();
  const before = replacing(project);
  updateProject(replacing({ ...run.source, ...run.original }));
  update({ leftTab: 'program', side: 'left' });
  notify(t('runs.takenBack', { run: nameOf(run) }), () => {
    if (useStore.getState().project.id === project.id) updateProject(before);
  });
}

/** The inputs, with absent labels and terms as undefined. */
function replacing(inputs: Inputs) {
  return { levels: undefined, terms: undefined, ...inputsOf(inputs) };
}
