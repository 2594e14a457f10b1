/**
 * An autoregressive series, centered at zero, whose innovations are sums of four numbers of the minimal standard generator: the same in any language.
 * Source: Park, Miller, Random number generators: good ones are hard to find, Communications of the ACM 31, 1988.
 */
export function autoregressive(seed: number, length: number, correlation: number): Float64Array {
  let state = seed;
  let value = 0;
  return Float64Array.from({ length }, () => {
    let sum = 0;
    for (let i = 0; i < 4; i++) {
      state = (state * 16807) % 2147483647;
      sum += state / 2147483647;
    }
    value = correlation * value + (sum - 2);
    return value;
  });
}
