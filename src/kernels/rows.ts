/**
 * Groups n rows of doubles by their bits: row k is `keys[starts[k]] … keys[starts[k + 1] - 1]`, and rows are equal where they have the
 * same length and the same bits (so -0 differs from 0, and a NaN equals itself). Writes, for each of the different rows in the order of their
 * first occurrences, the position of that occurrence to `first` (i32) and the number of occurrences to `counts` (f64). Returns how many
 * different rows there are, or 0 as soon as there are more than `limit`, for which `first` and `counts` have room. `table` has room for
 * `slots` ≥ 2 limit + 2 ints; open addressing with linear probing. `groups`, unless 0, receives the number of each row's group (i32).
 */
export function group_rows(
  first: usize,
  counts: usize,
  groups: usize,
  keys: usize,
  starts: usize,
  table: usize,
  slots: i32,
  n: i32,
  limit: i32,
): i32 {
  let size = 1;
  while (size <= slots >> 1) size <<= 1;
  const mask = size - 1;
  memory.fill(table, 0, (<usize>size) << 2);
  let found = 0;
  for (let k = 0; k < n; k++) {
    const row = keys + ((<usize>load<i32>(starts + ((<usize>k) << 2))) << 3);
    const end = keys + ((<usize>load<i32>(starts + ((<usize>k) << 2), 4)) << 3);
    let slot = hashOf(row, end) & mask;
    let group = -1;
    while (true) {
      const other = load<i32>(table + ((<usize>slot) << 2)) - 1;
      if (other < 0) break;
      if (isEqual(row, end, keys, starts, load<i32>(first + ((<usize>other) << 2)))) {
        group = other;
        break;
      }
      slot = (slot + 1) & mask;
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

/** A multiplicative hash of the row's bits; its factors are those of SplitMix64 (Steele, Lea, Flood 2014). */
function hashOf(row: usize, end: usize): i32 {
  let hash: u64 = 0x9e3779b97f4a7c15;
  for (let at = row; at < end; at += 8) {
    hash = (hash ^ load<u64>(at)) * 0xbf58476d1ce4e5b9;
    hash ^= hash >> 27;
  }
  hash *= 0x94d049bb133111eb;
  return <i32>(hash >> 32);
}

function isEqual(row: usize, end: usize, keys: usize, starts: usize, other: i32): bool {
  let at = keys + ((<usize>load<i32>(starts + ((<usize>other) << 2))) << 3);
  const otherEnd = keys + ((<usize>load<i32>(starts + ((<usize>other) << 2), 4)) << 3);
  if (otherEnd - at != end - row) return false;
  for (let own = row; own < end; own += 8, at += 8) {
    if (load<u64>(own) != load<u64>(at)) return false;
  }
  return true;
}
