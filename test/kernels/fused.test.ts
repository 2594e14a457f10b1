import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Random } from '../fuzz/random.js';
import { loadKernels } from './load.js';

const fma = loadKernels().math('fma');
const BITS = new BigUint64Array(1);
const DOUBLE = new Float64Array(BITS.buffer);
/** Every double is a multiple of 2^-1074, every product of two a multiple of 2^-2148. */
const SCALE = 1074;

/** A finite number times 2^1074, exactly. */
function multiple(x: number): bigint {
  DOUBLE[0] = x;
  const exponent = Number((BITS[0] >> 52n) & 0x7ffn);
  const fraction = BITS[0] & 0xfffffffffffffn;
  const size = exponent === 0 ? fraction : (fraction | 0x10000000000000n) << BigInt(exponent - 1);
  return x < 0 ? -size : size;
}

/** n / 2^2148 rounded to the nearest double, ties to even. */
function nearest(n: bigint): number {
  const size = n < 0n ? -n : n;
  const drop = BigInt(Math.max(SCALE, size.toString(2).length - 53));
  const [half, digits] = [1n << (drop - 1n), size >> drop];
  const rest = size - (digits << drop);
  const rounded = digits + (rest > half || (rest === half && (digits & 1n) === 1n) ? 1n : 0n);
  const exponent = Number(drop) - 2 * SCALE;
  const value = exponent > 971 ? Number.POSITIVE_INFINITY : Number(rounded) * 2 ** exponent;
  return n < 0n ? -value : value;
}

function exact(x: number, y: number, z: number): number {
  if (![x, y, z].every(Number.isFinite)) return Number.isFinite(x) && Number.isFinite(y) ? z : x * y + z;
  if (x === 0 || y === 0 || z === 0) return z === 0 && x !== 0 && y !== 0 ? nearestSigned(x, y) : x * y + z;
  return nearest(multiple(x) * multiple(y) + (multiple(z) << BigInt(SCALE)));
}

/** A product that may underflow to a signed zero. */
function nearestSigned(x: number, y: number): number {
  const size = Math.abs(nearest(multiple(x) * multiple(y)));
  return x < 0 === y < 0 ? size : -size;
}

const EDGES = [
  0,
  5e-324,
  1e-323,
  2 ** -1023,
  2 ** -1022,
  2 ** -1022 - 5e-324,
  2 ** -969,
  2 ** -537,
  1e-154,
  2 ** -53,
  2 ** -52,
]
  .concat([
    1 - 2 ** -53,
    1,
    1 + 2 ** -52,
    1.5,
    3,
    2 ** 27 + 1,
    2 ** 53 - 1,
    2 ** 53,
    1e154,
    2 ** 512,
    2 ** 971,
    2 ** 1023,
  ])
  .concat([Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NaN])
  .flatMap((x) => [x, -x]);

/** Every third, with another remainder for each sign. */
const SOME = EDGES.filter((_, k) => k % 3 === 0);

const random = new Random(48);

/** A double with random bits and an exponent in a range. */
function number(least: number, most: number): number {
  const exponent = least + random.below(most - least + 1);
  BITS[0] = (BigInt(random.below(2 ** 26)) << 26n) | BigInt(random.below(2 ** 26)) | (BigInt(exponent + 1023) << 52n);
  if (random.chance(0.2)) BITS[0] &= 0xfffffffff0000000n;
  return (random.chance(0.5) ? 1 : -1) * DOUBLE[0];
}

function check(x: number, y: number, z: number): void {
  const [value, expected] = [fma(x, y, z), exact(x, y, z)];
  assert.ok(Object.is(value, expected), `fma(${x}, ${y}, ${z}) is ${value}, not ${expected}`);
}

describe('fma rounds once', () => {
  it('for numbers at the edges of the range', () => {
    for (const x of EDGES) for (const y of EDGES) for (const z of SOME) check(x, y, z);
  });

  it('for random numbers of all magnitudes', () => {
    for (let n = 0; n < 6_000; n++) check(number(-1023, 1023), number(-1023, 1023), number(-1023, 1023));
  });

  it('for terms of similar magnitude, also where the result overflows or underflows', () => {
    for (let n = 0; n < 6_000; n++) {
      const [x, y] = random.pick([
        [number(-5, 5), number(-5, 5)],
        [number(-520, -500), number(-560, -510)],
        [number(505, 512), number(505, 512)],
      ]);
      const size = Math.max(-1023, Math.min(1023, Math.round(Math.log2(Math.abs(x)) + Math.log2(Math.abs(y)))));
      check(x, y, number(Math.max(-1023, size - 110), Math.min(1023, size + 110)));
      check(x, y, -x * y);
      check(x, y, -x * y * (1 + 2 ** -52));
    }
  });
});
