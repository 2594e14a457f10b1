/** A table of numbers that grows, row by row. */
export class Rows {
  readonly width: number;
  count = 0;
  private numbers = new Float64Array(0);

  constructor(width: number) {
    this.width = width;
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

  /** Rows from one to before another, one behind the other. They stay as they are when the table grows. */
  slice(from: number, to: number = this.count): Float64Array {
    return this.numbers.subarray(from * this.width, to * this.width);
  }
}
