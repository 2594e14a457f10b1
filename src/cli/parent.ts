import { readFileSync } from 'node:fs';

/** Milliseconds. */
const INTERVAL = 250;

/**
 * Calls back once when npm, if it has started this process, is gone. A signal to `npm start` or to `npx` ends npm, and does not
 * reach what runs in its shell. What was started without npm outlives its parent, as servers do.
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
 * The parent and, where that is npm's shell, the shell's parent. SIGTERM ends the shell with npm; after other signals the shell
 * continues without it.
 */
function ancestors(): string {
  const parent = process.ppid;
  const [, flag] = readProcess(parent, 'cmdline').split('\0');
  if (flag !== '-c') return `${parent}`;
  // The name, in parentheses, may have spaces; the state and the parent follow (proc_pid_stat(5)).
  const [, shellParent] = readProcess(parent, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  return `${parent} ${shellParent}`;
}

/** A process's file in Linux's /proc; empty if the process has ended, and on other systems. */
function readProcess(id: number, file: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
