import type { Adaptation, EventSink, LogLevel, Progress } from '../events.js';

/** Stores copies of all events. */
export class RecordingSink implements EventSink {
  /** Log and progress lines, in order, as `level: text`. */
  readonly lines: string[] = [];
  readonly initializations: Float64Array[] = [];
  readonly remarks: string[] = [];
  readonly adaptations: Adaptation[] = [];
  readonly draws: Float64Array[] = [];
  readonly diagnostics: Float64Array[] = [];

  log(level: LogLevel, text: string): void {
    this.lines.push(`${level}:${text}`);
  }

  progress(progress: Progress): void {
    this.log('info', progress.text);
  }

  iteration(_iteration: number, _total: number): void {}

  initialization(position: Float64Array): void {
    this.initializations.push(position.slice());
  }

  adaptation(adaptation: Adaptation): void {
    this.adaptations.push({ ...adaptation, inverseMetric: adaptation.inverseMetric.slice() });
  }

  elapsed(lines: readonly string[]): void {
    for (const line of lines) this.log('info', line);
  }

  remark(text: string): void {
    this.remarks.push(text);
  }

  draw(values: Float64Array): void {
    this.draws.push(values.slice());
  }

  diagnostic(values: Float64Array): void {
    this.diagnostics.push(values.slice());
  }
}
