import { setTimeout as pause } from 'node:timers/promises';
import { DamagedFile } from '../../fit-files/checksums.js';
import { blockOf } from '../queue/blocks.js';
import { deferred } from '../queue/deferred.js';
import { ChainOrder, type ChainStage, type OrderedChain } from './chain-order.js';
import { SLACK } from './claims.js';
import { type ChainReport, type ChainState, readState } from './messages.js';
import type { Values } from './values.js';
import type { WatchedBucket, WatchedEntry } from './watched-bucket.js';

/** A chain in the latest state that this process has received. */
export interface BoardEntry extends OrderedChain {
  /** `<operation>.<attempt>.<place>` */
  readonly key: string;
  readonly revision: number;
  /** The process that runs it or has run it last; empty while it waits. */
  readonly owner: string;
  readonly state: ChainState;
}

/** Milliseconds before retrying a failed read. */
const PAUSE = 1000;

/** Length of an owner's identifier, from the client's `nuid`. */
const OWNER_LENGTH = 22;

/** Waiting, running and ended chains of all operations that have not ended. */
export class ChainBoard {
  private readonly bucket: WatchedBucket;
  private readonly values: Values;
  private readonly leaseTime: number;
  private readonly known = new Map<string, BoardEntry>();
  private readonly order = new ChainOrder();
  /** Keys of all stored values, read or not, by operation. */
  private readonly keys = new Map<string, Set<string>>();
  private readonly listeners = new Set<(key: string) => void>();
  private changed = deferred<void>();

  constructor(bucket: WatchedBucket, values: Values, leaseTime: number) {
    this.bucket = bucket;
    this.values = values;
    this.leaseTime = leaseTime;
    bucket.onChange((key) => this.note(key));
    for (const { key } of [...bucket.all()]) this.note(key);
  }

  get(key: string): BoardEntry | undefined {
    return this.known.get(key);
  }

  /** Reads the current value from NATS. */
  async look(key: string): Promise<BoardEntry | undefined> {
    const entry = await this.values.entry(key);
    return entry && entryOf(key, entry.revision, await this.values.textOf(entry));
  }

  onChange(listener: (key: string) => void): void {
    this.listeners.add(listener);
  }

  /** Resolves at the next change. */
  get nextChange(): Promise<void> {
    return this.changed.promise;
  }

  /** The chain that a worker should take next, excluding the given ones. Undefined if none waits. */
  next(except: ReadonlySet<string>): BoardEntry | undefined {
    for (const chain of [...this.order.taken]) if (this.isLeft(chain.key)) this.order.set(chain, 'left');
    for (;;) {
      const entry = this.known.get(this.order.next(except) ?? '');
      if (entry?.state.kind !== 'taken' || this.isLeft(entry.key)) return entry;
      // The process that runs the chain has become responsive again.
      this.order.set(entry, 'taken');
    }
  }

  /** Records a chain's progress if the sender still runs it. */
  report(key: string, { owner, progress }: ChainReport): void {
    const entry = this.known.get(key);
    if (entry?.owner !== owner || entry.state.kind !== 'taken') return;
    this.known.set(key, { ...entry, state: { ...entry.state, progress } });
    for (const listener of this.listeners) listener(key);
  }

  /** Number of operations without a started chain. */
  get waiting(): number {
    return this.order.waiting;
  }

  /** Numbers of waiting and of running chains. */
  get chains(): { readonly waiting: number; readonly running: number } {
    return this.order.counts;
  }

  /** Position of an operation in the queue, from 1; undefined if one of its chains has started. */
  placeOf(operation: string, attempt: number): number | undefined {
    return this.order.placeOf(operation, attempt);
  }

  /** Keys of the chains of all attempts of an operation. */
  keysOf(operation: string): readonly string[] {
    return [...(this.keys.get(operation) ?? [])];
  }

  /** Whether the process that runs it has stopped renewing its lease. */
  private isLeft(key: string): boolean {
    const received = this.bucket.get(key)?.received ?? Number.POSITIVE_INFINITY;
    return performance.now() - received > SLACK * this.leaseTime;
  }

  private note(key: string): void {
    const entry = this.bucket.get(key);
    this.index(key, entry !== undefined);
    if (entry === undefined) {
      this.set(key, undefined);
      return;
    }
    const text = this.values.read(key, entry.text);
    if (typeof text === 'string') this.read(entry, text);
    else void this.readFiled(entry, text);
  }

  private read(entry: WatchedEntry, text: string): void {
    const chain = entryOf(entry.key, entry.revision, text);
    this.set(entry.key, chain);
    if (chain === undefined) this.discard(entry);
  }

  /** Reads a value that is stored as an object. Retries until it is available or has been replaced. */
  private async readFiled(entry: WatchedEntry, reading: Promise<string>): Promise<void> {
    const isCurrent = () => this.bucket.get(entry.key)?.revision === entry.revision;
    for (let late: string | Promise<string> = reading; ; late = this.values.read(entry.key, entry.text)) {
      try {
        const text = await late;
        if (isCurrent()) this.read(entry, text);
        return;
      } catch (error) {
        if (error instanceof DamagedFile) return this.discard(entry);
      }
      await pause(PAUSE, undefined, { ref: false });
      if (!isCurrent()) return;
    }
  }

  /** Removes an invalid entry. The chain runs again and produces the same draws. */
  private discard({ key, revision }: WatchedEntry): void {
    this.values.removeRevision(key, revision).catch(() => undefined);
  }

  private set(key: string, entry: BoardEntry | undefined): void {
    if (entry === undefined) {
      this.known.delete(key);
      this.order.delete(key);
    } else {
      this.known.set(key, entry);
      this.order.set(entry, stageOf(entry.state));
    }
    for (const listener of this.listeners) listener(key);
    this.changed.resolve();
    this.changed = deferred<void>();
  }

  private index(key: string, isThere: boolean): void {
    const operation = operationOf(key);
    const keys = this.keys.get(operation) ?? new Set();
    if (isThere) this.keys.set(operation, keys.add(key));
    else if (keys.delete(key) && keys.size === 0) this.keys.delete(operation);
  }
}

/** A later block of a chain waits like a chain that another process has left, because its operation has started. */
function stageOf({ block, kind }: ChainState): ChainStage {
  return kind === 'waiting' && blockOf({ block }) > 0 ? 'left' : kind;
}

function operationOf(key: string): string {
  return key.slice(0, key.indexOf('.'));
}

/** Undefined if the value is not a chain. */
function entryOf(key: string, revision: number, text: string): BoardEntry | undefined {
  const [operation = '', attempt = '', place = ''] = key.split('.');
  const isWaiting = text.startsWith('{');
  const owner = isWaiting ? '' : text.slice(0, OWNER_LENGTH);
  const state = readState(text.slice(owner.length));
  return state && { key, operation, attempt: Number(attempt), place: Number(place), revision, owner, state };
}
