import { closeSync, openSync, readSync } from 'node:fs';
import { DamagedFile } from '../../fit-files/checksums.js';
import { JournalParser } from '../../fit-files/journal.js';

/** Reads the lines of a chain's journal while it grows. */
export class JournalTail {
  private readonly path: string;
  private readonly receive: (line: string) => void;
  private readonly parser: JournalParser;
  private descriptor: number | undefined;
  private isClosed = false;

  constructor(path: string, receive: (line: string) => void) {
    this.path = path;
    this.parser = new JournalParser(path);
    this.receive = receive;
  }

  /** Reads and reports new records, for at most `milliseconds`. The chain may not have started yet. */
  read(milliseconds: number): void {
    if (this.isClosed) return;
    this.descriptor ??= openIfThere(this.path);
    if (this.descriptor === undefined) return;
    try {
      this.readFrom(this.descriptor, performance.now() + milliseconds);
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      // The chain itself ends with this error.
      this.close();
    }
  }

  private readFrom(descriptor: number, end: number): void {
    while (performance.now() < end) {
      const count = readSync(descriptor, this.parser.space());
      if (count === 0) return;
      for (const line of this.parser.takeLines(count)) this.receive(line);
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
