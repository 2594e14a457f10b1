// Entry of statistics.wasm: the loops over draws of `inference/diagnostics`. Addresses are those of arrays laid out by the host; memory below
// `SCRATCH_BYTES` of `inference/diagnostics/workspace.ts` is scratch.

/** Quantile of the standard normal distribution. */
@external("host", "normalQuantile")
declare function normalQuantile(probability: f64): f64;

const DIGIT = 8;
const BUCKETS = 1 << DIGIT;
const MASK = BUCKETS - 1;
/** Cells of equal width into which the range of the values is divided. */
const CELLS: f64 = 65536;
/** Maximum number of insertion steps per value. */
const MOST_STEPS = 8;
const SIGN: u32 = 0x80000000;
/** Number of lags whose autocovariances are computed in one pass: a processor computes all of them in the time of one. */
const LAGS_AT_ONCE = 8;

/** Addresses of the buckets of the lower and of the upper digit. */
const LOWER: usize = 0;
const UPPER: usize = BUCKETS << 2;

@inline
function double(array: usize, index: i32): f64 {
  return load<f64>(array + (<usize>index << 3));
}

@inline
function setDouble(array: usize, index: i32, value: f64): void {
  store<f64>(array + (<usize>index << 3), value);
}

@inline
function word(array: usize, index: i32): u32 {
  return load<u32>(array + (<usize>index << 2));
}

@inline
function setWord(array: usize, index: i32, value: u32): void {
  store<u32>(array + (<usize>index << 2), value);
}

/**
 * Writes the least and the greatest value of each chain, in pairs, and returns the sum of all values. The extremes are NaN for a chain with NaN, and
 * infinity and minus infinity for an empty chain.
 */
export function survey(values: usize, chains: i32, length: i32, extremes: usize): f64 {
  let sum: f64 = 0;
  let i = 0;
  for (let chain = 0; chain < chains; chain++) {
    let least = Infinity;
    let greatest = -Infinity;
    for (const end = i + length; i < end; i++) {
      const value = double(values, i);
      sum += value;
      least = min(least, value);
      greatest = max(greatest, value);
    }
    setDouble(extremes, 2 * chain, least);
    setDouble(extremes, 2 * chain + 1, greatest);
  }
  return sum;
}

/**
 * Stable sort of values other than NaN: `sorted` receives them in ascending order, and `order` their indexes. A radix sort by the cell of each value
 * is followed by an insertion sort. If a cell has many values, as with heavy tails, the values are sorted by a radix sort of their binary
 * representation instead. `next` and `keys` are working memory of one word per value.
 */
export function sort(values: usize, count: i32, order: usize, sorted: usize, next: usize, keys: usize): void {
  if (setCells(values, count, keys)) {
    sortByDigits(count, order, next, keys, 0, true);
    gather(values, count, order, sorted);
    if (insert(count, order, sorted)) return;
  }
  sortByRepresentation(values, count, order, next, keys);
  gather(values, count, order, sorted);
}

/** Computes the cell of each value. Returns false if there are no cells because the range is infinite or empty. */
function setCells(values: usize, count: i32, keys: usize): bool {
  let least = Infinity;
  let greatest = -Infinity;
  for (let i = 0; i < count; i++) {
    least = min(least, double(values, i));
    greatest = max(greatest, double(values, i));
  }
  const scale = (CELLS - 1) / (greatest - least);
  if (!(scale > 0 && scale < Infinity)) return false;
  for (let i = 0; i < count; i++) setWord(keys, i, <u32>((double(values, i) - least) * scale));
  return true;
}

function gather(values: usize, count: i32, order: usize, sorted: usize): void {
  for (let i = 0; i < count; i++) setDouble(sorted, i, double(values, word(order, i)));
}

/** Completes an order by cells with an insertion sort. Returns false if it takes too many steps. */
function insert(count: i32, order: usize, sorted: usize): bool {
  let left = <i64>MOST_STEPS * count;
  for (let i = 1; i < count; i++) {
    const value = double(sorted, i);
    if (!(value < double(sorted, i - 1))) continue;
    const place = word(order, i);
    let k = i;
    for (; k > 0 && value < double(sorted, k - 1); k--) {
      setDouble(sorted, k, double(sorted, k - 1));
      setWord(order, k, word(order, k - 1));
    }
    setDouble(sorted, k, value);
    setWord(order, k, place);
    left -= i - k;
    if (left < 0) return false;
  }
  return true;
}

function sortByRepresentation(values: usize, count: i32, order: usize, next: usize, keys: usize): void {
  for (let half = 0; half < 2; half++) {
    for (let i = 0; i < count; i++) {
      // As unsigned integers, these keys sort like the numbers. -0 counts as 0.
      const value = double(values, i);
      const bits = value == 0 ? 0 : reinterpret<u64>(value);
      const high = <u32>(bits >> 32);
      const each = half == 1 ? high : <u32>bits;
      setWord(keys, i, high >= SIGN ? ~each : half == 1 ? each ^ SIGN : each);
    }
    sortByDigits(count, order, next, keys, 0, half == 0);
    sortByDigits(count, order, next, keys, 2 * DIGIT, false);
  }
}

/** Stable sort by two digits of the keys, from bit `shift` on, of the current order or, if `anew`, of the original one. */
function sortByDigits(count: i32, order: usize, next: usize, keys: usize, shift: u32, anew: bool): void {
  memory.fill(LOWER, 0, BUCKETS << 3);
  for (let i = 0; i < count; i++) {
    const key = word(keys, i) >> shift;
    setWord(LOWER, key & MASK, word(LOWER, key & MASK) + 1);
    setWord(UPPER, (key >> DIGIT) & MASK, word(UPPER, (key >> DIGIT) & MASK) + 1);
  }
  toBeginnings(LOWER);
  toBeginnings(UPPER);
  for (let i = 0; i < count; i++) {
    const place = anew ? i : word(order, i);
    setWord(next, advance(LOWER, (word(keys, place) >> shift) & MASK), place);
  }
  for (let i = 0; i < count; i++) {
    const place = word(next, i);
    setWord(order, advance(UPPER, (word(keys, place) >> (shift + DIGIT)) & MASK), place);
  }
}

/** Replaces the sizes of buckets by their offsets. */
function toBeginnings(sizes: usize): void {
  let end: u32 = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const size = word(sizes, bucket);
    setWord(sizes, bucket, end);
    end += size;
  }
}

/** Returns the offset of a bucket, and increments it. */
@inline
function advance(offsets: usize, bucket: u32): u32 {
  const offset = word(offsets, bucket);
  setWord(offsets, bucket, offset + 1);
  return offset;
}

/** Copies the words of `from` at the indexes `order`. */
export function pick(from: usize, count: i32, order: usize, to: usize): void {
  for (let i = 0; i < count; i++) setWord(to, i, word(from, word(order, i)));
}

/**
 * Writes the distances of ascending numbers from their median in ascending order, and the places of the numbers. The distances on either side are
 * already sorted, so the two sides are merged.
 */
export function fold(sorted: usize, places: usize, count: i32, median: f64, distances: usize, folded: usize): void {
  let right = 0;
  while (right < count && double(sorted, right) < median) right++;
  let left = right - 1;
  for (let k = 0; k < count; k++) {
    const below = left >= 0 ? median - double(sorted, left) : Infinity;
    const above = right < count ? double(sorted, right) - median : Infinity;
    // Distances of finite numbers may overflow.
    const isBelow = right >= count || (left >= 0 && below < above);
    setDouble(distances, k, isBelow ? below : above);
    setWord(folded, k, word(places, isBelow ? left-- : right++));
  }
}

/**
 * Fills `scores` at the places of `count` ascending numbers with normal scores of their ranks, ties sharing their mean rank (Blom's offset 3/8). Numbers
 * with place -1 have no rank; `ranked` numbers have one. `known` are scores by twice the rank, NaN if not computed yet.
 */
export function score(sorted: usize, places: usize, count: i32, ranked: i32, known: usize, scores: usize): void {
  let rank = 0;
  for (let first = 0; first < count; ) {
    const value = double(sorted, first);
    let next = first + 1;
    let tied = <i32>(<i32>word(places, first) >= 0);
    for (; next < count && double(sorted, next) == value; next++) tied += <i32>(<i32>word(places, next) >= 0);
    if (tied > 0) {
      const twice = 2 * rank + 1 + tied;
      let ready = double(known, twice);
      if (isNaN(ready)) {
        ready = normalQuantile((<f64>twice / 2 - 0.375) / (<f64>ranked + 0.25));
        setDouble(known, twice, ready);
      }
      for (let i = first; i < next; i++) {
        const place = <i32>word(places, i);
        if (place >= 0) setDouble(scores, place, ready);
      }
      rank += tied;
    }
    first = next;
  }
}

/** Writes the means of chains, and the draws minus these. Returns whether diagnostics are defined: all draws are finite, and they differ. */
export function center(draws: usize, chains: i32, length: i32, means: usize, centered: usize): bool {
  let least = Infinity;
  let greatest = -Infinity;
  let areFinite = true;
  for (let chain = 0; chain < chains; chain++) {
    const begin = chain * length;
    const end = begin + length;
    let sum: f64 = 0;
    for (let i = begin; i < end; i++) {
      const value = double(draws, i);
      sum += value;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
    // The sum of finite draws may overflow.
    if (!isFinite(sum)) for (let i = begin; i < end; i++) areFinite = areFinite && isFinite(double(draws, i));
    const mean = sum / <f64>length;
    setDouble(means, chain, mean);
    for (let i = begin; i < end; i++) setDouble(centered, i, double(draws, i) - mean);
  }
  return areFinite && greatest - least >= f64.EPSILON;
}

/** The sum of the variances of chains, from draws minus their means. */
export function variances(centered: usize, chains: i32, length: i32): f64 {
  let sum: f64 = 0;
  for (let chain = 0; chain < chains; chain++) {
    let squares: f64 = 0;
    for (let i = chain * length, end = i + length; i < end; i++) squares += double(centered, i) * double(centered, i);
    sum += squares / <f64>(length - 1);
  }
  return sum;
}

/** Writes the means over chains of eight autocovariances of centered draws, starting at a lag: the "biased" estimates with denominator `length`. */
export function autocovariances(centered: usize, chains: i32, length: i32, lag: i32, covariances: usize): void {
  memory.fill(covariances, 0, LAGS_AT_ONCE << 3);
  for (let chain = 0; chain < chains; chain++) {
    const begin = chain * length;
    const end = begin + length;
    // The first draws have a predecessor only at some of the lags.
    const first = min(end, begin + lag + LAGS_AT_ONCE - 1);
    for (let each = lag; each < lag + LAGS_AT_ONCE; each++) {
      let sum: f64 = 0;
      for (let i = begin + each; i < first; i++) sum += double(centered, i) * double(centered, i - each);
      setDouble(UPPER, each - lag, sum);
    }
    // Two lags per vector, the greater one in the lower lane.
    let a = reversed(UPPER);
    let b = reversed(UPPER + 16);
    let c = reversed(UPPER + 32);
    let d = reversed(UPPER + 48);
    let partner = centered + (<usize>(first - lag) << 3);
    for (let i = first; i < end; i++, partner += 8) {
      const value = f64x2.splat(double(centered, i));
      a = f64x2.add(a, f64x2.mul(value, v128.load(partner - 8)));
      b = f64x2.add(b, f64x2.mul(value, v128.load(partner - 24)));
      c = f64x2.add(c, f64x2.mul(value, v128.load(partner - 40)));
      d = f64x2.add(d, f64x2.mul(value, v128.load(partner - 56)));
    }
    addPair(covariances, a, length);
    addPair(covariances + 16, b, length);
    addPair(covariances + 32, c, length);
    addPair(covariances + 48, d, length);
  }
  for (let i = 0; i < LAGS_AT_ONCE; i++) setDouble(covariances, i, double(covariances, i) / <f64>chains);
}

@inline
function reversed(pair: usize): v128 {
  return f64x2.replace_lane(v128.load64_splat(pair), 0, load<f64>(pair, 8));
}

@inline
function addPair(covariances: usize, sums: v128, length: i32): void {
  store<f64>(covariances, load<f64>(covariances) + f64x2.extract_lane(sums, 1) / <f64>length);
  store<f64>(covariances, load<f64>(covariances, 8) + f64x2.extract_lane(sums, 0) / <f64>length, 8);
}

/**
 * The mean over chains of the autocovariances at a lag, for draws that consist of zeros and few ones. `marks` are the places of the ones,
 * and `isMarked` has a byte for each draw. The cost grows with the number of ones.
 */
export function markedAutocovariance(
  marks: usize,
  count: i32,
  isMarked: usize,
  means: usize,
  chains: i32,
  length: i32,
  lag: i32,
): f64 {
  // Sum over the chains of (x_i - m)(x_(i-lag) - m), multiplied out.
  let sum: f64 = 0;
  for (let chain = 0; chain < chains; chain++) sum += <f64>(length - lag) * double(means, chain) * double(means, chain);
  for (let i = 0; i < count; i++) {
    const place = <i32>word(marks, i);
    const chain = place / length;
    const within = place - chain * length;
    const mean = double(means, chain);
    if (within >= lag) sum += <f64>load<u8>(isMarked + <usize>(place - lag)) - mean;
    if (within < length - lag) sum -= mean;
  }
  return sum / <f64>length / <f64>chains;
}
