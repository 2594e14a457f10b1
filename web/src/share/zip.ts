/**
 * A project with its runs as one zip file. Its texts are files with CmdStan's usual names, `model.stan`, `data.json`; each run has a folder with its
 * texts and its draws as CmdStan's CSV files.
 */

import { unzipSync, Zip, ZipDeflate } from 'fflate';
import type { Project } from '../state/project.js';
import { isOver, type Run } from '../state/run.js';
import { t } from '../words/messages.js';
import { type OpenedFiles, openFiles, projectFiles } from './project-files.js';
import { runFiles } from './run-files.js';
import type { Files } from './texts.js';

/** The zip file of a project, with those of the runs that have ended. */
export async function zipOf(project: Project, runs: readonly Run[]): Promise<Blob> {
  const files: Record<string, Uint8Array> = { ...projectFiles(project) };
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

/** Reads a zip file of this page, or any other with a `model.stan`. Throws an `Error` that names what is missing. */
export async function openZip(file: Blob, fileName: string): Promise<OpenedFiles> {
  const files = unzipped(new Uint8Array(await file.arrayBuffer()));
  const opened = openFiles(files, fileName.replace(/\.zip$/i, ''));
  if (opened === undefined) throw new Error(t('files.noProgramInZip'));
  return opened;
}

function unzipped(bytes: Uint8Array): Files {
  try {
    return unzipSync(bytes);
  } catch {
    throw new Error(t('files.notZip'));
  }
}
