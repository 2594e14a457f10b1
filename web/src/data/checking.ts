/** Checks the project's data when they or the program change: syntax immediately, sizes and bounds by the compiled model. */
import { parseStanData } from '#engine/model/json.js';
import { language } from '../language/analysis.js';
import { modelOf } from '../run/compiled.js';
import type { Project } from '../state/project.js';
import { update, useStore } from '../state/store.js';
import { stated } from '../words/messages.js';
import { type DataProblem, dataProblems, problemAt, problemOf, variableIn } from './data-problems.js';
import { valuesOf } from './data-values.js';

/** Milliseconds without a change after which data are checked. */
const QUIET = 250;

let timer: ReturnType<typeof setTimeout> | undefined;
let going: Promise<void> | undefined;

export function watchData(): void {
  useStore.subscribe(({ project, report }, before) => {
    if (project.data === before.project.data && report === before.report) return;
    clearTimeout(timer);
    timer = setTimeout(begin, QUIET);
  });
  begin();
}

/** Resolves when the current data have been checked. */
export async function dataChecked(): Promise<void> {
  if (timer !== undefined) {
    clearTimeout(timer);
    begin();
  }
  await going;
}

function begin(): void {
  timer = undefined;
  going = check();
}

async function check(): Promise<void> {
  const { project, report } = useStore.getState();
  const inputs = report?.info?.inputs;
  const found = dataProblems(project.data, inputs);
  update({ dataProblems: found });
  if (report === undefined || inputs === undefined) return;
  const more = await faults(project, found, Object.keys(inputs));
  const now = useStore.getState();
  if (now.project.data !== project.data || now.report !== report) return;
  update({ dataProblems: [...found, ...more], isChecked: true });
}

/** Faults in data beyond syntax and names; empty if the compiled model accepts them. */
async function faults(
  project: Project,
  found: readonly DataProblem[],
  names: readonly string[],
): Promise<DataProblem[]> {
  if (found.some(({ isUnreadable }) => isUnreadable)) return [];
  let refusal: string | undefined;
  if (!found.some(({ severity }) => severity === 'error')) {
    try {
      await (await modelOf(project)).on(project.data);
      return [];
    } catch (error) {
      const { RunError } = await import('leapfrog');
      if (!(error instanceof RunError)) return [];
      refusal = error.message;
    }
  }
  const all = await language().dataFaults(valuesOf(parseStanData(project.data)));
  const problems = all.map(({ name, statement }) => problemOf(project.data, name, stated([statement])));
  if (refusal === undefined) return problems;
  const refused = variableIn(refusal, names);
  const isFound = all.some(({ name }) => name === refused) || (refused === undefined && all.length > 0);
  return isFound ? problems : [...problems, problemAt(project.data, refusal, refused)];
}
