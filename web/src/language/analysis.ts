/** Runs the language service in a worker, so that it never blocks typing. */
import { type Remote, wrap } from 'comlink';
import type { ProgramText } from '#engine/derive/program-text.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import type { Project } from '../state/project.js';
import { update, updateProject, useStore } from '../state/store.js';
import type { PageLanguageService } from './analysis-worker.js';

let service: Remote<PageLanguageService> | undefined;
let pause: ReturnType<typeof setTimeout> | undefined;

/** Starts the worker with the first program or interaction: a page that is only viewed does not load it. */
export function language(): Remote<PageLanguageService> {
  service ??= wrap<PageLanguageService>(
    new Worker(new URL('./analysis-worker.ts', import.meta.url), { type: 'module' }),
  );
  return service;
}

/** Milliseconds after the last keystroke before a program is analyzed. */
const QUIET = 60;
/** Milliseconds after an analysis before the search for features that cannot be compiled here, which takes longer. */
const PAUSE = 500;

/** The files of a program as the language service reads them. */
export function programText({ program, includes }: Pick<Project, 'program' | 'includes'>): ProgramText {
  return {
    name: PROGRAM_FILE,
    text: program,
    includes: Object.fromEntries(includes.map(({ name, text }) => [name, text])),
  };
}

/** Analyzes the program, and stores the result unless the program has changed. */
export async function analyzeNow(): Promise<void> {
  const { program, includes } = useStore.getState().project;
  if (program.trim() === '') {
    update({ report: undefined });
    return;
  }
  const report = await language().update(programText({ program, includes }));
  const now = useStore.getState().project;
  if (now.program !== program || now.includes !== includes) return;
  update({ report });
  clearTimeout(pause);
  pause = setTimeout(addUnsupported, PAUSE);
}

/** Adds warnings about what cannot be compiled here to the report. */
async function addUnsupported(): Promise<void> {
  const { report } = useStore.getState();
  const remarks = await language().unsupported();
  // Another report means that the program has changed.
  if (report === undefined || useStore.getState().report !== report || remarks.length === 0) return;
  update({ report: { ...report, remarks: [...report.remarks, ...remarks] } });
}

/** Formats the program as stanc does. Does nothing if it cannot be parsed. */
export async function formatProgram(): Promise<void> {
  const { program } = useStore.getState().project;
  await analyzeNow();
  const formatted = await language().format();
  if (formatted !== undefined && useStore.getState().project.program === program) updateProject({ program: formatted });
}

/** Analyzes the program when it changes. */
export function watchProgram(): void {
  for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => void language(), { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  useStore.subscribe(({ isSafe, project }, { isSafe: wasSafe, project: before }) => {
    const isSame = project.program === before.program && project.includes === before.includes;
    if (isSafe || (isSame && !wasSafe)) return;
    clearTimeout(timer);
    timer = setTimeout(analyzeNow, QUIET);
  });
  if (!useStore.getState().isSafe) void analyzeNow();
}
