/** Checks the project's data whenever they or the program change: the text at once, sizes and bounds by the compiled model. */
import { modelOf } from '../run/compiled.js';
import { update, useStore } from '../state/store.js';
import { dataProblems, problemAt } from './data-problems.js';

const QUIET = 250;

export function watchData(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  useStore.subscribe(({ project, report }, before) => {
    if (project.data === before.project.data && report === before.report) return;
    clearTimeout(timer);
    timer = setTimeout(check, QUIET);
  });
  void check();
}

async function check(): Promise<void> {
  const { project, report } = useStore.getState();
  const inputs = report?.info?.inputs;
  const found = dataProblems(project.data, inputs);
  update({ dataProblems: found });
  if (inputs === undefined || project.program.trim() === '' || found.some(({ severity }) => severity === 'error'))
    return;
  try {
    await (await modelOf(project)).on(project.data);
  } catch (error) {
    const { RunError } = await import('leapfrog');
    if (!(error instanceof RunError) || useStore.getState().project !== project) return;
    update({ dataProblems: [...found, problemAt(project.data, error.message, Object.keys(inputs))] });
  }
}
