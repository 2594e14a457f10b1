/** Maximum number of numbers for which memory is reserved in advance. */
const MOST_RESERVED = 1 << 23;

/** A table of numbers that grows, row by row. */
export class Rows {
  readonly width: number;
  count = 0;
  private numbers: Float64Array;

  /** Reserves memory for `expected` rows. Reserved memory takes no physical memory until it is written to. */
  constructor(width: number, expected = 0) {
    this.width = width;
    this.numbers = new Float64Array(Math.min(width * expected, MOST_RESERVED));
  }

  append(count: number, values: Float64Array): void {
    const length = this.width * this.count;
    if (length + values.length > this.numbers.length) {
      const larger = new Float64Array(Math.max(2 * length, length + values.length));
      larger.set(this.numbers.subarray(0, length));
      this.numbers = larger;
    }
    this.numbers.set(values, length);
    this.count += count;
  }

  /** Concatenated rows from one index up to but excluding another. They do not change when the table grows. */
  slice(from: number, to: number = this.count): Float64Array {
    return this.numbers.subarray(from * this.width, to * this.width);
  }
}
