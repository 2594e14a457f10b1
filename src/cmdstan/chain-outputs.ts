/** Outputs of a chain of an executable: the console and its files. */

import { CsvSink } from '../chain/csv-sink.js';
import type { RunColumns, RunSink } from '../chain/request.js';
import { TeeSink } from '../chain/tee-sink.js';
import type { DetailRecord } from '../inference/algorithms/algorithm.js';
import type { Adaptation, EventSink, LogLevel, Progress } from '../inference/events.js';
import { DetailFile } from './detail-file.js';
import { JsonText } from './json-text.js';
import { TextFile } from './output.js';
import type { Console } from './parser.js';

/** A chain's files. A file without a path is not written. */
interface ChainFiles {
  readonly draws?: string;
  readonly diagnostics?: string;
  readonly metric?: string;
  /** JSON file with the details of the algorithm. */
  readonly details?: string;
}

export interface OutputOptions {
  readonly files: ChainFiles;
  readonly drawComments: string;
  readonly diagnosticComments: string;
  readonly significantDigits: number;
  /** Whether draws have names. Draws of `diagnose` do not. */
  readonly isNamed: boolean;
  /** The chain's number in progress lines; absent with one chain. */
  readonly chain?: number;
  /** The shape of the metric, `diag_e`, for its file. */
  readonly metric: string;
}

/** The console and the files of one chain. */
export class ChainOutputs implements RunSink {
  /** Whether an error has been reported. */
  hasFailed = false;
  private readonly options: OutputOptions;
  private readonly console: Console;
  private readonly files: TextFile[] = [];
  private details: DetailFile | undefined;

  constructor(options: OutputOptions, console: Console) {
    this.options = options;
    this.console = console;
  }

  open({ diagnosticNames, drawNames, outputs = [] }: RunColumns): EventSink {
    const { chain, diagnosticComments, drawComments, files, isNamed, metric, significantDigits } = this.options;
    const sinks: EventSink[] = [new ConsoleSink(this.console, chain, () => this.noteFailure())];
    if (files.draws !== undefined) {
      const names = isNamed ? drawNames : [];
      const options = { configuration: drawComments, names, outputs, holds: 'draw', significantDigits } as const;
      sinks.push(this.csv(files.draws, options));
    }
    if (files.diagnostics !== undefined) {
      const options = { configuration: diagnosticComments, names: diagnosticNames, significantDigits };
      sinks.push(this.csv(files.diagnostics, { ...options, holds: 'diagnostic' }));
    }
    if (files.metric !== undefined) sinks.push(new MetricSink(files.metric, metric, significantDigits));
    return new TeeSink(sinks);
  }

  /** Receives details of the algorithm, if a file for them was requested. */
  get detail(): ((record: DetailRecord) => void) | undefined {
    const { files, significantDigits } = this.options;
    if (files.details === undefined) return undefined;
    this.details ??= new DetailFile(files.details, significantDigits);
    const { details } = this;
    return (record) => details.write(record);
  }

  close(): void {
    for (const file of this.files) file.close();
    this.details?.close();
  }

  private csv(path: string, options: ConstructorParameters<typeof CsvSink>[0]): CsvSink {
    const file = new TextFile(path);
    this.files.push(file);
    return new CsvSink(options, (text) => file.write(text));
  }

  private noteFailure(): void {
    this.hasFailed = true;
  }
}

/** Ignores all events; subclasses override the methods for those that they print. */
class SilentSink implements EventSink {
  log(_level: LogLevel, _text: string): void {}
  progress(_progress: Progress): void {}
  iteration(_iteration: number, _total: number): void {}
  initialization(_position: Float64Array): void {}
  adaptation(_adaptation: Adaptation): void {}
  elapsed(_lines: readonly string[]): void {}
  remark(_text: string): void {}
  draw(_values: Float64Array): void {}
  diagnostic(_values: Float64Array): void {}
}

/** Writes errors to standard error and all other lines to standard output. Only progress lines name the chain. */
class ConsoleSink extends SilentSink {
  private readonly console: Console;
  private readonly prefix: string;
  private readonly failed: () => void;

  constructor(console: Console, chain: number | undefined, failed: () => void) {
    super();
    this.console = console;
    this.prefix = chain === undefined ? '' : `Chain [${chain}] `;
    this.failed = failed;
  }

  override log(level: LogLevel, text: string): void {
    if (level === 'error' || level === 'fatal') {
      this.failed();
      this.console.error(text);
    } else this.console.info(text);
  }

  override elapsed(lines: readonly string[]): void {
    for (const line of lines) this.console.info(line);
  }

  override progress({ text }: Progress): void {
    this.console.info(text.startsWith('Iteration:') ? this.prefix + text : text);
  }
}

/** Writes step size and metric to a file at the end of warmup. */
class MetricSink extends SilentSink {
  private readonly path: string;
  private readonly metric: string;
  private readonly digits: number;

  constructor(path: string, metric: string, digits: number) {
    super();
    this.path = path;
    this.metric = metric;
    this.digits = digits;
  }

  override adaptation({ inverseMetric, stepSize }: Adaptation): void {
    const json = new JsonText(this.digits);
    json.begin();
    json.writeReal('stepsize', stepSize);
    json.write('metric_type', this.metric);
    if (this.metric === 'dense_e') json.writeMatrix('inv_metric', rowsOf(inverseMetric));
    else json.writeVector('inv_metric', inverseMetric);
    json.end();
    const file = new TextFile(this.path);
    file.write(json.take());
    file.close();
  }
}

function rowsOf(elements: Float64Array): Float64Array[] {
  const dimension = Math.round(Math.sqrt(elements.length));
  return Array.from({ length: dimension }, (_, row) => elements.subarray(row * dimension, (row + 1) * dimension));
}
