/**
 * Cache of V8's compiled code of bundles.
 *
 * V8 executes stored code without comparing it with the source, so a file is used only if no other user can have
 * written it: the folder and the file belong to the user of the process, only that user can write to them, and they are
 * not links. On Windows, the folder is in the user's profile, and owners are not compared. A checksum detects damaged
 * files. If a condition is not met, the bundle is compiled without stored code.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';

export interface StoredCode {
  readonly code: Buffer;
  /** Number of processes that have added to the code. */
  readonly generation: number;
}

/** Bytes of the CRC-32, and of the header: CRC-32 and generation. */
const SUM = 4;
const HEAD = SUM + 1;
/** Permission bits that let the group or others write. */
const OTHERS_WRITE = 0o022;
/**
 * Milliseconds since the last write after which a file is removed, because it probably belongs to another version of
 * the program.
 */
const LIFETIME = 30 * 24 * 3600 * 1000;
/** Number of files that are kept, enough for several versions of all commands. Each has one to two megabytes. */
const MOST_FILES = 64;

export class CodeCache {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Reads a file; undefined if it does not exist or cannot be trusted. */
  read(name: string): StoredCode | undefined {
    try {
      if (!isOwn(lstatSync(this.folder), 'isDirectory')) return undefined;
      const bytes = readOwn(join(this.folder, name));
      if (bytes === undefined || bytes.length <= HEAD || bytes.readUInt32LE() !== sumOf(bytes)) return undefined;
      return { generation: bytes[SUM], code: bytes.subarray(HEAD) };
    } catch {
      return undefined;
    }
  }

  /** Writes a file, unless the folder cannot be trusted or written. Removes old files. */
  write(name: string, { code, generation }: StoredCode): void {
    try {
      if (!this.prepareFolder()) return;
      this.removeOld();
      const bytes = Buffer.concat([Buffer.alloc(SUM), Buffer.of(generation), code]);
      bytes.writeUInt32LE(sumOf(bytes));
      const path = join(this.folder, `${name}.${Math.random().toString(36).slice(2)}.new`);
      try {
        writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
        renameSync(path, join(this.folder, name));
      } catch {
        rmSync(path, { force: true });
      }
    } catch {
      // The next process retries.
    }
  }

  /** Whether the folder can be used. Creates it if its parent folder belongs to the user. */
  private prepareFolder(): boolean {
    const found = lstatSync(this.folder, { throwIfNoEntry: false });
    if (found === undefined) {
      let above = dirname(this.folder);
      while (lstatSync(above, { throwIfNoEntry: false }) === undefined) above = dirname(above);
      if (!isOwn(lstatSync(above), 'isDirectory')) return false;
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    }
    return isOwn(lstatSync(this.folder), 'isDirectory');
  }

  /** Removes files that have not been written for a long time, and the oldest ones if there are too many. */
  private removeOld(): void {
    const limit = Date.now() - LIFETIME;
    const files = readdirSync(this.folder).flatMap((name) => {
      const path = join(this.folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isFile() ? [{ path, written: stats.mtimeMs }] : [];
    });
    files.sort((a, b) => b.written - a.written);
    const old = files.filter(({ written }, place) => written < limit || place >= MOST_FILES);
    for (const { path } of old) rmSync(path, { force: true });
  }
}

/** The contents of a file that belongs to the user; undefined otherwise. */
function readOwn(path: string): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return isOwn(fstatSync(file), 'isFile') ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

/** Whether a file or folder belongs to the user of this process, and no other user can write to it. */
function isOwn(stats: Stats, type: 'isDirectory' | 'isFile'): boolean {
  if (!stats[type]()) return false;
  return process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & OTHERS_WRITE) === 0);
}

/** The checksum of the content of a file after the checksum. Not of node:crypto, which takes milliseconds to load. */
function sumOf(bytes: Uint8Array): number {
  return crc32(bytes.subarray(SUM));
}
