import type { Adaptation, EventSink, LogLevel, Progress } from '../inference/events.js';
import { type NonFinite, numberText } from './numbers.js';

/** What messages are called by, beyond the events themselves. */
export interface MessageOptions {
  /** Keys of a draw: the algorithm's draw columns, then the model's constrained names. */
  readonly drawNames: readonly string[];
  /** Keys of a diagnostic: the algorithm's diagnostic columns. */
  readonly diagnosticNames: readonly string[];
  /** Chain id, told in every message; absent when there is one chain only. */
  readonly chain?: number;
  readonly nonFinite: NonFinite;
}

/**
 * Writes an algorithm's events as message lines, each one JSON object and a newline: `version`, `topic`, `values`, and
 * `chain` where there are several.
 *
 * A draw's text is put together from keys made in advance: in a big fit nothing else takes as long.
 */
export class MessageSink implements EventSink {
  private readonly write: (line: string) => void;
  private readonly nonFinite: NonFinite;
  private readonly end: string;
  private readonly drawKeys: readonly string[];
  private readonly diagnosticKeys: readonly string[];

  constructor(options: MessageOptions, write: (line: string) => void) {
    this.write = write;
    this.nonFinite = options.nonFinite;
    this.end = options.chain === undefined ? '}\n' : `,"chain":${options.chain}}\n`;
    this.drawKeys = keyTexts('sample', options.drawNames);
    this.diagnosticKeys = keyTexts('diagnostic', options.diagnosticNames);
  }

  log(level: LogLevel, text: string): void {
    this.writeText('logger', `${level}:${text}`);
  }

  progress(progress: Progress): void {
    this.log('info', progress.text);
  }

  initialization(position: Float64Array): void {
    const values = Array.from(position, (value) => numberText(value, this.nonFinite));
    this.write(`${opening('initialization')}[${values.join(',')}]${this.end}`);
  }

  adaptation(adaptation: Adaptation): void {
    for (const line of adaptation.text) this.writeText('sample', line);
  }

  remark(text: string): void {
    this.writeText('sample', text);
  }

  draw(values: Float64Array): void {
    this.writeObject(this.drawKeys, values);
  }

  diagnostic(values: Float64Array): void {
    this.writeObject(this.diagnosticKeys, values);
  }

  private writeText(topic: string, text: string): void {
    this.write(`${opening(topic)}[${JSON.stringify(text)}]${this.end}`);
  }

  private writeObject(keys: readonly string[], values: Float64Array): void {
    const { nonFinite } = this;
    let line = '';
    for (let i = 0; i < keys.length; i++) line += keys[i] + numberText(values[i], nonFinite);
    this.write(`${line}}${this.end}`);
  }
}

function opening(topic: string): string {
  return `{"version":1,"topic":"${topic}","values":`;
}

/** What stands before each value: the opening of the message and the first key, then a comma and the next key. */
function keyTexts(topic: string, names: readonly string[]): string[] {
  return names.map((name, index) => `${index === 0 ? `${opening(topic)}{` : ','}${JSON.stringify(name)}:`);
}
