/**
 * Groups n rows of doubles by their bits: row k is `keys[starts[k]] … keys[starts[k + 1] - 1]`, or without `starts` (0) the `width` doubles from
 * `keys[k * width]` on. Rows are equal if they have the same length and the same bits (so -0 differs from 0, and a NaN equals itself). Writes,
 * for each distinct row in order of first occurrence, the index of that occurrence to `first` (i32) and the number of occurrences to `counts`
 * (f64). Returns the number of distinct rows, or 0 if it exceeds `limit`, the capacity of `first` and `counts`. `table` has room for
 * `slots` > limit ints (open addressing with linear probing). `groups`, unless 0, receives the index of each row's group (i32).
 */
export function group_rows(
  first: usize,
  counts: usize,
  groups: usize,
  keys: usize,
  starts: usize,
  width: i32,
  table: usize,
  slots: i32,
  n: i32,
  limit: i32,
): i32 {
  memory.fill(table, 0, (<usize>slots) << 2);
  let found = 0;
  for (let k = 0; k < n; k++) {
    const row = startOf(keys, starts, width, k);
    const end = startOf(keys, starts, width, k + 1);
    // The hash is below 2^32, so that the product's upper half is a slot (Lemire 2016, "A fast alternative to the modulo reduction").
    let slot = <i32>((<u64>hashOf(row, end) * <u64>slots) >> 32);
    let group = -1;
    while (true) {
      const other = load<i32>(table + ((<usize>slot) << 2)) - 1;
      if (other < 0) break;
      const at = load<i32>(first + ((<usize>other) << 2));
      if (isEqual(row, end, startOf(keys, starts, width, at), startOf(keys, starts, width, at + 1))) {
        group = other;
        break;
      }
      slot = slot + 1 < slots ? slot + 1 : 0;
    }
    if (groups) store<i32>(groups + ((<usize>k) << 2), group < 0 ? found : group);
    if (group < 0) {
      if (found == limit) return 0;
      store<i32>(first + ((<usize>found) << 2), k);
      store<f64>(counts + ((<usize>found) << 3), 1);
      found++;
      store<i32>(table + ((<usize>slot) << 2), found);
    } else {
      const at = counts + ((<usize>group) << 3);
      store<f64>(at, load<f64>(at) + 1);
    }
  }
  return found;
}

/** The address of row k. */
// @ts-ignore: decorator
@inline
function startOf(keys: usize, starts: usize, width: i32, k: i32): usize {
  const start = starts ? <usize>load<i32>(starts + ((<usize>k) << 2)) : <usize>k * <usize>width;
  return keys + (start << 3);
}

/** A multiplicative hash of the row's bits; its factors are those of SplitMix64 (Steele, Lea, Flood 2014). */
function hashOf(row: usize, end: usize): u32 {
  let hash: u64 = 0x9e3779b97f4a7c15;
  for (let at = row; at < end; at += 8) {
    hash = (hash ^ load<u64>(at)) * 0xbf58476d1ce4e5b9;
    hash ^= hash >> 27;
  }
  hash *= 0x94d049bb133111eb;
  return <u32>(hash >> 32);
}

function isEqual(row: usize, end: usize, other: usize, otherEnd: usize): bool {
  if (otherEnd - other != end - row) return false;
  let at = other;
  for (let own = row; own < end; own += 8, at += 8) {
    if (load<u64>(own) != load<u64>(at)) return false;
  }
  return true;
}
