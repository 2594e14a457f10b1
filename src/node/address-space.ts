/**
 * Limits of a process's address space, `ulimit -v`. V8 reserves ten gigabytes for each WebAssembly memory, which accesses out of bounds reach
 * without a check. With explicit checks, it reserves the maximum size of each memory.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

const GIGABYTE = 1e9;
const PAGE = 65536;
/** Bytes that a process reserves with a thread that compiles and one that checks data. */
const OF_PROCESS = 1.3 * GIGABYTE;
/** Bytes per processor for a thread that runs chains and one that computes statistics, and the number of their memories. */
const OF_PROCESSOR = 0.4 * GIGABYTE;
const MEMORIES = 8;
/** The least number of bytes per processor, with memories. */
const LEAST_SHARE = 0.7 * GIGABYTE;
/** Mebibytes that a thread reserves for code. V8's default is half a gigabyte. */
const CODE_MEBIBYTES = 64;

/** The least limit under which Leapfrog runs, in bytes. */
export const LEAST_ADDRESS_SPACE = 2 * GIGABYTE;
/** The option of Node for explicit checks. */
export const EXPLICIT_CHECKS = '--disable-wasm-trap-handler';

/** The limit in bytes; undefined without a limit, and on other systems than Linux. */
export function addressLimit(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const found = /^Max address space +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return found === null ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}

/** The number of processors, or of the threads for which address space suffices. */
export function threadsAvailable(limit = addressLimit()): number {
  const processors = availableParallelism();
  if (limit === undefined) return processors;
  return Math.max(1, Math.min(processors, Math.floor((limit - OF_PROCESS) / LEAST_SHARE)));
}

/** Limits of a thread. */
export function threadLimits(): ResourceLimits {
  return addressLimit() === undefined ? {} : { codeRangeSizeMb: CODE_MEBIBYTES };
}

/** Limits the memories of this process such that those of all threads fit into its address space. */
export function limitMemories(limit = addressLimit()): void {
  if (limit === undefined) return;
  const share = (limit - OF_PROCESS) / threadsAvailable(limit) - OF_PROCESSOR;
  const pages = Math.floor(Math.max(0, share) / MEMORIES / PAGE);
  setFlagsFromString(`--wasm-max-mem-pages=${Math.min(65536, Math.max(512, pages))}`);
}
