import type { EventSink, LogLevel } from '../inference/events.js';
import { ForwardingSink } from './forwarding-sink.js';

/** Maximum characters of all messages that a chain logs. */
const MOST_LOGGED = 2 ** 24;
/** Characters as which a shorter message counts, because every message takes space. */
const LEAST_COUNTED = 32;

/**
 * Forwards all events, of the messages only the first `most` characters and the last error: a program may print or reject without end.
 */
export class LimitedLog extends ForwardingSink {
  private left: number;
  private readonly limit: string;
  private omitted = 0;
  private lastError: readonly [LogLevel, string] | undefined;

  constructor(sink: EventSink, most = MOST_LOGGED) {
    super(sink);
    this.left = most;
    this.limit = `a chain keeps the first ${most / 2 ** 20} MiB of its messages`;
  }

  override log(level: LogLevel, text: string): void {
    if (this.left <= 0) {
      this.omitted += 1;
      if ((level === 'error' || level === 'fatal') && text !== '') this.lastError = [level, text];
      return;
    }
    const size = Math.max(text.length, LEAST_COUNTED);
    super.log(level, size <= this.left ? text : text.slice(0, this.left));
    this.left -= size;
    // A chain that is terminated does not reach `finish`.
    if (this.left <= 0) super.log('warn', `Further messages are omitted: ${this.limit}.`);
  }

  /** Logs the last error and the number of omitted messages, including `printed` texts that the model itself has omitted. */
  finish(printed: number): void {
    const count = this.omitted + printed;
    if (this.lastError !== undefined) super.log(...this.lastError);
    if (count > 0) super.log('warn', `${count} further messages were omitted: ${this.limit}.`);
  }
}
