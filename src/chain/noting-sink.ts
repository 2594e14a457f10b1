import type { Adaptation, LogLevel } from '../inference/events.js';
import { ForwardingSink } from './forwarding-sink.js';

const MAXIMUM_WARNINGS = 12;

/** Forwards all events, and records the latest warnings and the result of adaptation. */
export class NotingSink extends ForwardingSink {
  /** Step size and metric at the end of warmup. */
  adapted: Adaptation | undefined;
  private readonly warnings: string[] = [];

  override log(level: LogLevel, text: string): void {
    super.log(level, text);
    if (level !== 'warn' && level !== 'error' && level !== 'fatal') return;
    this.warnings.push(text);
    if (this.warnings.length > MAXIMUM_WARNINGS) this.warnings.shift();
  }

  override adaptation(adaptation: Adaptation): void {
    super.adaptation(adaptation);
    this.adapted = { ...adaptation, inverseMetric: adaptation.inverseMetric.slice() };
  }

  /** The message of a failure, preceded by the warnings that led to it. */
  failureText(message: string): string {
    return this.warnings.includes(message) ? this.warnings.join('\n') : [...this.warnings, message].join('\n');
  }
}

/** Forwards all events of a block after the first one, except the adaptation, which has already been reported. */
export class LaterBlockSink extends ForwardingSink {
  override adaptation(): void {}
}
