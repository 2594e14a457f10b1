/** A chain of a fit as a CSV file in CmdStan's format. */

import { CsvSink } from '../chain/csv-sink.js';
import { namesInFile } from '../formats/csv.js';
import { csvConfiguration, type FitRequestRecord } from '../formats/csv-configuration.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import type { RunEvent } from './events.js';

/** A comment in the file before the draw with this index among all draws. */
export interface Comment {
  readonly before: number;
  readonly event: Extract<RunEvent, { readonly kind: 'adaptation' | 'remark' | 'log' }>;
}

/** The contents of the file: rows of `columns.length` numbers each, and comments among them, in order. */
export interface CsvContents {
  readonly columns: readonly string[];
  /** The program's variables with their blocks. */
  readonly outputs: readonly DeclaredOutput[];
  readonly values: Float64Array;
  readonly comments: readonly Comment[];
}

/** The contents of the file's header. */
export interface CsvHead {
  readonly record: FitRequestRecord;
  /** The name of the program. */
  readonly program: string;
  readonly chain: number;
  /** Number of chains of the run. */
  readonly chains: number;
}

/** Numbers have `digits` significant digits. With 17, they have the fewest digits that round-trip. */
export function csvText({ chain, chains, program, record }: CsvHead, contents: CsvContents, digits: number): string {
  const { columns, comments, outputs, values } = contents;
  const texts: string[] = [];
  const configuration = csvConfiguration(record, program, [chain], { chains, significantDigits: digits });
  const names = namesInFile(record.function, columns);
  const sink = new CsvSink({ configuration, names, outputs, holds: 'draw', significantDigits: digits }, (text) =>
    texts.push(text),
  );
  const rest = [...comments];
  const count = columns.length === 0 ? 0 : values.length / columns.length;
  for (let row = 0; row <= count; row++) {
    while (rest.length > 0 && rest[0].before <= row) writeComment(sink, rest.shift());
    if (row < count) sink.draw(values.subarray(row * columns.length, (row + 1) * columns.length));
  }
  return texts.join('');
}

function writeComment(sink: CsvSink, comment: Comment | undefined): void {
  if (comment === undefined) return;
  const { event } = comment;
  if (event.kind === 'adaptation') sink.adaptation(event);
  else if (event.kind === 'remark') sink.remark(event.text);
  else sink.log(event.level, event.text);
}
