import { collectAll } from '../garbage.js';
import type { MemoryAccount } from './memory-budget.js';

/** Models that a thread keeps for the next request. */
export interface Keeper {
  /** Bytes of memory that the models have which it keeps. */
  readonly bytes: number;
  /** Drops idle models of more than `largerThan` bytes; calls `ThreadMemory.noteDropped` for each. */
  drop(largerThan: number): void;
}

/** A model that has more bytes is not kept for long, and collected as soon as it is dropped. */
const LARGE = 1 << 24;
/** Milliseconds for which a thread may have nothing to do before it drops large models. */
const IDLE_LIMIT = 10_000;

/** What the models of a worker thread take of the common budget. */
export class ThreadMemory {
  private readonly account: MemoryAccount | undefined;
  private readonly keeper: Keeper;
  private readonly askOthers: () => void;
  private readonly idle: NodeJS.Timeout;
  /** Milliseconds to wait for others to return memory. */
  patience = 0;

  /** `askOthers` has other threads drop what they keep. Without an account there is no limit. */
  constructor(account: MemoryAccount | undefined, keeper: Keeper, askOthers: () => void) {
    this.account = account;
    this.keeper = keeper;
    this.askOthers = askOthers;
    this.idle = setTimeout(() => this.release(LARGE), IDLE_LIMIT).unref();
  }

  /** Takes `bytes` for a model, from idle models of this thread or from others if need be. */
  claim(bytes: number): boolean {
    const { account } = this;
    if (account === undefined || account.take(bytes)) return true;
    this.keeper.drop(0);
    if (account.take(bytes)) return true;
    this.askOthers();
    return account.takeWithin(bytes, this.patience);
  }

  /** Reports that models of `bytes` bytes were dropped. */
  noteDropped(bytes: number): void {
    if (bytes > LARGE) collectAll();
    this.account?.settle(this.account.bytes - bytes);
  }

  /** Enters what is left after a job. */
  settle(): void {
    this.idle.refresh();
    if (this.account !== undefined) this.noteDropped(this.account.bytes - this.keeper.bytes);
  }

  /** Drops kept models of more than `largerThan` bytes, between two jobs. */
  release(largerThan = 0): void {
    this.keeper.drop(largerThan);
  }
}
