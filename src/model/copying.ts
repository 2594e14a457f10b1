/** Minimum number of elements for which `set` is faster. A call of it takes about as long as copying 20 elements. */
const LONG = 21;

/** Copies all elements of `from` to the beginning of `to`. The loop is unrolled, because V8 checks both arrays in each iteration. */
export function copyElements(from: Float64Array, to: Float64Array): void {
  const { length } = from;
  if (length >= LONG) {
    to.set(from);
    return;
  }
  let k = 0;
  for (; k < length - 3; k += 4) {
    to[k] = from[k];
    to[k + 1] = from[k + 1];
    to[k + 2] = from[k + 2];
    to[k + 3] = from[k + 3];
  }
  for (; k < length; k++) to[k] = from[k];
}
