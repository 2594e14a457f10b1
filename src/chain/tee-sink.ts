import type { Adaptation, EventSink, LogLevel, Progress } from '../inference/events.js';

/** Passes all events to each of several sinks. */
export class TeeSink implements EventSink {
  private readonly sinks: readonly EventSink[];

  constructor(sinks: readonly EventSink[]) {
    this.sinks = sinks;
  }

  log(level: LogLevel, text: string): void {
    for (const sink of this.sinks) sink.log(level, text);
  }

  progress(progress: Progress): void {
    for (const sink of this.sinks) sink.progress(progress);
  }

  iteration(iteration: number, total: number, logDensity?: number): void {
    for (const sink of this.sinks) sink.iteration(iteration, total, logDensity);
  }

  initialization(position: Float64Array): void {
    for (const sink of this.sinks) sink.initialization(position);
  }

  adaptation(adaptation: Adaptation): void {
    for (const sink of this.sinks) sink.adaptation(adaptation);
  }

  elapsed(lines: readonly string[]): void {
    for (const sink of this.sinks) sink.elapsed(lines);
  }

  remark(text: string): void {
    for (const sink of this.sinks) sink.remark(text);
  }

  draw(values: Float64Array): void {
    for (const sink of this.sinks) sink.draw(values);
  }

  diagnostic(values: Float64Array): void {
    for (const sink of this.sinks) sink.diagnostic(values);
  }
}
