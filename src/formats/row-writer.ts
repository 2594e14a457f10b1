/** Converts rows of numbers to text with a kernel, about ten times as fast as string concatenation. */

/** The layout of a row: texts before, between and after its numbers, and the style of non-finite numbers. */
export interface RowLayout {
  /** One more text than numbers. */
  readonly texts: readonly string[];
  readonly notANumber: string;
  readonly infinity: string;
  readonly negativeInfinity: string;
  /** If absent, each number is the shortest text that round-trips. */
  readonly rounding?: Rounding;
}

/** Rounding to significant digits, in the format of C++ streams. */
interface Rounding {
  /** At most `MOST_DIGITS`. */
  readonly digits: number;
  /** Formats the few numbers that the kernel cannot round. */
  readonly textOf: (value: number) => string;
}

/** Maximum number of digits: different decimals of 15 digits are different doubles, so rounding the shortest decimal is exact. */
export const MOST_DIGITS = 15;

type WriteRows = (
  values: number,
  count: number,
  width: number,
  texts: number,
  words: number,
  target: number,
  digits: number,
) => number;

/** Address of the kernel's powers of ten: 10^k for k from -292 to 324. */
const POWERS_ADDRESS = 1024;
const LEAST_POWER = -292;
const GREATEST_POWER = 324;
const POWER_BITS = 128n;

const WORD_BYTES = 16;
/** Maximum number of bytes of a number. */
const NUMBER_BYTES = 24;
/** Number of bytes after the end of a text that the kernel may read or overwrite. */
const SLACK = 32;
const PAGE_BYTES = 1 << 16;

/** Writes rows. Has its own memory, which grows to the size that the largest call needs. */
export class RowWriter {
  private readonly memory: WebAssembly.Memory;
  private readonly writeRows: WriteRows;
  private readonly wordsAddress: number;
  /** The layout whose texts are in memory, and the address of their end. */
  private layout: RowLayout | undefined;
  private textBytes = 0;
  private textsEnd = 0;

  /** Takes the kernel module `text`. */
  constructor(kernel: WebAssembly.Module) {
    const powers = powersOfTen();
    this.wordsAddress = POWERS_ADDRESS + powers.byteLength;
    this.memory = new WebAssembly.Memory({ initial: 1 });
    const env = { memory: this.memory, write_text: (value: number, address: number) => this.writeText(value, address) };
    this.writeRows = exportedFrom(new WebAssembly.Instance(kernel, { env }));
    new BigUint64Array(this.memory.buffer, POWERS_ADDRESS, powers.length).set(powers);
  }

  /**
   * The bytes of `count` rows. `fill` writes their numbers column by column. Without rounding, finite numbers are printed as in JavaScript,
   * the shortest text that round-trips, except that negative zero is `-0`. The latest layout is cached.
   */
  write(layout: RowLayout, count: number, fill: (columns: Float64Array) => void): Uint8Array<ArrayBuffer> {
    if (this.layout !== layout) this.layOut(layout);
    const width = layout.texts.length - 1;
    const values = this.textsEnd;
    const target = values + 8 * width * count;
    this.ensure(target + count * (this.textBytes + NUMBER_BYTES * width) + SLACK);
    fill(new Float64Array(this.memory.buffer, values, width * count));
    const { wordsAddress } = this;
    const digits = layout.rounding?.digits ?? 0;
    const end = this.writeRows(values, count, width, wordsAddress + 3 * WORD_BYTES, wordsAddress, target, digits);
    return new Uint8Array(this.memory.buffer).slice(target, end);
  }

  private writeText(value: number, address: number): number {
    const text = this.layout?.rounding?.textOf(value) ?? '';
    return address + new TextEncoder().encodeInto(text, new Uint8Array(this.memory.buffer, address)).written;
  }

  private layOut(layout: RowLayout): void {
    const { texts, notANumber, infinity, negativeInfinity } = layout;
    const encoder = new TextEncoder();
    const encoded = texts.map((text) => encoder.encode(text));
    const offsetsAddress = this.wordsAddress + 3 * WORD_BYTES;
    const textsAddress = offsetsAddress + 4 * (texts.length + 1);
    this.textBytes = encoded.reduce((sum, { length }) => sum + length, 0);
    this.textsEnd = multipleOf8(textsAddress + this.textBytes + SLACK);
    this.ensure(this.textsEnd);

    const bytes = new Uint8Array(this.memory.buffer);
    for (const [k, word] of [notANumber, infinity, negativeInfinity].entries()) {
      const address = this.wordsAddress + k * WORD_BYTES;
      bytes[address + WORD_BYTES - 1] = encoder.encodeInto(word, bytes.subarray(address)).written;
    }
    const offsets = new Uint32Array(this.memory.buffer, offsetsAddress, texts.length + 1);
    let end = textsAddress;
    for (const [k, text] of encoded.entries()) {
      offsets[k] = end;
      bytes.set(text, end);
      end += text.length;
    }
    offsets[texts.length] = end;
    this.layout = layout;
  }

  private ensure(bytes: number): void {
    const missing = bytes - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }
}

function exportedFrom(instance: WebAssembly.Instance): WriteRows {
  const { write_rows } = instance.exports;
  if (typeof write_rows !== 'function') throw new Error('the kernel has no write_rows');
  return (...given) => Number(write_rows(...given));
}

function multipleOf8(address: number): number {
  return Math.ceil(address / 8) * 8;
}

/** The 128 most significant bits of each power, rounded up, as two words, the lower one first. */
function powersOfTen(): BigUint64Array<ArrayBuffer> {
  const powers = new BigUint64Array(2 * (GREATEST_POWER - LEAST_POWER + 1));
  const set = (k: number, bits: bigint): void => {
    powers[2 * (k - LEAST_POWER)] = BigInt.asUintN(64, bits);
    powers[2 * (k - LEAST_POWER) + 1] = bits >> 64n;
  };
  let power = 1n;
  for (let k = 0; k <= GREATEST_POWER; k++, power *= 10n) {
    const length = BigInt(power.toString(2).length);
    const excess = length - POWER_BITS;
    set(k, excess > 0n ? -(-power >> excess) : power << -excess);
    if (k > 0 && -k >= LEAST_POWER) set(-k, (1n << (length - 1n + POWER_BITS)) / power + 1n);
  }
  return powers;
}
