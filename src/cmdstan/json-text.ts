import { streamText } from '../inference/number-text.js';

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['"', '\\"'],
  ['/', '\\/'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** JSON in CmdStan's layout: one line per member, indented by two blanks per object, with each vector on one line. */
export class JsonText {
  private text = '';
  private readonly digits: number;
  private depth = 0;
  private isFirst = true;

  /** `digits`: significant digits of numbers with a fraction. */
  constructor(digits: number) {
    this.digits = digits;
  }

  /** Begins an object: the outermost one, or a member with this name. */
  begin(name?: string): void {
    if (name !== undefined) this.key(name);
    this.text += name === undefined ? '\n{' : '{';
    this.depth += 1;
    this.isFirst = true;
  }

  end(): void {
    this.depth -= 1;
    this.text += `\n${'  '.repeat(this.depth)}}`;
    this.isFirst = false;
    if (this.depth === 0) this.text += '\n';
  }

  /** Returns what has been written since the last call. */
  take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }

  write(name: string, value: string | boolean): void {
    this.key(name);
    this.text += typeof value === 'string' ? `"${escaped(value)}"` : `${value}`;
  }

  writeInteger(name: string, value: number): void {
    this.key(name);
    this.text += `${value}`;
  }

  writeReal(name: string, value: number): void {
    this.key(name);
    this.text += this.real(value);
  }

  writeVector(name: string, values: Iterable<number>): void {
    this.key(name);
    this.text += this.vector(values);
  }

  writeMatrix(name: string, rows: readonly Iterable<number>[]): void {
    this.key(name);
    this.text += `[ ${rows.map((row) => this.vector(row)).join(', ')} ]`;
  }

  private key(name: string): void {
    this.text += `${this.isFirst ? '' : ','}\n${'  '.repeat(this.depth)}"${escaped(name)}" : `;
    this.isFirst = false;
  }

  private vector(values: Iterable<number>): string {
    return `[ ${Array.from(values, (value) => this.real(value)).join(', ')} ]`;
  }

  private real(value: number): string {
    if (Number.isFinite(value)) return streamText(value, this.digits);
    return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Inf' : '-Inf';
  }
}

function escaped(text: string): string {
  return text.replace(/["\\/\b\f\n\r\t]/g, (character) => ESCAPES.get(character) ?? character);
}
