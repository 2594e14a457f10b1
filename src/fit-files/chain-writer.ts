import { readSync } from 'node:fs';
import type { SamplerState } from '../chain/sampler-state.js';
import { countLeadingRows } from '../formats/leading-rows.js';
import { MessageSink } from '../formats/message-sink.js';
import { type FileSums, SummingWriter } from './checked-file.js';
import { withFile, writeFully, writeNewFile } from './descriptors.js';
import { type JournalHeader, JournalParser, type JournalRecord } from './journal.js';
import {
  type ChainRecord,
  chainFile,
  END_OF_WARMUP,
  type RunPattern,
  runLine,
  writeChainRecord,
  writeState,
} from './layout.js';
import { tableMetadata } from './table-reader.js';
import { TableWriter } from './table-writer.js';

/**
 * Converts the journal of a finished chain to the files of a finished fit, with the state of its sampler. `durably`:
 * flushes the files to disk before this returns. Writes to the folder of the journal by default.
 */
export function writeChainFiles(
  folder: string,
  id: number,
  durably: boolean,
  state?: SamplerState,
  to: string = folder,
): void {
  const journalPath = chainFile(folder, id, 'journal');
  const files = (file: Parameters<typeof chainFile>[2]) => chainFile(to, id, file);
  const write = <Result>(file: Parameters<typeof chainFile>[2], action: (descriptor: number) => Result) =>
    writeNewFile(files(file), durably, action);
  const record = write('messages', (messages) =>
    write('draws.arrow', (draws) =>
      write('diagnostics.arrow', (diagnostics) =>
        withFile(journalPath, (journal) => {
          const records = recordsOf(journalPath, journal);
          const first = records.next();
          if (first.done === true || first.value.kind !== 'header') throw new Error('a journal has no header');
          const writer = new ChainWriter(id, first.value.header, { messages, draws, diagnostics });
          for (const each of records) writer.add(each);
          return writer.end();
        }),
      ),
    ),
  );
  if (state !== undefined) write('state', (file) => writeFully(file, writeState(to, id, state)));
  const whole = { ...record, hasState: state !== undefined };
  write('json', (file) => writeFully(file, writeChainRecord(to, whole)));
}

function* recordsOf(path: string, journal: number): Generator<JournalRecord> {
  const parser = new JournalParser(path);
  for (;;) {
    const count = readSync(journal, parser.space());
    if (count === 0) return parser.finish();
    yield* parser.take(count);
  }
}

/** File descriptors of a chain's files. */
interface ChainDescriptors {
  readonly messages: number;
  readonly draws: number;
  readonly diagnostics: number;
}

/** Separates the numbers of a chain from its other messages. The file of messages records the positions of the numbers. */
class ChainWriter {
  private readonly messages: RunWriter;
  private readonly draws: TableWriter;
  private readonly diagnostics: TableWriter;
  private readonly record: { -readonly [Key in Exclude<keyof ChainRecord, 'files' | 'hasState'>]: ChainRecord[Key] };
  /** Renders the other numbers. */
  private readonly texts: MessageSink;
  /** Whether the latest record is a draw, whose diagnostic may follow. */
  private pending = false;
  private readonly header: JournalHeader;

  constructor(id: number, header: JournalHeader, files: ChainDescriptors) {
    this.messages = new RunWriter(files.messages);
    this.draws = new TableWriter(files.draws, header.drawNames);
    this.diagnostics = new TableWriter(files.diagnostics, header.diagnosticNames);
    this.header = header;
    this.texts = new MessageSink({ ...header, nonFinite: 'string' }, (line) => this.messages.addLine(line));
    this.record = { id, tagged: header.chain !== undefined, warmup: 0, draws: 0, diagnostics: 0 };
  }

  add(record: JournalRecord): void {
    switch (record.kind) {
      case 'draw':
        this.settle();
        this.draws.append(record.values);
        this.record.draws += 1;
        this.pending = true;
        break;
      case 'diagnostic':
        this.messages.addRun(this.pending ? 'sd' : 'd');
        this.diagnostics.append(record.values);
        this.record.diagnostics += 1;
        this.pending = false;
        break;
      case 'adaptation':
        this.settle();
        this.record.warmup = this.record.draws;
        this.messages.addLine(END_OF_WARMUP);
        break;
      case 'initialization':
        this.settle();
        this.texts.initialization(record.values);
        break;
      case 'line':
        this.settle();
        this.messages.addLine(record.line);
        break;
    }
  }

  end(): ChainRecord {
    this.settle();
    this.record.warmup += countLeadingRows(this.header.leadingRows, this.record.draws);
    const messages = this.messages.end();
    const draws = this.draws.end(tableMetadata(this.header.outputs));
    const diagnostics = this.diagnostics.end();
    return { ...this.record, files: { messages, 'draws.arrow': draws, 'diagnostics.arrow': diagnostics } };
  }

  /** Records that no diagnostic follows the latest draw. */
  private settle(): void {
    if (this.pending) this.messages.addRun('s');
    this.pending = false;
  }
}

const BATCH_CHARACTERS = 1 << 16;

/** Writes lines, and the lengths of runs of draws and diagnostics. */
class RunWriter {
  private readonly file: SummingWriter;
  private batch = '';
  private pattern: RunPattern = 'sd';
  private count = 0;

  constructor(descriptor: number) {
    this.file = new SummingWriter(descriptor);
  }

  addRun(pattern: RunPattern): void {
    if (pattern !== this.pattern) this.endRun();
    this.pattern = pattern;
    this.count += 1;
  }

  addLine(line: string): void {
    this.endRun();
    this.batch += line;
    if (this.batch.length >= BATCH_CHARACTERS) this.flush();
  }

  /** Returns the checksums of the file. */
  end(): FileSums {
    this.flush();
    return this.file.end();
  }

  private flush(): void {
    this.endRun();
    this.file.write(Buffer.from(this.batch));
    this.batch = '';
  }

  private endRun(): void {
    if (this.count > 0) this.batch += runLine(this.count, this.pattern);
    this.count = 0;
  }
}
