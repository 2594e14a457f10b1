/** Checks the project's data when they or the program change: syntax immediately, sizes and bounds by the compiled model. */
import { language } from '../language/analysis.js';
import { modelOf } from '../run/compiled.js';
import type { Project } from '../state/project.js';
import { update, useStore } from '../state/store.js';
import { stated } from '../words/messages.js';
import {
  type DataError,
  type DataProblem,
  dataProblems,
  problemAt,
  problemOf,
  wrongVariable,
} from './data-problems.js';
import { scanned } from './large-data.js';
import type { Places, Scanned } from './scanning-data.js';

/** Milliseconds without a change after which data are checked. */
const QUIET = 250;
/** Milliseconds that the compiled model may take to accept or refuse the data: transformed data may take forever. */
export const DATA_LIMIT = 2000;

let timer: ReturnType<typeof setTimeout> | undefined;
let going: Promise<void> | undefined;
let stop: AbortController | undefined;

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
  stop?.abort();
  stop = new AbortController();
  going = check(stop.signal);
}

async function check(signal: AbortSignal): Promise<void> {
  const { project, report } = useStore.getState();
  const inputs = report?.info?.inputs;
  const reading = scanned(project.data);
  // Small data are checked at once.
  const read = reading instanceof Promise ? await reading : reading;
  const found = dataProblems(project.data, read, inputs);
  if (signal.aborted) return;
  update({ dataProblems: found });
  if (report === undefined || inputs === undefined) return;
  const { isSlow, more } = await faults(project, read, found, Object.keys(inputs), signal);
  const now = useStore.getState();
  if (signal.aborted || now.project.data !== project.data || now.report !== report) return;
  update({ dataProblems: [...found, ...more], isChecked: true, isDataSlow: isSlow });
}

interface Faults {
  /** Whether the compiled model did not finish within `DATA_LIMIT`. */
  readonly isSlow: boolean;
  readonly more: readonly DataProblem[];
}

/** Faults in data beyond syntax and names; none if the compiled model accepts them. */
async function faults(
  project: Project,
  scanned: Scanned,
  found: readonly DataProblem[],
  names: readonly string[],
  signal: AbortSignal,
): Promise<Faults> {
  if ('unreadable' in scanned) return { isSlow: false, more: [] };
  const { places } = scanned;
  if (found.some(({ severity }) => severity === 'error'))
    return { isSlow: false, more: await declaredFaults(project, places, names) };
  try {
    const model = await modelOf(project);
    signal.throwIfAborted();
    const isDone = await model.check(project.data, { limit: DATA_LIMIT, signal });
    return { isSlow: !isDone, more: isDone ? [] : await declaredFaults(project, places, names) };
  } catch (error) {
    const { RunError } = await import('leapfrog');
    const more = error instanceof RunError ? await declaredFaults(project, places, names, error) : [];
    return { isSlow: false, more };
  }
}

/** Faults by the declarations of the data block, and the model's own error unless one of them explains it. */
async function declaredFaults(
  { data }: Project,
  places: Places,
  names: readonly string[],
  error?: DataError,
): Promise<DataProblem[]> {
  const all = await language().faultsOfData(data);
  const problems = all.map(({ name, statement }) => problemOf(data, places.get(name), stated([statement])));
  if (error === undefined) return problems;
  const refused = wrongVariable(error, names);
  const isFound = all.some(({ name }) => name === refused) || (refused === undefined && all.length > 0);
  return isFound ? problems : [...problems, problemAt(data, places, error, refused)];
}
