/** Compiles the program as soon as it is valid, so that a run need not wait for it. */
import type { Model } from 'leapfrog';
import { PROGRAM_FILE } from '../state/file-names.js';
import type { Project } from '../state/project.js';
import type { Run } from '../state/run.js';
import { update, useStore } from '../state/store.js';

type Texts = Pick<Project, 'program' | 'includes'>;

let last: { readonly texts: Texts; readonly model: Promise<Model> } | undefined;

/** The model of the program in the editor; rejects with `CompileError` if it is not a valid Stan program. */
export function modelOf(texts: Texts): Promise<Model> {
  const known = knownModel(texts);
  if (known !== undefined) return known;
  const start = performance.now();
  const model = compileTexts(texts);
  last = { texts, model };
  model.then(
    () => last?.model === model && update({ compileTime: performance.now() - start }),
    () => undefined,
  );
  return model;
}

/** The model of a run, whose program may differ from the one in the editor, or of a given program. */
export function modelOfRun({ source }: Run, program: Texts = source): Promise<Model> {
  return knownModel(program) ?? compileTexts(program);
}

function knownModel({ includes, program }: Texts): Promise<Model> | undefined {
  return last?.texts.program === program && last.texts.includes === includes ? last.model : undefined;
}

async function compileTexts({ includes, program }: Texts): Promise<Model> {
  const { compile } = await import('leapfrog');
  const texts = Object.fromEntries(includes.map(({ name, text }) => [name, text]));
  return compile(program, { name: PROGRAM_FILE, includes: texts });
}

/** Milliseconds after the last edit. */
const QUIET = 300;

/** Compiles the program once it is valid and has not been edited for a moment. */
export function watchReports(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  useStore.subscribe(({ report, project }, before) => {
    if (report === before.report || report?.info === undefined || project.program.trim() === '') return;
    clearTimeout(timer);
    timer = setTimeout(() => modelOf(project), QUIET);
  });
}
