import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { problems, type ServiceError } from '../errors.js';
import type { LackOfSpace } from '../queue/queue.js';
import { folderBytes } from '../store/files.js';
import type { FitRequest } from './fit-request.js';

export interface DiskLimits {
  /** Maximum size of the files of a running operation, in bytes; no limit by default. */
  readonly operationDisk?: number | undefined;
  /** Free bytes that operations leave on the disk, at most a twentieth of the disk; none by default. */
  readonly diskReserve?: number | undefined;
}

/** A running operation whose files are in a folder. */
export interface GuardedOperation {
  readonly folder: string;
  /** Ends the operation for this reason. */
  readonly end: (lack: LackOfSpace) => void;
}

/** Milliseconds between two checks. */
const INTERVAL = 500;

/** Maximum share of a disk that is reserved. */
const MOST_RESERVED = 0.05;
/** Minimum size of a draw in the files of a running chain: the header of its record and one number. */
const DRAW_BYTES = 24;

/** The error of an operation that has been ended for this reason. */
export function spaceError({ bytes, limit }: LackOfSpace): ServiceError {
  return limit === 'operation' ? problems.operationTooLarge(bytes) : problems.diskFull(bytes);
}

/** Free bytes on the disk with this folder, and the bytes of them that operations leave free. */
export async function diskSpace(folder: string, diskReserve = 0): Promise<Record<'free' | 'reserve', number>> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, reserve: Math.min(diskReserve, Math.floor(MOST_RESERVED * blocks * bsize)) };
}

/** Limits the disk space that running operations use. */
export class DiskGuard {
  private readonly limits: DiskLimits;
  private checking: Promise<void> | undefined;

  constructor(limits: DiskLimits) {
    this.limits = limits;
  }

  /** Throws if a request needs more space than an operation may use, as far as this is known before it runs. */
  requireSize({
    arguments: { num_samples: samples, num_thin: thin = 1 },
    chains,
  }: Pick<FitRequest, 'arguments' | 'chains'>): void {
    const { operationDisk: limit = Number.POSITIVE_INFINITY } = this.limits;
    const draws =
      typeof samples === 'number' && typeof thin === 'number' ? chains.length * Math.floor(samples / thin) : 0;
    if (draws * DRAW_BYTES > limit) throw problems.operationTooLarge(limit, draws * DRAW_BYTES);
  }

  /** Throws if the disk with this folder has no space for a new operation. */
  async requireSpace(folder: string): Promise<void> {
    const reserve = await this.missingReserve(folder);
    if (reserve !== undefined) throw problems.diskFull(reserve);
  }

  /**
   * Repeatedly checks the operations that `list` returns, until the returned function is called. Ends operations with
   * too many files. If too little space is free, ends the largest operation; the next check follows when its files have
   * been removed.
   */
  watch(list: () => readonly GuardedOperation[], logger: FastifyBaseLogger): () => void {
    const check = () =>
      this.check(list()).catch((error) => logger.warn(error, 'the disk space of operations could not be checked'));
    const timer = setInterval(check, INTERVAL).unref();
    return () => clearInterval(timer);
  }

  private check(operations: readonly GuardedOperation[]): Promise<void> {
    this.checking ??= this.checkAll(operations).finally(() => {
      this.checking = undefined;
    });
    return this.checking;
  }

  private async checkAll(operations: readonly GuardedOperation[]): Promise<void> {
    const { operationDisk: limit = Number.POSITIVE_INFINITY } = this.limits;
    const sized = operations.map((operation) => ({ ...operation, bytes: folderBytes(operation.folder) }));
    for (const { bytes, end } of sized) if (bytes > limit) end({ limit: 'operation', bytes: limit });
    const [largest] = sized.filter(({ bytes }) => bytes > 0 && bytes <= limit).sort((a, b) => b.bytes - a.bytes);
    if (largest === undefined) return;
    const reserve = await this.missingReserve(largest.folder);
    if (reserve !== undefined) largest.end({ limit: 'reserve', bytes: reserve });
  }

  /** The number of bytes that should be free; undefined if they are. */
  private async missingReserve(folder: string): Promise<number | undefined> {
    const { diskReserve = 0 } = this.limits;
    if (diskReserve === 0) return undefined;
    const { free, reserve } = await diskSpace(dirname(folder), diskReserve);
    return free < reserve ? reserve : undefined;
  }
}
