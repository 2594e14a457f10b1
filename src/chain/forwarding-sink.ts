import type { Adaptation, EventSink, LogLevel, Progress } from '../inference/events.js';

/** Forwards all events. Subclasses override the methods that they extend. */
export class ForwardingSink implements EventSink {
  protected readonly sink: EventSink;

  constructor(sink: EventSink) {
    this.sink = sink;
  }

  log(level: LogLevel, text: string): void {
    this.sink.log(level, text);
  }

  progress(progress: Progress): void {
    this.sink.progress(progress);
  }

  iteration(iteration: number, total: number, logDensity?: number): void {
    this.sink.iteration(iteration, total, logDensity);
  }

  initialization(position: Float64Array): void {
    this.sink.initialization(position);
  }

  adaptation(adaptation: Adaptation): void {
    this.sink.adaptation(adaptation);
  }

  elapsed(lines: readonly string[]): void {
    this.sink.elapsed(lines);
  }

  remark(text: string): void {
    this.sink.remark(text);
  }

  draw(values: Float64Array): void {
    this.sink.draw(values);
  }

  diagnostic(values: Float64Array): void {
    this.sink.diagnostic(values);
  }
}
