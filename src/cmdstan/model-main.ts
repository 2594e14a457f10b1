/** Entry point of the code that runs executables, both for the process and for its threads. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { performOrder } from './chains.js';
import { runExecutable } from './command.js';
import { standardConsole } from './output.js';

async function run(): Promise<void> {
  if (isMainThread) {
    const [, , path, ...words] = process.argv;
    process.exitCode = await runExecutable(path, words, standardConsole);
  } else {
    parentPort?.postMessage(await performOrder(workerData));
  }
}

void run();
