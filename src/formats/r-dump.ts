/**
 * Converts data written by R's `dump` to Stan's JSON. Supports the same forms as CmdStan (CmdStan User's Guide, "RDump format"): numbers,
 * `c(…)`, ranges, empty vectors, and `structure(…, .Dim = …)` with column-major elements.
 */

/** The text is not an R dump. The message states the location. */
export class DumpSyntaxError extends Error {
  override readonly name = 'DumpSyntaxError';
}

/** Converts a dump to the JSON text of an object with one member per variable. */
export function jsonOfDump(text: string): string {
  return new Reader(text).document();
}

/** Elements as JSON texts; a scalar has no sizes. */
interface Value {
  readonly elements: readonly string[];
  readonly sizes: readonly number[];
}

const BLANKS = /(?:\s|#[^\n]*)*/y;
const NAME = /"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`|([A-Za-z.][\w.]*)/y;
const NUMBER = /([+-]?)\s*(?:(Inf(?:inity)?|NaN)\b|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)(L?)/y;
const EMPTY = /(?:integer|double|numeric)\s*\(\s*(\d*)\s*\)/y;

class Reader {
  private readonly text: string;
  private place = 0;

  constructor(text: string) {
    this.text = text;
  }

  document(): string {
    const members = new Map<string, string>();
    for (this.skip(); this.place < this.text.length; this.skip()) {
      const [, ...names] = this.match(NAME) ?? this.fail('the name of a variable');
      const name = names.find((each) => each !== undefined) ?? '';
      if (!this.takes('<-')) this.require('=');
      const value = this.value();
      members.set(name, nested(value.elements, value.sizes));
      this.takes(';');
    }
    return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }

  private value(): Value {
    if (this.takes('structure')) return this.structure();
    const elements: string[] = [];
    const isVector = this.part(elements);
    return { elements, sizes: isVector ? [elements.length] : [] };
  }

  private structure(): Value {
    this.require('(');
    const { elements } = this.value();
    this.require(',');
    this.require('.Dim');
    this.require('=');
    const { elements: dimensions } = this.value();
    this.require(')');
    const sizes = dimensions.map(Number);
    if (sizes.reduce((product, size) => product * size, 1) !== elements.length) {
      this.fail(`the number of values in .Dim, not ${elements.length}`);
    }
    return { elements, sizes };
  }

  /** Adds the elements of a number, a range, `c(…)` or an empty vector; returns whether they form a vector. */
  private part(elements: string[]): boolean {
    const empty = this.match(EMPTY);
    if (empty !== undefined) {
      for (let k = 0; k < Number(empty[1]); k++) elements.push('0');
      return true;
    }
    if (this.takes('c(')) {
      if (this.takes(')')) return true;
      do this.part(elements);
      while (this.takes(','));
      this.require(')');
      return true;
    }
    const first = this.number();
    if (!this.takes(':')) {
      elements.push(first);
      return false;
    }
    const [from, to] = [Number(first), Number(this.number())];
    if (!Number.isInteger(from) || !Number.isInteger(to)) this.fail('integers around the colon');
    for (let k = 0; k <= Math.abs(to - from); k++) elements.push(`${from < to ? from + k : from - k}`);
    return true;
  }

  /** In Stan's JSON, a number with a point or an exponent is not an integer. */
  private number(): string {
    const [, sign, word, digits, exponent = ''] = this.match(NUMBER) ?? this.fail('a value');
    const minus = sign === '-' ? '-' : '';
    if (word !== undefined) return word === 'NaN' ? '"NaN"' : `"${minus}Inf"`;
    const [whole, fraction] = digits.split('.');
    const point = fraction === undefined ? '' : `.${fraction || '0'}`;
    return `${minus}${whole.replace(/^0+(?=\d)/, '') || '0'}${point}${exponent}`;
  }

  private skip(): void {
    BLANKS.lastIndex = this.place;
    this.place += BLANKS.exec(this.text)?.[0].length ?? 0;
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    this.skip();
    pattern.lastIndex = this.place;
    const found = pattern.exec(this.text) ?? undefined;
    this.place += found?.[0].length ?? 0;
    return found;
  }

  private takes(word: string): boolean {
    this.skip();
    const isThere = this.text.startsWith(word, this.place);
    if (isThere) this.place += word.length;
    return isThere;
  }

  private require(word: string): void {
    if (!this.takes(word)) this.fail(`"${word}"`);
  }

  private fail(expected: string): never {
    const before = this.text.slice(0, this.place).split('\n');
    throw new DumpSyntaxError(
      `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: expected ${expected}`,
    );
  }
}

/** Elements that come column by column as arrays of rows. */
function nested(elements: readonly string[], sizes: readonly number[], start = 0, stride = 1): string {
  if (sizes.length === 0) return elements[start];
  const [size, ...inner] = sizes;
  const rows = Array.from({ length: size }, (_, k) => nested(elements, inner, start + k * stride, stride * size));
  return `[${rows.join(',')}]`;
}
