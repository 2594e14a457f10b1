import { collectAll } from './garbage.js';
import type { MemoryAccount } from './memory-budget.js';

/** Models that a thread caches for the next request. */
export interface Keeper {
  /** Memory of the cached models in bytes. */
  readonly bytes: number;
  /** Drops idle models of more than `largerThan` bytes; calls `ThreadMemory.noteDropped` for each. */
  drop(largerThan: number): void;
}

/**
 * Size in bytes above which models and data are kept only briefly, and are collected as soon as they are dropped,
 * because V8 does not count their memory.
 */
export const LARGE = 1 << 24;
/** Milliseconds after which an idle thread drops large models. */
const IDLE_LIMIT = 10_000;

/** The memory of a worker thread's models, within the common budget. */
export class ThreadMemory {
  private readonly account: MemoryAccount | undefined;
  private readonly keeper: Keeper;
  private readonly requestRelease: () => void;
  private readonly idle: NodeJS.Timeout;
  /** Milliseconds to wait for other threads to return memory. */
  patience = 0;

  /** `requestRelease` makes other threads drop cached models. Without an account, memory has no limit. */
  constructor(account: MemoryAccount | undefined, keeper: Keeper, requestRelease: () => void) {
    this.account = account;
    this.keeper = keeper;
    this.requestRelease = requestRelease;
    this.idle = setTimeout(() => this.release(LARGE), IDLE_LIMIT).unref();
  }

  /** Claims `bytes` for a model. If necessary, idle models of this thread and of others are dropped. */
  claim(bytes: number): boolean {
    const { account } = this;
    if (account === undefined || account.take(bytes)) return true;
    this.keeper.drop(0);
    if (account.take(bytes)) return true;
    this.requestRelease();
    return account.takeWithin(bytes, this.patience);
  }

  /** Reports that models of `bytes` bytes were dropped. */
  noteDropped(bytes: number): void {
    if (bytes > LARGE) collectAll();
    this.account?.settle(this.account.bytes - bytes);
  }

  /**
   * Updates the account after a job. `data`: bytes of bound data that the job has used, which are not part of the
   * account.
   */
  settle(data = 0): void {
    this.idle.refresh();
    if (data > LARGE) collectAll();
    if (this.account !== undefined) this.noteDropped(this.account.bytes - this.keeper.bytes);
  }

  /** Drops cached models of more than `largerThan` bytes, between two jobs. */
  release(largerThan = 0): void {
    this.keeper.drop(largerThan);
  }
}
