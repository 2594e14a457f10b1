/**
 * Files in which users find the draws of a chain: CSV as CmdStan has it, Arrow, or the messages as the server sends them. The chain
 * itself writes them while it runs, whole rows at a time.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { extname } from 'node:path';
import { MessageSink } from '../../messages/message-sink.js';
import { csvComments, csvHeader, csvRow, namesInFile } from '../../run/csv.js';
import { type CsvFiles, csvConfiguration, type FitRequestRecord } from '../../run/csv-configuration.js';
import { Patience } from '../../run/patience.js';
import { withFile, writeFully } from './descriptors.js';
import { type JournalHeader, JournalParser } from './journal.js';
import { END_OF_WARMUP } from './layout.js';
import { TableWriter } from './table-writer.js';
import { UnwritableFile } from './unwritable-file.js';

/** The run of a file, for its comments. */
interface RunRecord extends FitRequestRecord {
  /** What the program is called. */
  readonly program: string;
  readonly chain: number;
  readonly files: CsvFiles;
}

/** A file that a chain is to write. Its extension is its format. */
export interface DrawFile {
  readonly path: string;
  readonly holds: 'draw' | 'diagnostic';
  readonly run: RunRecord;
}

/** Receives the events of a chain. Errors of the system become `UnwritableFile`. */
export interface DrawFileWriter {
  addLine(line: string): void;
  addNumbers(kind: 'draw' | 'diagnostic', values: Float64Array): void;
  /** `isCut`: whether the chain was stopped before its end. */
  end(isCut: boolean): void;
}

/** Opens a file, which keeps what it has until there is something to write. */
export function openDrawFile(file: DrawFile, header: JournalHeader): DrawFileWriter {
  const { path } = file;
  const writer = writing(path, () => writerOf(file, new LateFile(path), header));
  return {
    addLine: (line) => writing(path, () => writer.addLine(line)),
    addNumbers: (kind, values) => writing(path, () => writer.addNumbers(kind, values)),
    end: (isCut) => writing(path, () => writer.end(isCut)),
  };
}

/** Completes the file of a chain whose thread was ended, with what its journal has. */
export function completeDrawFile(file: DrawFile, journal: string): void {
  if (extname(file.path) === '.csv') writing(file.path, () => completeCsv(file));
  if (extname(file.path) === '.arrow') replay(file, journal);
}

function writerOf({ path, holds, run }: DrawFile, file: LateFile, header: JournalHeader): DrawFileWriter {
  switch (extname(path)) {
    case '.arrow':
      return new ArrowWriter(file, run, header.drawNames);
    case '.ndjson':
      return new MessageWriter(file, header);
    default:
      return new CsvWriter(file, run, holds, header);
  }
}

function writing<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    throw UnwritableFile.of(path, error);
  }
}

class CsvWriter implements DrawFileWriter {
  private readonly file: LateFile;
  private readonly text: RowText;
  private readonly run: RunRecord;
  private readonly holds: 'draw' | 'diagnostic';
  private readonly configuration: string;
  /** The text before the first row or comment, until that is written. */
  private head: string;
  /** Rows after warmup. */
  private rows = 0;

  constructor(
    file: LateFile,
    run: RunRecord,
    holds: 'draw' | 'diagnostic',
    { diagnosticNames, drawNames }: JournalHeader,
  ) {
    this.file = file;
    this.text = new RowText(file);
    this.run = run;
    this.holds = holds;
    this.configuration = csvConfiguration(run, run.program, [run.chain], run.files);
    const names = namesInFile(run.function, holds === 'draw' ? drawNames : diagnosticNames);
    this.head = this.configuration + (names.length === 0 ? '' : csvHeader(names));
  }

  addLine(line: string): void {
    if (line.startsWith(END_OF_WARMUP)) this.rows = 0;
    this.write(csvComments(line));
  }

  addNumbers(kind: 'draw' | 'diagnostic', values: Float64Array): void {
    if (kind !== this.holds) return;
    this.rows += 1;
    this.write(csvRow(values, this.run.files.significantDigits));
  }

  end(isCut: boolean): void {
    const isBegun = this.head === '';
    if (isCut && isBegun) this.text.write(CUT_COMMENT);
    this.text.close(() => {
      const { file, run } = this;
      if (isCut && isBegun && file.isRegular) tellRows(file.emptied(), this.configuration, run, this.rows);
    });
  }

  private write(text: string): void {
    if (text === '') return;
    this.text.write(this.head + text);
    this.head = '';
  }
}

const CUT_COMMENT = '# Interrupted\n';
const PLANNED_ROWS = /num_samples = ([^\n]*)/;

/**
 * CmdStan's readers want as many draws as the head of the file announces: it is made to announce those that are there. The text
 * keeps its length.
 */
function tellRows(descriptor: number, configuration: string, run: RunRecord, rows: number): void {
  const planned = PLANNED_ROWS.exec(configuration);
  if (planned === null) return;
  const { num_samples = 1000, num_thin = 1 } = run.arguments;
  const iterations = Math.min(rows * Number(num_thin), Number(num_samples));
  const place = Buffer.byteLength(configuration.slice(0, planned.index + planned[0].length - planned[1].length));
  const bytes = Buffer.from(`${iterations}`.padEnd(planned[1].length));
  writeSync(descriptor, bytes, 0, bytes.length, place);
}

/** Records in a file whose thread was ended how many rows it has; it ends with a whole row. A file that was not begun stays. */
function completeCsv({ path, run }: DrawFile): void {
  const configuration = csvConfiguration(run, run.program, [run.chain], run.files);
  const content = readFileSync(path);
  if (!content.subarray(0, Buffer.byteLength(configuration)).equals(Buffer.from(configuration))) return;
  let rows = -1;
  for (let start = 0; start < content.length; start = content.indexOf(NEWLINE, start) + 1) {
    if (content[start] !== HASH) rows += 1;
    else if (content.indexOf(WARMUP_COMMENT, start) === start) rows = 0;
  }
  const descriptor = openSync(path, 'r+');
  try {
    tellRows(descriptor, configuration, run, Math.max(0, rows));
    writeSync(descriptor, Buffer.from(CUT_COMMENT), 0, CUT_COMMENT.length, content.length);
  } finally {
    closeSync(descriptor);
  }
}

const NEWLINE = 10;
const HASH = 35;
const WARMUP_COMMENT = '# Adaptation terminated';

/** Writes a file anew from the journal of its chain. */
function replay(file: DrawFile, journal: string): void {
  withFile(journal, (descriptor) => {
    const parser = new JournalParser(journal);
    let writer: DrawFileWriter | undefined;
    for (let count = 1; count > 0; ) {
      count = readSync(descriptor, parser.space());
      for (const record of parser.take(count)) {
        if (record.kind === 'header') writer = openDrawFile(file, record.header);
        else if (record.kind === 'line') writer?.addLine(record.line);
        else writer?.addNumbers(record.kind, record.values);
      }
    }
    writer?.end(true);
  });
}

class MessageWriter implements DrawFileWriter {
  private readonly text: RowText;
  private readonly sink: MessageSink;

  constructor(file: LateFile, header: JournalHeader) {
    this.text = new RowText(file);
    this.sink = new MessageSink({ ...header, nonFinite: 'string' }, (line) => this.text.write(line));
  }

  addLine(line: string): void {
    this.text.write(line);
  }

  addNumbers(kind: 'draw' | 'diagnostic', values: Float64Array): void {
    this.sink[kind](values);
  }

  end(): void {
    this.text.close();
  }
}

/** An Arrow file, with the same metadata about the run as the files that a server sends. */
class ArrowWriter implements DrawFileWriter {
  private readonly file: LateFile;
  private readonly run: RunRecord;
  private readonly names: readonly string[];
  private table: TableWriter | undefined;
  private draws = 0;
  private warmup = 0;

  constructor(file: LateFile, run: RunRecord, names: readonly string[]) {
    this.file = file;
    this.run = run;
    this.names = names;
  }

  addLine(line: string): void {
    if (csvComments(line) === '') return;
    this.begun();
    if (line.startsWith(END_OF_WARMUP)) this.warmup = this.draws;
  }

  addNumbers(kind: 'draw' | 'diagnostic', values: Float64Array): void {
    if (kind !== 'draw') return;
    this.begun().append(values);
    this.draws += 1;
  }

  end(): void {
    const { arguments: settings, chain, files, function: name, program, run, seed } = this.run;
    const chains = [{ chain, warmup: this.warmup, draws: this.draws - this.warmup }];
    const { data } = files;
    const known = { function: name, arguments: settings, random_seed: seed, chains, program, data, run };
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
/** Milliseconds after which rows are written though they are few. */
const PATIENCE = 100;

/** Rows that are written in batches, so that the file always ends with a whole one. */
class RowText {
  private readonly file: LateFile;
  private readonly patience = new Patience(PATIENCE);
  private batch = '';

  constructor(file: LateFile) {
    this.file = file;
  }

  write(rows: string): void {
    this.batch += rows;
    if (this.batch.length >= BATCH_CHARACTERS || this.patience.isOver()) this.flush();
  }

  close(last: () => void = () => undefined): void {
    try {
      if (this.batch !== '') this.flush();
      last();
    } finally {
      this.file.close();
    }
  }

  private flush(): void {
    const bytes = Buffer.from(this.batch);
    this.batch = '';
    this.patience.begin();
    writeFully(this.file.emptied(), bytes);
  }
}

/** A file that keeps what it has until something is written. */
class LateFile {
  private readonly descriptor: number;
  readonly isRegular: boolean;
  private isEmptied = false;

  constructor(path: string) {
    this.descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT);
    this.isRegular = fstatSync(this.descriptor).isFile();
  }

  /** The descriptor of the file, which has lost its content. */
  emptied(): number {
    if (!this.isEmptied && this.isRegular) ftruncateSync(this.descriptor);
    this.isEmptied = true;
    return this.descriptor;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
