import { readFileSync } from 'node:fs';

/** Used where the system does not report the limit. */
const USUAL_LIMIT = 4096;

/** The maximum number of open files and sockets of this process. Node raises the soft limit to the hard one. */
export function descriptorLimit(): number {
  try {
    const [, limit = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return limit === '' ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return USUAL_LIMIT;
  }
}
