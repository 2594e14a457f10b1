/** Entry point of the code that runs executables, both for the process and for its threads. */
import { parentPort, workerData } from 'node:worker_threads';
import { serveChains } from './chain-thread.js';
import { runExecutable } from './command.js';
import { standardConsole } from './output.js';

async function run(): Promise<void> {
  const [, , path, ...words] = process.argv;
  process.exitCode = await runExecutable(path, words, standardConsole);
}

if (parentPort === null) void run();
else serveChains(parentPort, workerData);
