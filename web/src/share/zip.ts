/**
 * A project with its runs as one zip file. Its texts are files with CmdStan's usual names, `model.stan`, `data.json`; each run has a folder with its
 * texts and its draws as CmdStan's CSV files.
 */

import { strFromU8, strToU8, unzipSync, Zip, ZipDeflate } from 'fflate';
import { LESSON_FILE, PROGRAM_FILE, SCRIPT_FILE } from '../state/file-names.js';
import { emptyProject, type Project } from '../state/project.js';
import { isOver, type Run } from '../state/run.js';
import { t } from '../words/messages.js';
import { readProjectParts } from './reading.js';
import { readRun, runFiles } from './run-files.js';
import { type Files, PROJECT, parsed, RUN, textFiles, textsIn, written } from './texts.js';

const VERSION = 1;

/** The zip file of a project, with those of the runs that have ended. */
export async function zipOf(project: Project, runs: readonly Run[]): Promise<Blob> {
  const { name, about, levels, settings, terms } = project;
  const files: Record<string, Uint8Array> = {
    ...textFiles('', project),
    [PROJECT]: strToU8(written({ version: VERSION, name, about, levels, terms, settings })),
  };
  if (project.script !== undefined) files[SCRIPT_FILE] = strToU8(project.script);
  if (project.lesson !== undefined) files[LESSON_FILE] = strToU8(project.lesson);
  for (const run of runs.filter(isOver)) Object.assign(files, await runFiles(run));
  return new Blob(await zipped(files), { type: 'application/zip' });
}

/**
 * Compresses one file after the other on the page's main thread, with pauses: the workers of libraries are created from strings, which would require
 * a weaker Content-Security-Policy.
 */
async function zipped(files: Files): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let failure: Error | undefined;
  const archive = new Zip((error, part) => {
    if (error !== null) failure = error;
    else parts.push(Uint8Array.from(part));
  });
  for (const [path, bytes] of Object.entries(files)) {
    const file = new ZipDeflate(path, { level: 6 });
    archive.add(file);
    for (let from = 0; from < bytes.length || from === 0; from += AT_ONCE) {
      const to = Math.min(bytes.length, from + AT_ONCE);
      file.push(bytes.subarray(from, to), to === bytes.length);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  archive.end();
  if (failure !== undefined) throw failure;
  return parts;
}

/** Bytes between two pauses. */
const AT_ONCE = 1 << 20;

export interface OpenedZip {
  readonly project: Project;
  /** Newest first. Their draws have been loaded. */
  readonly runs: readonly Run[];
}

/** Reads a zip file of this page, or any other with a `model.stan`. Throws an `Error` that names what is missing. */
export async function openZip(file: Blob, fileName: string): Promise<OpenedZip> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const files = unzipped(bytes);
  const model = Object.keys(files)
    .filter((path) => path.endsWith('.stan'))
    .toSorted((a, b) => rank(a) - rank(b) || a.length - b.length)[0];
  if (model === undefined) throw new Error(t('files.noProgramInZip'));
  const folder = model.slice(0, model.lastIndexOf('/') + 1);
  const known = readProjectParts(parsed(files[`${folder}${PROJECT}`]));
  const lesson = files[folder + LESSON_FILE];
  const script = files[folder + SCRIPT_FILE];
  const project: Project = {
    ...emptyProject(),
    name: fileName.replace(/\.zip$/i, ''),
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

function unzipped(bytes: Uint8Array): Files {
  try {
    return unzipSync(bytes);
  } catch {
    throw new Error(t('files.notZip'));
  }
}

/** Ranks `model.stan` before other files. */
function rank(path: string): number {
  return path === PROGRAM_FILE || path.endsWith(`/${PROGRAM_FILE}`) ? 0 : 1;
}
