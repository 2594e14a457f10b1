/** A thread that runs chains of an executable. */
import type { MessagePort } from 'node:worker_threads';
import { type ChainOrder, type TaskEnd, TaskRunner } from './chain-task.js';
import { readExecutable } from './executable.js';
import { Failure } from './failure.js';
import { standardConsole } from './output.js';

/** The end of a chain, or the reason for a failure. */
export type ThreadAnswer = TaskEnd | { readonly failure: string };

/** Posts a message when it is ready, and then the answer to each order, until it receives `end`. */
export function serveChains(port: MessagePort, path: string): void {
  const runner = new TaskRunner(readExecutable(path), standardConsole);
  port.on('message', async (order: ChainOrder | 'end') => {
    if (order === 'end') port.close();
    else port.postMessage(await answerTo(runner, order));
  });
  port.postMessage('ready');
}

async function answerTo(runner: TaskRunner, order: ChainOrder): Promise<ThreadAnswer> {
  try {
    return await runner.run(order);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { failure: error.message };
  }
}
