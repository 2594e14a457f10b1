// Sorting by heap sort: in place, O(n log n) always, no memory. Index sorts break ties by position, so they are stable.

@inline
function before<T>(a: T, b: T, descending: bool): bool {
  return descending ? a > b : a < b;
}

function siftDown<T>(x: usize, root: i32, end: i32, descending: bool): void {
  const value = load<T>(x + root * sizeof<T>());
  let hole = root;
  let child = 2 * hole + 1;
  while (child < end) {
    let larger = load<T>(x + child * sizeof<T>());
    if (child + 1 < end) {
      const other = load<T>(x + (child + 1) * sizeof<T>());
      if (before<T>(larger, other, descending)) {
        larger = other;
        child++;
      }
    }
    if (!before<T>(value, larger, descending)) break;
    store<T>(x + hole * sizeof<T>(), larger);
    hole = child;
    child = 2 * hole + 1;
  }
  store<T>(x + hole * sizeof<T>(), value);
}

function sortInPlace<T>(x: usize, n: i32, descending: bool): void {
  for (let root = (n >> 1) - 1; root >= 0; root--) siftDown<T>(x, root, n, descending);
  for (let end = n - 1; end > 0; end--) {
    const at = x + end * sizeof<T>();
    const last = load<T>(at);
    store<T>(at, load<T>(x));
    store<T>(x, last);
    siftDown<T>(x, 0, end, descending);
  }
}

@inline
function indexBefore<T>(x: usize, i: i32, j: i32, descending: bool): bool {
  const a = load<T>(x + (i - 1) * sizeof<T>());
  const b = load<T>(x + (j - 1) * sizeof<T>());
  return before<T>(a, b, descending) || (a == b && i < j);
}

function siftIndexDown<T>(out: usize, x: usize, root: i32, end: i32, descending: bool): void {
  const value = load<i32>(out + (root << 2));
  let hole = root;
  let child = 2 * hole + 1;
  while (child < end) {
    let larger = load<i32>(out + (child << 2));
    if (child + 1 < end) {
      const other = load<i32>(out + ((child + 1) << 2));
      if (indexBefore<T>(x, larger, other, descending)) {
        larger = other;
        child++;
      }
    }
    if (!indexBefore<T>(x, value, larger, descending)) break;
    store<i32>(out + (hole << 2), larger);
    hole = child;
    child = 2 * hole + 1;
  }
  store<i32>(out + (hole << 2), value);
}

function sortIndices<T>(out: usize, x: usize, n: i32, descending: bool): void {
  for (let i = 0; i < n; i++) store<i32>(out + (i << 2), i + 1);
  for (let root = (n >> 1) - 1; root >= 0; root--) siftIndexDown<T>(out, x, root, n, descending);
  for (let end = n - 1; end > 0; end--) {
    const at = out + (end << 2);
    const last = load<i32>(at);
    store<i32>(at, load<i32>(out));
    store<i32>(out, last);
    siftIndexDown<T>(out, x, 0, end, descending);
  }
}

/** out = x in ascending order (f64). out may be x. */
export function sort_asc(out: usize, x: usize, n: i32): void {
  if (out != x) memory.copy(out, x, n << 3);
  sortInPlace<f64>(out, n, false);
}

/** out = x in descending order (f64). */
export function sort_desc(out: usize, x: usize, n: i32): void {
  if (out != x) memory.copy(out, x, n << 3);
  sortInPlace<f64>(out, n, true);
}

/** out = x in ascending order (i32). */
export function sort_asc_int(out: usize, x: usize, n: i32): void {
  if (out != x) memory.copy(out, x, n << 2);
  sortInPlace<i32>(out, n, false);
}

/** out = x in descending order (i32). */
export function sort_desc_int(out: usize, x: usize, n: i32): void {
  if (out != x) memory.copy(out, x, n << 2);
  sortInPlace<i32>(out, n, true);
}

/** out (i32): the 1-based positions of x (f64) in ascending order. */
export function sort_indices_asc(out: usize, x: usize, n: i32): void {
  sortIndices<f64>(out, x, n, false);
}

/** out (i32): the 1-based positions of x (f64) in descending order. */
export function sort_indices_desc(out: usize, x: usize, n: i32): void {
  sortIndices<f64>(out, x, n, true);
}

/** out (i32): the 1-based positions of x (i32) in ascending order. */
export function sort_indices_asc_int(out: usize, x: usize, n: i32): void {
  sortIndices<i32>(out, x, n, false);
}

/** out (i32): the 1-based positions of x (i32) in descending order. */
export function sort_indices_desc_int(out: usize, x: usize, n: i32): void {
  sortIndices<i32>(out, x, n, true);
}
