/**
 * Limit on the total memory of the models of all threads. The accounts are in shared memory. A thread claims memory
 * before it allocates it, so concurrent threads never exceed the budget.
 */

/** Size of a WebAssembly page, the unit in which memory grows. */
const PAGE = 65536;
/** Number of accounts; greater than the maximum number of threads of a server. */
const ACCOUNTS = 4096;
/**
 * Index of the counter of returns of memory. The accounts follow, in pages, and then the pending claim of each account.
 */
const RETURNS = 0;
const CELLS = 1 + 2 * ACCOUNTS;

/** Parameters with which a thread opens its account. */
export interface AccountSetup {
  readonly cells: Int32Array;
  readonly account: number;
  readonly limitPages: number;
}

export class MemoryBudget {
  /** The limit in bytes. */
  readonly limit: number;
  private readonly cells = new Int32Array(new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT));
  private readonly open = new Set<number>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Current memory of all models, in bytes. */
  get used(): number {
    return PAGE * sum(this.cells, 1, 1 + ACCOUNTS);
  }

  /** Opens an account for a thread. */
  openAccount(): AccountSetup {
    let account = 1;
    while (this.open.has(account)) account++;
    if (account > ACCOUNTS) throw new Error('there are more threads than memory accounts');
    this.open.add(account);
    return { cells: this.cells, account, limitPages: Math.floor(this.limit / PAGE) };
  }

  /** Frees the memory of a terminated thread. */
  closeAccount({ account }: AccountSetup): void {
    for (const cell of [account, ACCOUNTS + account]) Atomics.store(this.cells, cell, 0);
    this.open.delete(account);
    announce(this.cells);
  }
}

/** A thread's account. */
export class MemoryAccount {
  private readonly setup: AccountSetup;

  constructor(setup: AccountSetup) {
    this.setup = setup;
  }

  /** Memory that the thread has taken, in bytes. */
  get bytes(): number {
    return PAGE * Atomics.load(this.setup.cells, this.setup.account);
  }

  /** Takes `bytes` from the budget; false if that exceeds it. */
  take(bytes: number): boolean {
    const { cells, account, limitPages } = this.setup;
    const pages = Math.ceil(bytes / PAGE);
    // Other threads see a claim before it is granted, so that two concurrent claims do not exceed the budget. A pending
    // claim does not count as used.
    const claim = ACCOUNTS + account;
    Atomics.store(cells, claim, pages);
    const isGranted = sum(cells, 1, CELLS) <= limitPages;
    if (isGranted) Atomics.add(cells, account, pages);
    Atomics.store(cells, claim, 0);
    return isGranted;
  }

  /** Sets the memory of the thread, and wakes waiting threads if it has decreased. */
  settle(bytes: number): void {
    const { cells, account } = this.setup;
    const pages = Math.ceil(bytes / PAGE);
    if (Atomics.exchange(cells, account, pages) > pages) announce(cells);
  }

  /** Like `take`, but waits up to `patience` milliseconds for other threads to return memory. */
  takeWithin(bytes: number, patience: number): boolean {
    const { cells } = this.setup;
    const end = performance.now() + patience;
    for (;;) {
      const returns = Atomics.load(cells, RETURNS);
      if (this.take(bytes)) return true;
      const left = end - performance.now();
      if (left <= 0) return false;
      Atomics.wait(cells, RETURNS, returns, left);
    }
  }
}

/**
 * Reads from the last cell to the first, so that a claim that becomes part of its account in between is counted at
 * least once.
 */
function sum(cells: Int32Array, from: number, to: number): number {
  let pages = 0;
  for (let cell = to - 1; cell >= from; cell--) pages += Atomics.load(cells, cell);
  return pages;
}

function announce(cells: Int32Array): void {
  Atomics.add(cells, RETURNS, 1);
  Atomics.notify(cells, RETURNS);
}
