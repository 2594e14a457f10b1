/** Processes with a fixed share of the processors, by control groups of Linux. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Period of the share, in microseconds. */
const PERIOD = 20_000;
const ROOTS = { first: '/sys/fs/cgroup/cpu', second: '/sys/fs/cgroup' } as const;

/**
 * Limits a process with all its threads to a share of one processor: 0.2 is a fifth. After the process has exited, call the returned
 * function to remove the control group. Throws if control groups cannot be created, which usually requires root.
 */
export function holdToShare(processId: number, share: number): () => void {
  const isSecond = existsSync(join(ROOTS.second, 'cgroup.controllers'));
  const group = join(isSecond ? ROOTS.second : ROOTS.first, `leapfrog-${processId}`);
  const quota = Math.round(share * PERIOD);
  mkdirSync(group);
  if (isSecond) writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD}`);
  else {
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD));
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota));
  }
  writeFileSync(join(group, 'cgroup.procs'), String(processId));
  return () => rmdirSync(group);
}
