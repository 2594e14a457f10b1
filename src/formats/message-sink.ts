import type { Adaptation, EventSink, LogLevel, Progress } from '../inference/events.js';
import { type NonFinite, numberText } from './numbers.js';

/** Properties of messages other than the events themselves. */
export interface MessageOptions {
  /** Keys of a draw: the algorithm's draw columns, followed by the model's constrained names. */
  readonly drawNames: readonly string[];
  /** Keys of a diagnostic: the algorithm's diagnostic columns. */
  readonly diagnosticNames: readonly string[];
  /** Chain ID in every message; absent for a single chain. */
  readonly chain?: number;
  readonly nonFinite: NonFinite;
}

/**
 * Writes an algorithm's events as messages. A message is one line of JSON with `version`, `topic`, `values`, and `chain` if there are
 * several chains.
 *
 * The keys of draws are rendered in advance.
 */
export class MessageSink implements EventSink {
  private readonly write: (line: string) => void;
  private readonly nonFinite: NonFinite;
  private readonly end: string;
  private readonly drawTexts: readonly string[];
  private readonly diagnosticTexts: readonly string[];

  constructor(options: MessageOptions, write: (line: string) => void) {
    this.write = write;
    this.nonFinite = options.nonFinite;
    this.end = ending(options.chain);
    this.drawTexts = numberTexts('sample', options.drawNames, options.chain);
    this.diagnosticTexts = numberTexts('diagnostic', options.diagnosticNames, options.chain);
  }

  log(level: LogLevel, text: string): void {
    this.writeText('logger', `${level}:${text}`);
  }

  progress(progress: Progress): void {
    this.log('info', progress.text);
  }

  iteration(_iteration: number, _total: number): void {}

  initialization(position: Float64Array): void {
    this.write(initializationLine(position, this.nonFinite, this.end));
  }

  adaptation(adaptation: Adaptation): void {
    for (const line of adaptation.text) this.writeText('sample', line);
  }

  /** Blank lines appear only in the log, as in httpstan. */
  elapsed(lines: readonly string[]): void {
    const texts = lines.filter((line) => line !== '');
    for (const topic of ['sample', 'diagnostic'] as const) for (const text of texts) this.writeText(topic, text);
    for (const line of lines) this.log('info', line);
  }

  remark(text: string): void {
    this.writeText('sample', text);
  }

  draw(values: Float64Array): void {
    this.writeObject(this.drawTexts, values);
  }

  diagnostic(values: Float64Array): void {
    this.writeObject(this.diagnosticTexts, values);
  }

  private writeText(topic: string, text: string): void {
    this.write(`${opening(topic)}[${JSON.stringify(text)}]${this.end}`);
  }

  private writeObject(texts: readonly string[], values: Float64Array): void {
    const { nonFinite } = this;
    let line = texts[0];
    for (let i = 1; i < texts.length; i++) line += numberText(values[i - 1], nonFinite) + texts[i];
    this.write(line);
  }
}

/**
 * The texts before, between and after the numbers of a draw (`sample`) or a diagnostic with these names. Contains one more text than names.
 */
export function numberTexts(topic: 'sample' | 'diagnostic', names: readonly string[], chain?: number): string[] {
  const keys = names.map((name, index) => `${index === 0 ? '' : ','}${JSON.stringify(name)}:`);
  const texts = [...keys, `}${ending(chain)}`];
  texts[0] = `${opening(topic)}{${texts[0]}`;
  return texts;
}

/** The position in a message that has non-finite numbers as strings; undefined for other messages. */
export function initializationIn(message: string): Float64Array | undefined {
  return message.startsWith(INITIALIZATION) ? Float64Array.from(read(message).values, Number) : undefined;
}

/** A message that has non-finite numbers as strings, with them in another style. */
export function styledMessage(message: string, nonFinite: NonFinite): string {
  const position = initializationIn(message);
  return position === undefined ? message : initializationLine(position, nonFinite, ending(read(message).chain));
}

function read(message: string): { readonly values: readonly (number | string)[]; readonly chain?: number } {
  return JSON.parse(message);
}

function initializationLine(position: Float64Array, nonFinite: NonFinite, end: string): string {
  return `${INITIALIZATION}[${Array.from(position, (value) => numberText(value, nonFinite)).join(',')}]${end}`;
}

const INITIALIZATION = opening('initialization');

function opening(topic: string): string {
  return `{"version":1,"topic":"${topic}","values":`;
}

function ending(chain: number | undefined): string {
  return chain === undefined ? '}\n' : `,"chain":${chain}}\n`;
}
