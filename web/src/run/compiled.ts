/** The program compiled, as soon as it is right, so that a run need not wait for it. */
import type { Model } from 'leapfrog';
import { PROGRAM_FILE } from '../state/file-names.js';
import type { Project } from '../state/project.js';
import type { Run } from '../state/run.js';
import { update, useStore } from '../state/store.js';

type Texts = Pick<Project, 'program' | 'includes'>;

let last: { readonly texts: Texts; readonly model: Promise<Model> } | undefined;

/** The model of a program; rejects with `CompileError` if it is not a valid Stan program. */
export function modelOf(texts: Texts): Promise<Model> {
  if (last === undefined || last.texts.program !== texts.program || last.texts.includes !== texts.includes) {
    const includes = Object.fromEntries(texts.includes.map(({ name, text }) => [name, text]));
    const start = performance.now();
    const model = import('leapfrog').then(({ compile }) => compile(texts.program, { name: PROGRAM_FILE, includes }));
    last = { texts, model };
    model.then(
      () => last?.model === model && update({ compileTime: performance.now() - start }),
      () => undefined,
    );
  }
  return last.model;
}

/** The same of a run, whose program need not be the one that is edited. */
export function modelOfRun({ source }: Run): Promise<Model> {
  const { includes, program } = source;
  if (last !== undefined && last.texts.program === program && last.texts.includes === includes) return last.model;
  const texts = Object.fromEntries(includes.map(({ name, text }) => [name, text]));
  return import('leapfrog').then(({ compile }) => compile(program, { name: PROGRAM_FILE, includes: texts }));
}

/** Milliseconds after which a right program is compiled. */
const QUIET = 300;

/** Compiles whatever program is right and not written on. */
export function watchReports(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  useStore.subscribe(({ report, project }, before) => {
    if (report === before.report || report?.info === undefined || project.program.trim() === '') return;
    clearTimeout(timer);
    timer = setTimeout(() => modelOf(project), QUIET);
  });
}
