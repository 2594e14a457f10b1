import { setTimeout as pause } from 'node:timers/promises';
import { deferred } from '../queue/deferred.js';
import { DamagedFile } from '../store/checksums.js';
import { ChainOrder, type OrderedChain } from './chain-order.js';
import { SLACK } from './claims.js';
import { type ChainState, type ChainTelling, readState } from './messages.js';
import type { Values } from './values.js';
import type { WatchedBucket, WatchedEntry } from './watched-bucket.js';

/** A chain as this process knows it. */
export interface BoardEntry extends OrderedChain {
  /** `<operation>.<attempt>.<place>` */
  readonly key: string;
  readonly revision: number;
  /** Who runs it, or has run it; empty while it waits. */
  readonly owner: string;
  readonly state: ChainState;
}

/** Milliseconds after which one that could not be read is read again. */
const PAUSE = 1000;

/** Characters of an owner, which `nuid` of the client makes. */
const OWNER_LENGTH = 22;

/** Chains of all operations that have not ended: those that wait, those that run and those that have ended. */
export class ChainBoard {
  private readonly bucket: WatchedBucket;
  private readonly values: Values;
  private readonly leaseTime: number;
  private readonly known = new Map<string, BoardEntry>();
  private readonly order = new ChainOrder();
  /** By operation, of all values that are stored, read or not. */
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

  /** Looks at what is stored now. */
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

  /** The chain that a worker should take next, apart from some. Undefined when none waits. */
  next(except: ReadonlySet<string>): BoardEntry | undefined {
    for (const chain of [...this.order.taken]) if (this.isLeft(chain.key)) this.order.set(chain, 'left');
    for (;;) {
      const entry = this.known.get(this.order.next(except) ?? '');
      if (entry?.state.kind !== 'taken' || this.isLeft(entry.key)) return entry;
      // Who has it answers again.
      this.order.set(entry, 'taken');
    }
  }

  /** Notes a chain's progress, if the sender still runs it. */
  tell(key: string, { owner, progress }: ChainTelling): void {
    const entry = this.known.get(key);
    if (entry?.owner !== owner || entry.state.kind !== 'taken') return;
    this.known.set(key, { ...entry, state: { kind: 'taken', progress } });
    for (const listener of this.listeners) listener(key);
  }

  /** How many operations there are of which no chain has begun. */
  get waiting(): number {
    return this.order.waiting;
  }

  /** How many chains wait for a worker, and how many workers run. */
  get chains(): { readonly waiting: number; readonly running: number } {
    return this.order.counts;
  }

  /** The place of an operation among those of which no chain has begun, from 1; undefined when one has. */
  placeOf(operation: string, attempt: number): number | undefined {
    return this.order.placeOf(operation, attempt);
  }

  /** The keys of the chains of an operation, whenever it was asked for. */
  keysOf(operation: string): readonly string[] {
    return [...(this.keys.get(operation) ?? [])];
  }

  /** Whether who has it does not answer any more. */
  private isLeft(key: string): boolean {
    const heard = this.bucket.get(key)?.heard ?? Number.POSITIVE_INFINITY;
    return performance.now() - heard > SLACK * this.leaseTime;
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

  /** A long one is a file of its own. It is tried again until it can be had or something else is in its place. */
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

  /** An invalid entry counts as not written: the chain runs again and produces the same draws. */
  private discard({ key, revision }: WatchedEntry): void {
    this.values.removeRevision(key, revision).catch(() => undefined);
  }

  private set(key: string, entry: BoardEntry | undefined): void {
    if (entry === undefined) {
      this.known.delete(key);
      this.order.delete(key);
    } else {
      this.known.set(key, entry);
      this.order.set(entry, entry.state.kind);
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

function operationOf(key: string): string {
  return key.slice(0, key.indexOf('.'));
}

/** Undefined if it is not a chain. */
function entryOf(key: string, revision: number, text: string): BoardEntry | undefined {
  const [operation = '', attempt = '', place = ''] = key.split('.');
  const isWaiting = text.startsWith('{');
  const owner = isWaiting ? '' : text.slice(0, OWNER_LENGTH);
  const state = readState(text.slice(owner.length));
  return state && { key, operation, attempt: Number(attempt), place: Number(place), revision, owner, state };
}
