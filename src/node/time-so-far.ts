import type { SpentTime } from '../fits/thread-need.js';

/** Milliseconds of processor time of all threads of this process, and milliseconds since an arbitrary time. */
export function timeSoFar(): SpentTime {
  const { system, user } = process.cpuUsage();
  return { processor: (system + user) / 1000, elapsed: performance.now() };
}
