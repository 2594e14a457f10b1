/** The thread that `importDraws` starts: makes files with draws a fit, and answers with what they hold or why they cannot be read. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ImportedDraws, makeFit } from './draw-files.js';
import { CommandError } from './errors.js';

/** What the thread is given. */
export interface ImportOrder {
  readonly paths: readonly string[];
  readonly folder: string;
}

/** What it answers; `problem` is for the user. */
export type ImportAnswer = { readonly draws: ImportedDraws } | { readonly problem: string };

parentPort?.postMessage(answer(workerData));

function answer({ paths, folder }: ImportOrder): ImportAnswer {
  try {
    return { draws: makeFit(paths, folder) };
  } catch (error) {
    if (error instanceof CommandError) return { problem: error.message };
    throw error;
  }
}
