import type { RunEvent } from './events.js';
import type { Rows } from './rows.js';

/** Draws or diagnostics of a chain in its table. */
interface RowsEntry {
  readonly kind: 'rows';
  readonly of: 'draws' | 'diagnostics';
  readonly chain: number;
  readonly rows: Rows;
  readonly from: number;
  to: number;
}

type Entry = RowsEntry | { readonly kind: 'event'; readonly event: RunEvent };

/**
 * The events of a run, for any number of readers. Each reader receives all events from the first one on. Numbers remain
 * in the tables of the chains; a reader receives rows that are already there in one event.
 */
export class EventLog {
  private readonly entries: Entry[] = [];
  /** Entries of rows that may still grow, because they are unread and the last event of their chain. */
  private readonly growing = new Map<string, RowsEntry>();
  private waiting: (() => void)[] = [];
  private end: { readonly failure: unknown } | undefined;

  /** An event other than rows. */
  add(event: RunEvent): void {
    for (const of of ['draws', 'diagnostics']) this.growing.delete(`${of} ${event.chain}`);
    this.entries.push({ kind: 'event', event });
    this.wake();
  }

  /** Records rows that were added to a table, from row `from` on. */
  addRows(of: RowsEntry['of'], chain: number, rows: Rows, from: number): void {
    const key = `${of} ${chain}`;
    const last = this.growing.get(key);
    if (last !== undefined) last.to = rows.count;
    else {
      const entry: RowsEntry = { kind: 'rows', of, chain, rows, from, to: rows.count };
      this.growing.set(key, entry);
      this.entries.push(entry);
    }
    this.wake();
  }

  /** Ends the log. Readers receive a failure after the last event. */
  close(failure: unknown): void {
    this.end = { failure };
    this.wake();
  }

  async *read(): AsyncGenerator<RunEvent, void, undefined> {
    for (let next = 0; ; next++) {
      while (next === this.entries.length) {
        if (this.end !== undefined) {
          if (this.end.failure !== undefined) throw this.end.failure;
          return;
        }
        await new Promise<void>((resolve) => this.waiting.push(resolve));
      }
      yield this.take(this.entries[next]);
    }
  }

  private take(entry: Entry): RunEvent {
    if (entry.kind === 'event') return entry.event;
    const { chain, from, of, rows, to } = entry;
    const key = `${of} ${chain}`;
    if (this.growing.get(key) === entry) this.growing.delete(key);
    return { kind: of, chain, count: to - from, values: rows.slice(from, to) };
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
