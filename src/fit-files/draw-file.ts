/**
 * Output files with the draws of a chain, as CmdStan's CSV, Arrow, or the server's messages. The chain writes whole
 * rows while it runs.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { extname } from 'node:path';
import { Patience } from '../chain/patience.js';
import { csvComments, csvHeader, csvRow, namesInFile, WARMUP_COMMENT } from '../formats/csv.js';
import { type CsvFiles, csvConfiguration, type FitRequestRecord } from '../formats/csv-configuration.js';
import { countLeadingRows } from '../formats/leading-rows.js';
import { MessageSink } from '../formats/message-sink.js';
import { blocksComment } from '../formats/program-blocks.js';
import { RowWriter } from '../formats/row-writer.js';
import { loadTextKernel } from '../node/kernels.js';
import { withFile, writeFully } from './descriptors.js';
import { addRecord, type JournalHeader, JournalParser, type NumbersKind, type Recorder } from './journal.js';
import { csvLayout } from './rendering.js';
import { TableWriter } from './table-writer.js';
import { UnwritableFile } from './unwritable-file.js';

/** The run that produced a file, for the file's comments. */
interface RunRecord extends FitRequestRecord {
  /** The name of the program. */
  readonly program: string;
  readonly chain: number;
  readonly files: CsvFiles;
}

/** An output file of a chain. Its extension determines the format. */
export interface DrawFile {
  readonly path: string;
  readonly holds: 'draw' | 'diagnostic';
  readonly run: RunRecord;
}

/** Receives the events of a chain. Converts system errors to `UnwritableFile`. */
export interface DrawFileWriter extends Recorder {
  /** `isCut`: whether the chain was stopped early. */
  end(isCut: boolean): void;
}

/** Opens a file. Its previous content remains until the first write. */
export function openDrawFile(file: DrawFile, header: JournalHeader): DrawFileWriter {
  const { path } = file;
  const writer = writing(path, () => writerOf(file, new LateFile(path), header));
  return {
    addAdaptation: () => writing(path, () => writer.addAdaptation()),
    addLine: (line) => writing(path, () => writer.addLine(line)),
    addNumbers: (kind, values) => writing(path, () => writer.addNumbers(kind, values)),
    end: (isCut) => writing(path, () => writer.end(isCut)),
  };
}

/** Completes the file of a chain whose thread was terminated, from its journal. */
export function completeDrawFile(file: DrawFile, journal: string): void {
  if (extname(file.path) === '.csv') writing(file.path, () => completeCsv(file));
  if (extname(file.path) === '.arrow') writeDrawFile(file, journal, true);
}

function writerOf({ path, holds, run }: DrawFile, file: LateFile, header: JournalHeader): DrawFileWriter {
  switch (extname(path)) {
    case '.arrow':
      return new ArrowWriter(file, run, header);
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
  private readonly rowOf: (values: Float64Array) => Uint8Array;
  /** Text that precedes the first row or comment; undefined once written. */
  private head: string;
  /** Rows after warmup. */
  private rows = 0;

  constructor(
    file: LateFile,
    run: RunRecord,
    holds: 'draw' | 'diagnostic',
    { diagnosticNames, drawNames, outputs }: JournalHeader,
  ) {
    this.file = file;
    this.text = new RowText(file);
    this.run = run;
    this.holds = holds;
    this.configuration = csvConfiguration(run, run.program, [run.chain], run.files);
    const columns = holds === 'draw' ? drawNames : diagnosticNames;
    this.rowOf = rowWriter(columns, run.files.significantDigits);
    const names = namesInFile(run.function, columns);
    const blocks = holds === 'draw' ? blocksComment(outputs) : '';
    this.head = this.configuration + blocks + (names.length === 0 ? '' : csvHeader(names));
  }

  addAdaptation(): void {
    this.rows = 0;
  }

  addLine(line: string): void {
    this.write(Buffer.from(csvComments(line)));
  }

  addNumbers(kind: NumbersKind, values: Float64Array): void {
    if (kind !== this.holds) return;
    this.rows += 1;
    this.write(this.rowOf(values));
  }

  end(isCut: boolean): void {
    const isBegun = this.head === '';
    if (isCut && isBegun) this.text.write(Buffer.from(CUT_COMMENT));
    this.text.close(() => {
      const { file, run } = this;
      if (isCut && isBegun && file.isRegular) writeRowCount(file.emptied(), this.configuration, run, this.rows);
    });
  }

  private write(text: Uint8Array): void {
    if (text.length === 0) return;
    this.text.write(this.head === '' ? text : Buffer.concat([Buffer.from(this.head), text]));
    this.head = '';
  }
}

function rowWriter(columns: readonly string[], digits: number | undefined): (values: Float64Array) => Uint8Array {
  const layout = csvLayout(columns, digits);
  if (layout === undefined) return (values) => Buffer.from(csvRow(values, digits));
  const writer = new RowWriter(loadTextKernel());
  return (values) => writer.write(layout, 1, (numbers) => numbers.set(values));
}

const CUT_COMMENT = '# Interrupted\n';
const PLANNED_ROWS = /num_samples = ([^\n]*)/;

/**
 * Corrects the number of draws in the header of the file, because readers of CmdStan's files expect it to agree with
 * the rows. The length of the text does not change.
 */
function writeRowCount(descriptor: number, configuration: string, run: RunRecord, rows: number): void {
  const planned = PLANNED_ROWS.exec(configuration);
  if (planned === null) return;
  const { num_samples = 1000, num_thin = 1 } = run.arguments;
  const iterations = Math.min(rows * Number(num_thin), Number(num_samples));
  const place = Buffer.byteLength(configuration.slice(0, planned.index + planned[0].length - planned[1].length));
  const bytes = Buffer.from(`${iterations}`.padEnd(planned[1].length));
  writeSync(descriptor, bytes, 0, bytes.length, place);
}

/**
 * Records the number of rows in a file whose thread was terminated. The file ends with a complete row. A file without a
 * header is not changed.
 */
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
    writeRowCount(descriptor, configuration, run, Math.max(0, rows));
    writeSync(descriptor, Buffer.from(CUT_COMMENT), 0, CUT_COMMENT.length, content.length);
  } finally {
    closeSync(descriptor);
  }
}

const NEWLINE = 10;
const HASH = 35;

/** Writes a file from the journal of its chain. `isCut`: whether the chain was stopped early. */
export function writeDrawFile(file: DrawFile, journal: string, isCut: boolean): void {
  withFile(journal, (descriptor) => {
    const parser = new JournalParser(journal);
    let writer: DrawFileWriter | undefined;
    for (let count = 1; count > 0; ) {
      count = readSync(descriptor, parser.space());
      for (const record of parser.take(count)) {
        if (record.kind === 'header') writer = openDrawFile(file, record.header);
        else if (writer !== undefined) addRecord(writer, record);
      }
    }
    writer?.end(isCut);
  });
}

class MessageWriter implements DrawFileWriter {
  private readonly text: RowText;
  private readonly sink: MessageSink;

  constructor(file: LateFile, header: JournalHeader) {
    this.text = new RowText(file);
    this.sink = new MessageSink({ ...header, nonFinite: 'string' }, (line) => this.addLine(line));
  }

  addAdaptation(): void {
    // The text follows.
  }

  addLine(line: string): void {
    this.text.write(Buffer.from(line));
  }

  addNumbers(kind: NumbersKind, values: Float64Array): void {
    this.sink[kind](values);
  }

  end(): void {
    this.text.close();
  }
}

/** An Arrow file, with the same metadata as from a server. */
class ArrowWriter implements DrawFileWriter {
  private readonly file: LateFile;
  private readonly run: RunRecord;
  private readonly header: JournalHeader;
  private table: TableWriter | undefined;
  private draws = 0;
  private warmup = 0;

  constructor(file: LateFile, run: RunRecord, header: JournalHeader) {
    this.file = file;
    this.run = run;
    this.header = header;
  }

  addAdaptation(): void {
    this.warmup = this.draws;
  }

  addLine(line: string): void {
    if (csvComments(line) !== '') this.begun();
  }

  addNumbers(kind: NumbersKind, values: Float64Array): void {
    if (kind !== 'draw') return;
    this.begun().append(values);
    this.draws += 1;
  }

  end(): void {
    const { arguments: settings, chain, files, function: name, program, run, seed } = this.run;
    const warmup = this.warmup + countLeadingRows(this.header.leadingRows, this.draws);
    const chains = [{ chain, warmup, draws: this.draws - warmup }];
    const { data } = files;
    const { outputs } = this.header;
    const known = { function: name, arguments: settings, random_seed: seed, chains, outputs, program, data, run };
    try {
      this.table?.end({ leapfrog: JSON.stringify(known) });
    } finally {
      this.file.close();
    }
  }

  private begun(): TableWriter {
    this.table ??= new TableWriter(this.file.emptied(), this.header.drawNames);
    return this.table;
  }
}

const BATCH_BYTES = 1 << 16;
/** Milliseconds after which pending rows are written even if they do not fill a batch. */
const PATIENCE = 100;

/** Buffers rows and writes them in batches, so that the file always ends with a complete row. */
class RowText {
  private readonly file: LateFile;
  private readonly patience = new Patience(PATIENCE);
  private readonly batch = new Uint8Array(BATCH_BYTES);
  private filled = 0;

  constructor(file: LateFile) {
    this.file = file;
  }

  write(rows: Uint8Array): void {
    if (this.filled + rows.length > BATCH_BYTES) this.flush();
    if (rows.length > BATCH_BYTES) {
      writeFully(this.file.emptied(), rows);
      return;
    }
    this.batch.set(rows, this.filled);
    this.filled += rows.length;
    if (this.patience.isOver()) this.flush();
  }

  close(last: () => void = () => undefined): void {
    try {
      this.flush();
      last();
    } finally {
      this.file.close();
    }
  }

  private flush(): void {
    const { filled } = this;
    if (filled === 0) return;
    this.filled = 0;
    this.patience.begin();
    writeFully(this.file.emptied(), this.batch.subarray(0, filled));
  }
}

/** A file whose previous content remains until the first write. */
class LateFile {
  private readonly descriptor: number;
  readonly isRegular: boolean;
  private isEmptied = false;

  constructor(path: string) {
    this.descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT);
    this.isRegular = fstatSync(this.descriptor).isFile();
  }

  /** The descriptor of the truncated file. */
  emptied(): number {
    if (!this.isEmptied && this.isRegular) ftruncateSync(this.descriptor);
    this.isEmptied = true;
    return this.descriptor;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
