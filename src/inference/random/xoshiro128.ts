/**
 * xoshiro128++ 1.0 of Blackman and Vigna ("Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021): 128 bits of state in four
 * 32-bit words, period 2^128 - 1. JavaScript's fast integers have 32 bits.
 *
 * The state of a stream is a hash of (seed, chain), so different streams start at unrelated points of the sequence. The probability that a
 * thousand chains of 2^40 numbers overlap is below 2^-60.
 */
export class Xoshiro128 {
  readonly state: Int32Array;

  /** `seed` and `chain` are non-negative integers below 2^53. */
  constructor(seed: number, chain: number) {
    this.state = hashWords(seed, chain);
  }

  /** The next 32 bits, as a signed integer. */
  nextInt32(): number {
    const state = this.state;
    const s0 = state[0];
    const s1 = state[1];
    const s3 = state[3];
    const t2 = state[2] ^ s0;
    const t3 = s3 ^ s1;
    state[0] = s0 ^ t3;
    state[1] = s1 ^ t2;
    state[2] = t2 ^ (s1 << 9);
    state[3] = (t3 << 11) | (t3 >>> 21);
    const sum = (s0 + s3) | 0;
    return (((sum << 7) | (sum >>> 25)) + s0) | 0;
  }
}

/** Four words, not all zero. Each of their bits depends on every bit of seed and chain. */
function hashWords(seed: number, chain: number): Int32Array {
  const inputs = [seed, Math.floor(seed / 2 ** 32), chain, Math.floor(chain / 2 ** 32)];
  const words = new Int32Array(4);
  let carry = GOLDEN_RATIO;
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 4; index++) {
      carry = mix(carry ^ mix((inputs[index] | 0) + Math.imul(index + 1, GOLDEN_RATIO)));
      words[index] = mix(words[index] ^ carry);
    }
  }
  if (words.every((word) => word === 0)) words[0] = 1;
  return words;
}

/** 2^32 divided by the golden ratio, whose multiples are spread evenly. */
const GOLDEN_RATIO = 0x9e3779b9 | 0;

/** A bijection of 32-bit words in which each input bit flips each output bit half of the time: "lowbias32" of C. Wellons. */
function mix(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}
