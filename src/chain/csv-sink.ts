import { csvHeader, csvRow, elapsedComment, remarkComment } from '../formats/csv.js';
import { blocksComment, type DeclaredOutput } from '../formats/program-blocks.js';
import type { Adaptation, EventSink, LogLevel, Progress } from '../inference/events.js';

export interface CsvOptions {
  /** The comments at the head of the file. */
  readonly configuration: string;
  /** Names of the columns; if empty, no header line is written. */
  readonly names: readonly string[];
  /** The program's variables with their blocks, for a file with draws. */
  readonly outputs?: readonly DeclaredOutput[];
  readonly holds: 'draw' | 'diagnostic';
  /** Significant digits of numbers. */
  readonly significantDigits: number;
}

/** Writes draws or diagnostics as CmdStan's CSV, in chunks of whole lines. */
export class CsvSink implements EventSink {
  private readonly options: CsvOptions;
  private readonly write: (text: string) => void;

  constructor(options: CsvOptions, write: (text: string) => void) {
    this.options = options;
    this.write = write;
    const { configuration, names, outputs } = options;
    write(configuration + blocksComment(outputs) + (names.length === 0 ? '' : csvHeader(names)));
  }

  log(level: LogLevel, text: string): void {
    const comment = level === 'info' ? elapsedComment(text) : '';
    if (comment !== '') this.write(comment);
  }

  progress(_progress: Progress): void {}

  iteration(_iteration: number, _total: number): void {}

  initialization(_position: Float64Array): void {}

  adaptation({ text }: Adaptation): void {
    if (this.options.holds === 'draw') for (const line of text) this.remark(line);
  }

  elapsed(lines: readonly string[]): void {
    for (const line of lines) this.remark(line);
  }

  remark(text: string): void {
    this.write(remarkComment(text));
  }

  draw(values: Float64Array): void {
    if (this.options.holds === 'draw') this.write(csvRow(values, this.options.significantDigits));
  }

  diagnostic(values: Float64Array): void {
    if (this.options.holds === 'diagnostic') this.write(csvRow(values, this.options.significantDigits));
  }
}
