/** The files that draws are written to: CSV as CmdStan has it, Arrow, or the messages as the server sends them. */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { MessageSink } from '../messages/message-sink.js';
import { csvComments, csvHeader, csvRow } from '../service/fits/csv.js';
import { type CsvFiles, csvConfiguration, type FitRequestRecord } from '../service/fits/csv-configuration.js';
import { writeFully } from '../service/fits/descriptors.js';
import type { JournalRecord } from '../service/fits/journal.js';
import { END_OF_WARMUP } from '../service/fits/layout.js';
import { TableWriter } from '../service/fits/table-writer.js';
import { CommandError, reasonOf } from './errors.js';

const FORMATS: readonly string[] = ['.csv', '.arrow', '.ndjson'];

/** What the comments of a file say of the run that it comes from. */
export interface RunRecord extends FitRequestRecord {
  /** What the program is called. */
  readonly program: string;
  readonly chain: number;
  readonly files: CsvFiles;
}

/** Receives what a chain says, and ends when the chain has ended, well or not. */
export interface Output {
  add(record: JournalRecord): void;
  end(): void;
}

/**
 * Where the output of each chain goes: `path` itself for one chain, with the chain's id before the extension for several. A folder
 * gets files that are called as the program is.
 */
export function outputPaths(path: string, program: string, ids: readonly number[]): string[] {
  const file = isFolder(path) ? join(path, `${program}.csv`) : path;
  const extension = extname(file);
  if (!FORMATS.includes(extension))
    throw new CommandError(`error: --output must be a folder or end in ${FORMATS.join(', ')}`);
  if (ids.length === 1) return [file];
  return ids.map((id) => `${file.slice(0, -extension.length)}_${id}${extension}`);
}

/** Opens the output of a chain. */
export function openOutput(path: string, run: RunRecord): Output {
  if (path.endsWith('.arrow')) return new ArrowOutput(openFile(path), run);
  const file = new TextFile(path);
  return path.endsWith('.ndjson') ? new MessageOutput(file) : new CsvOutput(file, run, 'draw');
}

/** The diagnostics of a chain, as CSV. */
export function openDiagnosticOutput(path: string, run: RunRecord): Output {
  return new CsvOutput(new TextFile(path), run, 'diagnostic');
}

/** The algorithm that draws nothing: in CmdStan's file of it there are no names. */
const UNDRAWN = 'diagnose';

class CsvOutput implements Output {
  private readonly file: TextFile;
  private readonly run: RunRecord;
  private readonly kind: 'draw' | 'diagnostic';

  constructor(file: TextFile, run: RunRecord, kind: 'draw' | 'diagnostic') {
    this.file = file;
    this.run = run;
    this.kind = kind;
  }

  add(record: JournalRecord): void {
    if (record.kind === 'header') {
      const { diagnosticNames, drawNames } = record.header;
      const { chain, files, program } = this.run;
      this.file.write(csvConfiguration(this.run, program, [chain], files));
      if (this.run.function !== UNDRAWN) this.file.write(csvHeader(this.kind === 'draw' ? drawNames : diagnosticNames));
    } else if (record.kind === 'line') {
      this.file.write(csvComments(record.line));
    } else if (record.kind === this.kind) {
      this.file.write(csvRow(record.values, this.run.files.significantDigits));
    }
  }

  end(): void {
    this.file.close();
  }
}

class MessageOutput implements Output {
  private readonly file: TextFile;
  private sink: MessageSink | undefined;

  constructor(file: TextFile) {
    this.file = file;
  }

  add(record: JournalRecord): void {
    if (record.kind === 'header') {
      this.sink = new MessageSink({ ...record.header, nonFinite: 'string' }, (line) => this.file.write(line));
    } else if (record.kind === 'line') {
      this.file.write(record.line);
    } else {
      this.sink?.[record.kind](record.values);
    }
  }

  end(): void {
    this.file.close();
  }
}

/** An Arrow file, whose metadata say as much of the run as those that a server sends. */
class ArrowOutput implements Output {
  private readonly descriptor: number;
  private readonly run: RunRecord;
  private table: TableWriter | undefined;
  private draws = 0;
  private warmup = 0;

  constructor(descriptor: number, run: RunRecord) {
    this.descriptor = descriptor;
    this.run = run;
  }

  add(record: JournalRecord): void {
    if (record.kind === 'header') {
      this.table = new TableWriter(this.descriptor, record.header.drawNames);
    } else if (record.kind === 'draw') {
      this.table?.append(record.values);
      this.draws += 1;
    } else if (record.kind === 'line' && record.line.startsWith(END_OF_WARMUP)) {
      this.warmup = this.draws;
    }
  }

  end(): void {
    const { arguments: settings, chain, function: name, seed } = this.run;
    const chains = [{ chain, warmup: this.warmup, draws: this.draws - this.warmup }];
    const known = { function: name, arguments: settings, random_seed: seed, chains };
    this.table?.end({ leapfrog: JSON.stringify(known) });
    closeSync(this.descriptor);
  }
}

const BATCH_CHARACTERS = 1 << 16;

/** A text that is written in batches. */
class TextFile {
  private readonly descriptor: number;
  private batch = '';

  constructor(path: string) {
    this.descriptor = openFile(path);
  }

  write(text: string): void {
    this.batch += text;
    if (this.batch.length >= BATCH_CHARACTERS) this.flush();
  }

  close(): void {
    this.flush();
    closeSync(this.descriptor);
  }

  private flush(): void {
    writeFully(this.descriptor, Buffer.from(this.batch));
    this.batch = '';
  }
}

function openFile(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'w');
  } catch (error) {
    throw new CommandError(`error: ${path} cannot be written: ${reasonOf(error)}`);
  }
}

function isFolder(path: string): boolean {
  return /[/\\]$/.test(path) || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}
