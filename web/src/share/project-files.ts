/** A project with its runs as files: in zip files, and in links with results. */
import { strFromU8, strToU8 } from 'fflate';
import { LESSON_FILE, PROGRAM_FILE, SCRIPT_FILE } from '../state/file-names.js';
import { emptyProject, type Project } from '../state/project.js';
import type { Run } from '../state/run.js';
import { readProjectParts } from './reading.js';
import { readRun } from './run-files.js';
import { type Files, PROJECT, parsed, RUN, textFiles, textsIn, written } from './texts.js';

const VERSION = 1;

/** The files of a project without its runs. */
export function projectFiles(project: Project): Files {
  const { name, about, lesson, levels, script, settings, terms } = project;
  return {
    ...textFiles('', project),
    [PROJECT]: strToU8(written({ version: VERSION, name, about, levels, terms, settings })),
    ...(script !== undefined && { [SCRIPT_FILE]: strToU8(script) }),
    ...(lesson !== undefined && { [LESSON_FILE]: strToU8(lesson) }),
  };
}

export interface OpenedFiles {
  readonly project: Project;
  /** Newest first. Their draws have been loaded. */
  readonly runs: readonly Run[];
}

/** Reads files of this page, or any others with a program; undefined without a program. `fallback` names the project if the files do not. */
export function openFiles(files: Files, fallback: string): OpenedFiles | undefined {
  const model = Object.keys(files)
    .filter((path) => path.endsWith('.stan'))
    .toSorted((a, b) => rank(a) - rank(b) || a.length - b.length)[0];
  if (model === undefined) return undefined;
  const folder = model.slice(0, model.lastIndexOf('/') + 1);
  const known = readProjectParts(parsed(files[`${folder}${PROJECT}`]));
  const lesson = files[folder + LESSON_FILE];
  const script = files[folder + SCRIPT_FILE];
  const project: Project = {
    ...emptyProject(),
    name: fallback,
    ...known,
    ...textsIn(files, folder, model),
    ...(script !== undefined && { script: strFromU8(script) }),
    ...(lesson !== undefined && { lesson: strFromU8(lesson) }),
  };
  const runs = Object.keys(files)
    .filter((path) => path.startsWith(folder) && path.endsWith(`/${RUN}`))
    .flatMap((path) => readRun(files, path.slice(0, -RUN.length), project.id) ?? [])
    .toSorted((a, b) => b.number - a.number);
  return { project, runs };
}

/** Ranks `model.stan` before other files. */
function rank(path: string): number {
  return path === PROGRAM_FILE || path.endsWith(`/${PROGRAM_FILE}`) ? 0 : 1;
}
