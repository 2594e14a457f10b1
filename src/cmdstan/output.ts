/** The console and the files of an executable. Writes are synchronous, because the thread only runs the chain. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { Patience } from '../chain/patience.js';
import { visibleOnTerminal } from '../node/standard-streams.js';
import { isSystemError, systemReason } from '../node/system-errors.js';
import { Failure } from './failure.js';
import type { Console } from './parser.js';

const OUTPUT = 1;
const ERRORS = 2;

export const standardConsole: Console = {
  info: (line) => writeLine(OUTPUT, line),
  error: (line) => writeLine(ERRORS, line),
};

function writeLine(descriptor: number, line: string): void {
  const bytes = Buffer.from(`${visibleOnTerminal(descriptor, line)}\n`);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      // A write to a full pipe is retried; a closed pipe is abandoned.
      if (!isSystemError(error) || !('code' in error) || error.code !== 'EAGAIN') return;
    }
  }
}

const BATCH_CHARACTERS = 1 << 16;
/** Milliseconds after which buffered lines are written even if the buffer is not full. */
const PATIENCE = 100;

/** A text file that is written in batches of whole lines, so that the file of an interrupted run can be read. */
export class TextFile {
  private readonly path: string;
  private readonly descriptor: number;
  private readonly patience = new Patience(PATIENCE);
  private batch = '';

  constructor(path: string) {
    this.path = path;
    try {
      this.descriptor = openSync(path, 'w');
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  write(text: string): void {
    this.batch += text;
    if (this.batch.length >= BATCH_CHARACTERS || this.patience.isOver()) this.flush();
  }

  close(): void {
    try {
      this.flush();
    } finally {
      closeSync(this.descriptor);
    }
  }

  private flush(): void {
    const bytes = Buffer.from(this.batch);
    this.batch = '';
    this.patience.begin();
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.descriptor, bytes, done);
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  private failureOf(error: unknown): unknown {
    return isSystemError(error) ? new Failure(`${this.path} cannot be written: ${systemReason(error)}`) : error;
  }
}
