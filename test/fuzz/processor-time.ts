import { readFileSync } from 'node:fs';

/** Clock ticks per second of the system. */
const TICKS = 100;

/** Milliseconds of processor time of a process, or elapsed time if the system does not report it. */
export function processorTime(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (1000 * (Number(fields[11]) + Number(fields[12]))) / TICKS;
  } catch {
    return performance.now();
  }
}
