/** The files that draws are written to: CSV as CmdStan has it, Arrow, or the messages as the server sends them. */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { MessageSink } from '../messages/message-sink.js';
import { csvComments, csvHeader, csvRow } from '../service/fits/csv.js';
import { type CsvFiles, csvConfiguration, type FitRequestRecord } from '../service/fits/csv-configuration.js';
import { writeFully } from '../service/fits/descriptors.js';
import type { JournalRecord } from '../service/fits/journal.js';
import { END_OF_WARMUP } from '../service/fits/layout.js';
import { TableWriter } from '../service/fits/table-writer.js';
import { makeFolders } from '../service/store/files.js';
import { CommandError, writing, writingLater } from './errors.js';

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
  const file = writing(path, () => isFolder(path)) ? join(path, `${program}.csv`) : path;
  const extension = extname(file);
  if (!FORMATS.includes(extension))
    throw new CommandError(`error: --output must be a folder or end in ${FORMATS.join(', ')}`);
  if (ids.length === 1) return [file];
  return ids.map((id) => `${file.slice(0, -extension.length)}_${id}${extension}`);
}

/** Makes the folders of outputs. Throws for outputs that would take the place of a file that is read, or of each other. */
export async function prepareOutputs(outputs: readonly string[], inputs: readonly string[]): Promise<void> {
  const read = new Map(inputs.map((path) => [identityOf(path), path]));
  const written = new Set<string>();
  for (const path of outputs) {
    const identity = identityOf(path);
    const input = read.get(identity);
    if (input !== undefined) {
      throw new CommandError(`error: ${input} is an input and would be overwritten: name another output`);
    }
    if (written.has(identity)) throw new CommandError(`error: ${path} would be written twice: name another output`);
    written.add(identity);
  }
  for (const path of outputs) await writingLater(path, () => makeFolders(dirname(path)));
}

/** The same text for all names of a file. */
function identityOf(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file === undefined || !file.isFile() ? resolve(path) : `${file.dev}:${file.ino}`;
}

/** Opens the output of a chain, whose folder is there. What the file had stays until there is something to write. */
export function openOutput(path: string, run: RunRecord): Output {
  const file = writing(path, () => new OutputFile(path));
  return withReasons(path, inFormat(extname(path), file, run));
}

function inFormat(extension: string, file: OutputFile, run: RunRecord): Output {
  switch (extension) {
    case '.arrow':
      return new ArrowOutput(file, run);
    case '.ndjson':
      return new MessageOutput(file);
    default:
      return new CsvOutput(file, run, 'draw');
  }
}

/** The diagnostics of a chain, as CSV. */
export function openDiagnosticOutput(path: string, run: RunRecord): Output {
  const file = writing(path, () => new OutputFile(path));
  return withReasons(path, new CsvOutput(file, run, 'diagnostic'));
}

function withReasons(path: string, output: Output): Output {
  return {
    add: (record) => writing(path, () => output.add(record)),
    end: () => writing(path, () => output.end()),
  };
}

/** The algorithm that draws nothing: in CmdStan's file of it there are no names. */
const UNDRAWN = 'diagnose';

class CsvOutput implements Output {
  private readonly file: BatchedText;
  private readonly run: RunRecord;
  private readonly kind: 'draw' | 'diagnostic';
  /** What stands before the first row or comment, until that comes. */
  private head = '';

  constructor(file: OutputFile, run: RunRecord, kind: 'draw' | 'diagnostic') {
    this.file = new BatchedText(file);
    this.run = run;
    this.kind = kind;
  }

  add(record: JournalRecord): void {
    if (record.kind === 'header') {
      const { diagnosticNames, drawNames } = record.header;
      const { chain, files, program } = this.run;
      this.head = csvConfiguration(this.run, program, [chain], files);
      if (this.run.function !== UNDRAWN) this.head += csvHeader(this.kind === 'draw' ? drawNames : diagnosticNames);
    } else if (record.kind === 'line') {
      this.write(csvComments(record.line));
    } else if (record.kind === this.kind) {
      this.write(csvRow(record.values, this.run.files.significantDigits));
    }
  }

  end(): void {
    this.file.close();
  }

  private write(text: string): void {
    if (text === '') return;
    this.file.write(this.head + text);
    this.head = '';
  }
}

class MessageOutput implements Output {
  private readonly file: BatchedText;
  private sink: MessageSink | undefined;

  constructor(file: OutputFile) {
    this.file = new BatchedText(file);
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
  private readonly file: OutputFile;
  private readonly run: RunRecord;
  private names: readonly string[] = [];
  private table: TableWriter | undefined;
  private draws = 0;
  private warmup = 0;

  constructor(file: OutputFile, run: RunRecord) {
    this.file = file;
    this.run = run;
  }

  add(record: JournalRecord): void {
    if (record.kind === 'header') {
      this.names = record.header.drawNames;
    } else if (record.kind === 'draw') {
      this.begun().append(record.values);
      this.draws += 1;
    } else if (record.kind === 'line' && csvComments(record.line) !== '') {
      this.begun();
      if (record.line.startsWith(END_OF_WARMUP)) this.warmup = this.draws;
    }
  }

  end(): void {
    const { arguments: settings, chain, function: name, seed } = this.run;
    const chains = [{ chain, warmup: this.warmup, draws: this.draws - this.warmup }];
    const known = { function: name, arguments: settings, random_seed: seed, chains };
    try {
      this.table?.end({ leapfrog: JSON.stringify(known) });
    } finally {
      this.file.close();
    }
  }

  private begun(): TableWriter {
    this.table ??= new TableWriter(this.file.emptied(), this.names);
    return this.table;
  }
}

const BATCH_CHARACTERS = 1 << 16;

/** A text that is written in batches. */
class BatchedText {
  private readonly file: OutputFile;
  private batch = '';

  constructor(file: OutputFile) {
    this.file = file;
  }

  write(text: string): void {
    this.batch += text;
    if (this.batch.length >= BATCH_CHARACTERS) this.flush();
  }

  close(): void {
    try {
      if (this.batch !== '') this.flush();
    } finally {
      this.file.close();
    }
  }

  private flush(): void {
    const bytes = Buffer.from(this.batch);
    this.batch = '';
    writeFully(this.file.emptied(), bytes);
  }
}

/** A file to be written, open so that nothing hinders it later, with what it had until now. */
class OutputFile {
  private readonly descriptor: number;
  private isEmptied = false;

  constructor(path: string) {
    this.descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT);
  }

  /** The descriptor of the file, which has lost its content. */
  emptied(): number {
    if (!this.isEmptied && fstatSync(this.descriptor).isFile()) ftruncateSync(this.descriptor);
    this.isEmptied = true;
    return this.descriptor;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

function isFolder(path: string): boolean {
  return /[/\\]$/.test(path) || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}
