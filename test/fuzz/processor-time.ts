import { readFileSync } from 'node:fs';

/** Ticks of a second in which the system counts. */
const TICKS = 100;

/** Milliseconds that a process has had a processor; where the system does not tell, those that have passed. */
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
