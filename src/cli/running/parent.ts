import { readFileSync } from 'node:fs';

/** Interval in milliseconds. */
const INTERVAL = 250;

/**
 * If npm has started this process, calls back once when npm has exited. A signal to `npm start` or `npx` ends npm
 * without reaching the processes in its shell. A process that was started without npm outlives its parent, like other
 * servers.
 */
export function whenNpmEnds(callback: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const start = ancestors();
  const watch = setInterval(() => {
    if (ancestors() === start) return;
    clearInterval(watch);
    callback();
  }, INTERVAL);
  watch.unref();
}

/**
 * The parent and, if the parent is npm's shell, the shell's parent. SIGTERM ends the shell with npm; after other
 * signals, the shell continues without npm.
 */
function ancestors(): string {
  const parent = process.ppid;
  const [, flag] = readProcess(parent, 'cmdline').split('\0');
  if (flag !== '-c') return `${parent}`;
  // The name, in parentheses, may contain spaces. The state and the parent follow (proc_pid_stat(5)).
  const [, shellParent] = readProcess(parent, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  return `${parent} ${shellParent}`;
}

/** The contents of a process's file in /proc on Linux; empty if the process has ended, and on other systems. */
function readProcess(id: number, file: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
