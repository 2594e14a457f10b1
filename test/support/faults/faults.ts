/** Faults of the operating system in a process that runs as a test: failing files, a full disk, a clock that jumps. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../project/tree.js';

/** Types of calls, as in faults.c. */
const CALLS = {
  /** Opens an existing file for reading. */
  open: 1,
  /** Opens a file for writing. */
  create: 2,
  read: 4,
  write: 8,
  sync: 16,
  rename: 32,
  mkdir: 64,
  remove: 128,
  list: 256,
  /** Changes permissions, times or the size. */
  change: 512,
  accept: 1024,
} as const;
export type Call = keyof typeof CALLS;

export interface Fault {
  readonly errno: keyof typeof constants.errno;
  readonly calls: readonly Call[];
  /** Only paths that contain this text fail. */
  readonly path: string;
  /** Number of such calls that succeed before the first failure; 0 by default. */
  readonly spared?: number;
  /** Maximum number of failures; no limit by default. */
  readonly most?: number;
}

/** Form of the file that faults.c maps. */
const BYTES = 4096;
const CLOCK = 16;
const SPACE = 24;
const FAILED = 32;
const PATH = 40;

/** Injects faults into processes with these environment variables. */
export interface Faults {
  readonly environment: Readonly<Record<string, string>>;
  /** Makes calls fail. Replaces an earlier fault. */
  inject(fault: Fault): void;
  /** Ends all faults. */
  clear(): void;
  /** Number of calls that have failed since the last `inject`. */
  failures(): number;
  /** Moves the time of day by a number of seconds. */
  moveClock(seconds: number): void;
  /** Sets the number of free bytes that every file system reports; undefined for the real number. */
  setSpace(bytes: number | undefined): void;
  close(): void;
}

/** Compiles faults.c; returns the reason if this is not possible. */
export function openFaults(): Faults | string {
  if (process.platform !== 'linux') return 'calls of the C library are interposed on Linux only';
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-faults-'));
  const library = join(folder, 'faults.so');
  const source = join(ROOT, 'test/support/faults/faults.c');
  const compiled = spawnSync('gcc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { encoding: 'utf8' });
  if (compiled.error !== undefined || compiled.status !== 0) {
    rmSync(folder, { recursive: true });
    return `gcc cannot compile faults.c: ${compiled.error?.message ?? compiled.stderr}`;
  }
  const path = join(folder, 'rules');
  const file = openSync(path, 'w+');
  const rules = Buffer.alloc(BYTES);
  const write = (from: number, to: number) => writeSync(file, rules, from, to - from, from);
  const clear = () => {
    rules.fill(0, 0, CLOCK);
    write(0, CLOCK);
  };
  rules.writeBigInt64LE(-1n, SPACE);
  write(0, BYTES);
  return {
    environment: { LD_PRELOAD: library, LEAPFROG_TEST_FAULTS: path },
    inject({ calls, errno, most = 2 ** 31 - 1, path: text, spared = 0 }) {
      clear();
      rules.fill(0, FAILED);
      rules.write(text, PATH);
      write(FAILED, BYTES);
      rules.writeUInt32LE(
        calls.reduce((mask, call) => mask | CALLS[call], 0),
        4,
      );
      rules.writeInt32LE(spared, 8);
      rules.writeInt32LE(most, 12);
      write(4, CLOCK);
      rules.writeInt32LE(constants.errno[errno], 0);
      write(0, 4);
    },
    clear,
    failures() {
      const found = Buffer.alloc(4);
      readSync(file, found, 0, 4, FAILED);
      return found.readInt32LE();
    },
    moveClock(seconds) {
      rules.writeBigInt64LE(BigInt(seconds) * 1_000_000_000n, CLOCK);
      write(CLOCK, SPACE);
    },
    setSpace(bytes) {
      rules.writeBigInt64LE(BigInt(bytes ?? -1), SPACE);
      write(SPACE, FAILED);
    },
    close() {
      closeSync(file);
      rmSync(folder, { recursive: true });
    },
  };
}
