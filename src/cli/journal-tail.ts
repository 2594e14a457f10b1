import { closeSync, openSync, readSync } from 'node:fs';
import { JournalParser, type JournalRecord } from '../service/fits/journal.js';

/** Reads the journal of a chain while it grows. */
export class JournalTail {
  private readonly path: string;
  private readonly receive: (record: JournalRecord) => void;
  private readonly parser = new JournalParser();
  private descriptor: number | undefined;
  private isClosed = false;

  constructor(path: string, receive: (record: JournalRecord) => void) {
    this.path = path;
    this.receive = receive;
  }

  /**
   * Hands on what has come since the last time, unless it is closed; a chain may go on faster than that, so that there may be
   * no end to it before the time is up. The chain may not have begun.
   */
  read(milliseconds = Number.POSITIVE_INFINITY): void {
    if (this.isClosed) return;
    this.descriptor ??= openIfThere(this.path);
    if (this.descriptor === undefined) return;
    for (const end = performance.now() + milliseconds; performance.now() < end; ) {
      const count = readSync(this.descriptor, this.parser.space());
      if (count === 0) return;
      for (const record of this.parser.take(count)) this.receive(record);
    }
  }

  close(): void {
    if (this.descriptor !== undefined && !this.isClosed) closeSync(this.descriptor);
    this.isClosed = true;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
