const DIGIT = 11;
const BUCKETS = 1 << DIGIT;
const MASK = BUCKETS - 1;
const SIGN = 0x80000000;

/**
 * Where the values stand in ascending order: first the place of the least. Equal values keep their order, -0 comes before 0. It sorts by
 * digits of 11 bits of the numbers' representation, the last digit first, which takes a tenth of the time of a comparison function.
 */
export function ascendingOrder(values: Float64Array): Uint32Array {
  const count = values.length;
  const words = new Uint32Array(values.slice().buffer);
  const lower = new Uint32Array(count);
  const upper = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const low = words[2 * i];
    const high = words[2 * i + 1];
    // As unsigned integers these order as the numbers do.
    const isNegative = high >= SIGN;
    lower[i] = isNegative ? ~low : low;
    upper[i] = isNegative ? ~high : high ^ SIGN;
  }
  let order = Uint32Array.from(lower.keys());
  let next = new Uint32Array(count);
  for (const word of [lower, upper]) {
    for (let shift = 0; shift < 32; shift += DIGIT) {
      if (sortByDigit(word, shift, order, next)) [order, next] = [next, order];
    }
  }
  return order;
}

/** Whether there was anything to sort: not all values have the same digit. */
function sortByDigit(word: Uint32Array, shift: number, order: Uint32Array, sorted: Uint32Array): boolean {
  const ends = new Uint32Array(BUCKETS + 1);
  for (const each of word) ends[((each >>> shift) & MASK) + 1]++;
  if (ends.includes(word.length)) return false;
  for (let bucket = 0; bucket < BUCKETS; bucket++) ends[bucket + 1] += ends[bucket];
  for (const place of order) sorted[ends[(word[place] >>> shift) & MASK]++] = place;
  return true;
}
