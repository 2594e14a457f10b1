/** Runs the command in another process, whose address space is limited. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { addressLimit, EXPLICIT_CHECKS, LEAST_ADDRESS_SPACE } from '../node/address-space.js';
import { printProblem } from '../node/standard-streams.js';

/** Starts the command again with explicit checks of memory accesses, and ends as it does. */
export function restartWithin(): void {
  const limit = addressLimit() ?? Number.POSITIVE_INFINITY;
  if (limit < LEAST_ADDRESS_SPACE) {
    printProblem(`error: ${tooLittle(limit)}\n`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(process.execPath, [EXPLICIT_CHECKS, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
  });
  // A terminal sends Ctrl-C to both processes.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1;
    else process.exitCode = 128 + constants.signals[signal];
  });
}

function tooLittle(limit: number): string {
  const [has, needs] = [limit, LEAST_ADDRESS_SPACE].map((bytes) => (bytes / 1e9).toFixed(1));
  return `the address space of processes is limited to ${has} GB (ulimit -v), but Leapfrog requires at least ${needs} GB. Raise the limit.`;
}
