const DIGIT = 8;
const BUCKETS = 1 << DIGIT;
const MASK = BUCKETS - 1;
/** Cells of equal width into which the range of the values is divided. */
const CELLS = 1 << (2 * DIGIT);
/** Maximum number of insertion steps per value. */
const MOST_STEPS = 8;
const SIGN = 0x80000000;

/** The indexes of the values in ascending order, that of the least first. Equal values keep their order. None may be NaN. */
export function ascendingOrder(values: Float64Array): Uint32Array {
  const ordering = new AscendingOrder(values.length);
  ordering.sort(values);
  return ordering.order;
}

/**
 * Sorts arrays of one length in reused memory. It is a radix sort by the cell of each value; insertion sorts the values of a cell. If a
 * cell has many values, as with heavy tails, it is a radix sort by the numbers' binary representation.
 */
export class AscendingOrder {
  /** Indexes of the values, least first; valid until the next call of `sort`. */
  readonly order: Uint32Array;
  /** The values in this order. */
  readonly sorted: Float64Array;
  private readonly next: Uint32Array;
  private readonly keys: Uint32Array;
  private readonly lower = new Uint32Array(BUCKETS);
  private readonly upper = new Uint32Array(BUCKETS);

  constructor(count: number) {
    this.order = new Uint32Array(count);
    this.next = new Uint32Array(count);
    this.keys = new Uint32Array(count);
    this.sorted = new Float64Array(count);
  }

  sort(values: Float64Array): void {
    if (this.setCells(values)) {
      this.sortByDigits(0, true);
      this.gather(values);
      if (this.insert()) return;
    }
    this.sortByRepresentation(values);
    this.gather(values);
  }

  /** The cell of each value; false without cells, because the range is infinite or empty. */
  private setCells(values: Float64Array): boolean {
    const { keys } = this;
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < values.length; i++) {
      if (values[i] < least) least = values[i];
      if (values[i] > greatest) greatest = values[i];
    }
    const scale = (CELLS - 1) / (greatest - least);
    if (!(scale > 0 && scale < Number.POSITIVE_INFINITY)) return false;
    for (let i = 0; i < values.length; i++) keys[i] = (values[i] - least) * scale;
    return true;
  }

  private gather(values: Float64Array): void {
    const { order, sorted } = this;
    for (let i = 0; i < sorted.length; i++) sorted[i] = values[order[i]];
  }

  /** Completes an order by cells; false if that would take too long. */
  private insert(): boolean {
    const { order, sorted } = this;
    let left = MOST_STEPS * sorted.length;
    for (let i = 1; i < sorted.length; i++) {
      const value = sorted[i];
      if (!(value < sorted[i - 1])) continue;
      const place = order[i];
      let k = i;
      for (; k > 0 && value < sorted[k - 1]; k--) {
        sorted[k] = sorted[k - 1];
        order[k] = order[k - 1];
      }
      sorted[k] = value;
      order[k] = place;
      left -= i - k;
      if (left < 0) return false;
    }
    return true;
  }

  private sortByRepresentation(values: Float64Array): void {
    const { keys } = this;
    const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    for (const part of [0, 1]) {
      for (let i = 0; i < keys.length; i++) {
        // As unsigned integers these sort like the numbers. -0 counts as 0.
        const high = values[i] === 0 ? 0 : words[2 * i + 1];
        const word = part === 1 ? high : values[i] === 0 ? 0 : words[2 * i];
        keys[i] = high >= SIGN ? ~word : part === 1 ? word ^ SIGN : word;
      }
      this.sortByDigits(0, part === 0);
      this.sortByDigits(2 * DIGIT, false);
    }
  }

  /** Stable sort by two digits of the keys, starting at a bit; of the current order, or of the original one if `anew`. */
  private sortByDigits(shift: number, anew: boolean): void {
    const { keys, lower, next, order, upper } = this;
    lower.fill(0);
    upper.fill(0);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] >>> shift;
      lower[key & MASK]++;
      upper[(key >>> DIGIT) & MASK]++;
    }
    toBeginnings(lower);
    toBeginnings(upper);
    for (let i = 0; i < order.length; i++) {
      const place = anew ? i : order[i];
      next[lower[(keys[place] >>> shift) & MASK]++] = place;
    }
    for (let i = 0; i < next.length; i++) {
      const place = next[i];
      order[upper[(keys[place] >>> (shift + DIGIT)) & MASK]++] = place;
    }
  }
}

/** Turns the sizes of buckets into their offsets. */
function toBeginnings(sizes: Uint32Array): void {
  let end = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const size = sizes[bucket];
    sizes[bucket] = end;
    end += size;
  }
}
