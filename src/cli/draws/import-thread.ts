/**
 * The thread that `importDraws` starts. Converts files with draws to a fit, and posts its contents or the reason for a
 * failure.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type Pipes, usePipes } from '../../node/input-files.js';
import { CommandError } from '../errors.js';
import { type ImportedDraws, makeFit } from './draw-files.js';

/** The input of the thread. */
export interface ImportOrder {
  readonly paths: readonly string[];
  readonly folder: string;
  readonly pipes: Pipes;
}

/** The result; `problem` is a message for the user. */
export type ImportAnswer = { readonly draws: ImportedDraws } | { readonly problem: string };

parentPort?.postMessage(answer(workerData));

function answer({ paths, folder, pipes }: ImportOrder): ImportAnswer {
  usePipes(pipes);
  try {
    return { draws: makeFit(paths, folder) };
  } catch (error) {
    if (error instanceof CommandError) return { problem: error.message };
    throw error;
  }
}
