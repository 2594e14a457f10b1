/**
 * JSON as Stan reads it: a reader that keeps the distinctions between numbers that Stan requires.
 *
 * `1` may be assigned to an `int`, but `1.0` and `1e0` may not, so integers and reals must remain distinct:
 *
 * | JSON text                                                | value                                  |
 * |----------------------------------------------------------|----------------------------------------|
 * | `7`, `-0` (neither point nor exponent)                   | `number`                               |
 * | `1.0`, `1e3`, and the bare tokens below                  | `Real`                                 |
 * | array of numbers only, every one an integer              | `number[]` (`[]` too)                  |
 * | array of numbers only, at least one a real               | `Float64Array`                         |
 * | any other array                                          | array of the values of this table      |
 * | object                                                   | object without prototype, keys in order |
 * | string, `true`, `false`, `null`                          | itself                                 |
 *
 * A row of a million reals is one `Float64Array`, and a matrix is an array of rows; only single reals are boxed. Strings stay strings:
 * callers decide whether "NaN", "Inf", … are numbers (`nonFiniteNumber`). In addition to JSON, the bare tokens `NaN`, `Infinity`, `Inf`,
 * `-Infinity` and `-Inf` are accepted. Duplicate keys in an object, the key `__proto__`, and nesting beyond the limit are rejected.
 *
 * Decimal numbers with at most 15 digits and a small power of ten are converted directly, which is exact (W. D. Clinger, "How to read
 * floating point numbers accurately", 1990, section 5). Other numbers are converted by `Number`.
 */

/** A number written with a point or an exponent, or a non-finite token, outside an array of numbers. */
export class Real {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** The verbatim text of one member's value, checked to be JSON but not parsed. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type StanJson =
  | null
  | boolean
  | string
  | number
  | Real
  | Float64Array
  | readonly StanJson[]
  | { readonly [name: string]: StanJson };

/** Data or initial values: one member per variable. */
export type JsonData = { readonly [name: string]: StanJson };

/** The text is not JSON. `line` and `column` are one-based. `message` states the location, the text found and the text expected. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly line: number;
  readonly column: number;
  constructor(problem: string, line: number, column: number) {
    super(`line ${line}, column ${column}: ${problem}`);
    this.line = line;
    this.column = column;
  }
}

export interface JsonOptions {
  /** Maximum nesting of arrays and objects; by default 100. */
  readonly maximumDepth?: number;
  /**
   * Whether every number is read as a plain `number` and the bare tokens as the strings "NaN", "Infinity" and "-Infinity", without `Real`
   * and `Float64Array`. The result for strict JSON is that of `JSON.parse`.
   */
  readonly plainNumbers?: boolean;
}

/**
 * Reads one JSON text into the values of the table above.
 * Throws `JsonSyntaxError` with the location of the first text that is not JSON.
 */
export function parseStanJson(text: string, options: JsonOptions = {}): StanJson {
  return new Reader(text, options).document((reader) => reader.value());
}

/** An object with some members that are not parsed. */
export interface Envelope {
  readonly [name: string]: StanJson | JsonText | readonly (StanJson | Envelope)[];
}

/** The members of an envelope that are not parsed, and those that are arrays of envelopes. */
export interface EnvelopeNames {
  readonly verbatim: ReadonlySet<string>;
  readonly listed?: ReadonlySet<string>;
}

/**
 * Like `parseStanJson`, but members of the outermost object whose names are in `verbatim` are only checked, and returned as `JsonText` to
 * be parsed elsewhere. The same applies to the objects in arrays whose names are in `listed`.
 */
export function parseStanEnvelope(text: string, names: EnvelopeNames, options: JsonOptions = {}): StanJson | Envelope {
  return new Reader(text, options).document((reader) => reader.envelope(names));
}

/** Reads the data of a model: like `parseStanJson`, but the outermost value must be an object. */
export function parseStanData(text: string): JsonData {
  const value = parseStanJson(text);
  if (isJsonObject(value)) return value;
  throw new JsonSyntaxError('expected an object with one member for each variable', 1, 1);
}

/** Whether a value is an object, not an array, a number or a string. */
export function isJsonObject(value: StanJson): value is JsonData {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Real) &&
    !(value instanceof Float64Array)
  );
}

/** The number that a string represents in Stan's JSON ("NaN", "Inf", "+Inf", "-Infinity", …), or undefined. */
export function nonFiniteNumber(text: string): number | undefined {
  return NON_FINITE.get(text);
}

const NON_FINITE: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ...['Inf', 'Infinity', '+Inf', '+Infinity'].map((name): [string, number] => [name, Number.POSITIVE_INFINITY]),
  ...['-Inf', '-Infinity'].map((name): [string, number] => [name, Number.NEGATIVE_INFINITY]),
]);

const POWERS_OF_TEN: readonly number[] = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const UPPER_I = 0x49;
const UPPER_N = 0x4e;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_E = 0x65;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

class Reader {
  private readonly text: string;
  private readonly maximumDepth: number;
  private readonly plainNumbers: boolean;
  private offset = 0;
  private depth = 0;
  /** Whether the latest number was written as a real. */
  private wasReal = false;

  constructor(text: string, options: JsonOptions) {
    this.text = text;
    this.maximumDepth = options.maximumDepth ?? 100;
    this.plainNumbers = options.plainNumbers ?? false;
  }

  /** The value that `read` reads, which must be the whole text. */
  document<Value>(read: (reader: Reader) => Value): Value {
    const value = read(this);
    this.skipSpace();
    if (this.offset < this.text.length) throw this.expected('the end of the text');
    return value;
  }

  envelope({ listed, verbatim }: EnvelopeNames): StanJson | Envelope {
    if (this.skipSpace() !== OPEN_BRACE) return this.value();
    return this.nested(() =>
      this.members((name) => {
        if (verbatim.has(name)) return this.verbatimValue();
        return listed?.has(name) === true ? this.envelopes({ verbatim }) : this.value();
      }),
    );
  }

  private envelopes(names: EnvelopeNames): StanJson | readonly (StanJson | Envelope)[] {
    if (this.skipSpace() !== OPEN_BRACKET) return this.value();
    return this.nested(() => {
      const values: (StanJson | Envelope)[] = [];
      if (this.skipSpace() === CLOSE_BRACKET) this.offset++;
      else
        do values.push(this.envelope(names));
        while (!this.endOfItem(CLOSE_BRACKET, ']'));
      return values;
    });
  }

  value(): StanJson {
    const code = this.skipSpace();
    if (this.startsNumber(code)) {
      const value = this.number();
      if (this.plainNumbers) return Number.isFinite(value) ? value : String(value);
      return this.wasReal ? new Real(value) : value;
    }
    switch (code) {
      case QUOTE:
        return this.string();
      case OPEN_BRACKET:
        return this.nested(() => this.array());
      case OPEN_BRACE:
        return this.nested(() => this.members(() => this.value()));
      default:
        if (this.take('true')) return true;
        if (this.take('false')) return false;
        if (this.take('null')) return null;
        throw this.expected('a value');
    }
  }

  private nested<Value>(read: () => Value): Value {
    if (this.depth === this.maximumDepth) throw this.error(`nested deeper than ${this.maximumDepth} levels`);
    this.offset++;
    this.depth++;
    const value = read();
    this.depth--;
    return value;
  }

  private array(): StanJson {
    if (this.skipSpace() === CLOSE_BRACKET) {
      this.offset++;
      return [];
    }
    const start = this.offset;
    const numbers: number[] = [];
    let anyReal = false;
    while (this.startsNumber(this.skipSpace())) {
      const value = this.number();
      anyReal ||= this.wasReal;
      if (this.plainNumbers && !Number.isFinite(value)) break;
      numbers.push(value);
      if (this.endOfItem(CLOSE_BRACKET, ']')) {
        return anyReal && !this.plainNumbers ? Float64Array.from(numbers) : numbers;
      }
    }
    this.offset = start;
    return this.mixedArray();
  }

  private mixedArray(): StanJson[] {
    const values: StanJson[] = [];
    do values.push(this.value());
    while (!this.endOfItem(CLOSE_BRACKET, ']'));
    return values;
  }

  private members<Value>(read: (name: string) => Value): { readonly [name: string]: Value } {
    const members: { [name: string]: Value } = Object.create(null);
    if (this.skipSpace() === CLOSE_BRACE) {
      this.offset++;
      return members;
    }
    do {
      if (this.skipSpace() !== QUOTE) throw this.expected('a name in double quotes');
      const start = this.offset;
      const name = this.string();
      if (name === '__proto__') throw this.error('the name "__proto__" is not allowed', start);
      if (name in members) throw this.error(`the name ${JSON.stringify(name)} appears twice in one object`, start);
      if (this.skipSpace() !== COLON) throw this.expected("':'");
      this.offset++;
      members[name] = read(name);
    } while (!this.endOfItem(CLOSE_BRACE, '}'));
    return members;
  }

  private verbatimValue(): JsonText {
    this.skipSpace();
    const start = this.offset;
    this.value();
    return new JsonText(this.text.slice(start, this.offset));
  }

  /** Consumes the comma or closing mark after an item. Returns whether it was the closing mark. */
  private endOfItem(close: number, mark: string): boolean {
    const code = this.skipSpace();
    if (code !== COMMA && code !== close) throw this.expected(`',' or '${mark}'`);
    this.offset++;
    return code === close;
  }

  private startsNumber(code: number): boolean {
    if (code >= ZERO && code <= NINE) return true;
    return code === MINUS || code === UPPER_N || code === UPPER_I;
  }

  /** Reads a number and sets `wasReal`. */
  private number(): number {
    const { text } = this;
    const start = this.offset;
    let offset = start;
    let code = text.charCodeAt(offset);
    const negative = code === MINUS;
    if (negative) code = text.charCodeAt(++offset);
    this.wasReal = false;
    if (code < ZERO || code > NINE || Number.isNaN(code)) return this.nonFinite(negative);

    let mantissa = 0;
    const firstDigit = offset;
    while (code >= ZERO && code <= NINE) {
      mantissa = mantissa * 10 + (code - ZERO);
      code = text.charCodeAt(++offset);
    }
    let digits = offset - firstDigit;
    if (digits > 1 && text.charCodeAt(firstDigit) === ZERO) throw this.error('a number must not start with 0', start);

    let exponent = 0;
    if (code === POINT) {
      this.wasReal = true;
      const firstDecimal = ++offset;
      code = text.charCodeAt(offset);
      while (code >= ZERO && code <= NINE) {
        mantissa = mantissa * 10 + (code - ZERO);
        code = text.charCodeAt(++offset);
      }
      exponent = firstDecimal - offset;
      if (exponent === 0) throw this.expected('a digit after the decimal point', offset);
      digits -= exponent;
    }
    if (code === LOWER_E || code === UPPER_E) {
      this.wasReal = true;
      code = text.charCodeAt(++offset);
      const negativeExponent = code === MINUS;
      if (negativeExponent || code === PLUS) code = text.charCodeAt(++offset);
      const firstOfExponent = offset;
      let written = 0;
      while (code >= ZERO && code <= NINE) {
        written = written * 10 + (code - ZERO);
        code = text.charCodeAt(++offset);
      }
      if (offset === firstOfExponent) throw this.expected('a digit in the exponent', offset);
      exponent += negativeExponent ? -written : written;
    }
    this.offset = offset;
    if (digits <= 15) {
      const scale = POWERS_OF_TEN[Math.abs(exponent)];
      if (scale !== undefined) {
        const value = exponent < 0 ? mantissa / scale : mantissa * scale;
        return negative ? -value : value;
      }
    }
    const value = Number(text.slice(start, offset));
    if (!Number.isFinite(value)) throw this.error('a number too big to be stored in double', start);
    return value;
  }

  private nonFinite(negative: boolean): number {
    const start = this.offset;
    if (negative) this.offset++;
    this.wasReal = true;
    if (!negative && this.take('NaN')) return Number.NaN;
    if (this.take('Infinity') || this.take('Inf'))
      return negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    throw this.expected(
      negative ? 'a digit or Infinity after the minus sign' : 'a value',
      negative ? start + 1 : start,
    );
  }

  private string(): string {
    const { text } = this;
    const start = this.offset + 1;
    const end = this.stringEnd(start);
    this.offset = end + 1;
    const inside = text.slice(start, end);
    if (!inside.includes('\\')) return inside;
    const value: unknown = this.unescape(inside, start);
    return typeof value === 'string' ? value : inside;
  }

  /** Offset of the closing quote; rejects control characters before it. */
  private stringEnd(start: number): number {
    const { text } = this;
    for (let offset = start; offset < text.length; offset++) {
      const code = text.charCodeAt(offset);
      if (code === QUOTE) return offset;
      if (code === BACKSLASH) offset++;
      else if (code < SPACE) {
        throw this.error('a control character inside a string; write it as an escape, such as \\n', offset);
      }
    }
    throw this.error('a string without its closing double quote', start - 1);
  }

  private unescape(inside: string, start: number): unknown {
    try {
      return JSON.parse(`"${inside}"`);
    } catch {
      throw this.error('a string with an escape that JSON does not have', start - 1);
    }
  }

  private skipSpace(): number {
    const { text } = this;
    for (;;) {
      const code = text.charCodeAt(this.offset);
      if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return code;
      this.offset++;
    }
  }

  /** Consumes `word` if it follows as a whole word; returns whether it does. */
  private take(word: string): boolean {
    if (!this.text.startsWith(word, this.offset)) return false;
    const next = this.text.charCodeAt(this.offset + word.length);
    if (isWordPart(next)) return false;
    this.offset += word.length;
    return true;
  }

  private expected(what: string, offset = this.offset): JsonSyntaxError {
    const character = this.text.codePointAt(offset);
    const found = character === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(character));
    return this.error(`expected ${what}, found ${found}`, offset);
  }

  private error(problem: string, offset = this.offset): JsonSyntaxError {
    const before = this.text.slice(0, offset);
    const line = before.split('\n').length;
    return new JsonSyntaxError(problem, line, offset - before.lastIndexOf('\n'));
  }
}

function isWordPart(code: number): boolean {
  return (code >= ZERO && code <= NINE) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}
