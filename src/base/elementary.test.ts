import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { exponential, exponentialMinusOne, logarithm, logarithmPlusOne, power } from './elementary.js';

/** The same arguments in every run, spread over a range. */
function spread(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => from + (to - from) * ((k * 0.6180339887498949) % 1));
}

const ulp = (x: number) => Math.max(5e-324, Math.abs(x) * 2 ** -52);

function greatestError(ours: (x: number) => number, theirs: (x: number) => number, places: readonly number[]): number {
  return Math.max(...places.map((x) => Math.abs(ours(x) - theirs(x)) / ulp(theirs(x))));
}

/** A digest of the bits of all values. */
function digest(values: readonly number[]): string {
  return createHash('sha256')
    .update(new Uint8Array(Float64Array.from(values).buffer))
    .digest('hex')
    .slice(0, 16);
}

const WIDE = spread(-745, 709.7, 20_000);
const NEAR = spread(-1, 1, 20_000);
const POSITIVE = spread(-700, 700, 20_000).map((x) => Math.exp(x));

describe('elementary functions', () => {
  it('agree with those of this engine to two units in the last place', () => {
    assert.ok(greatestError(exponential, Math.exp, [...WIDE, ...NEAR]) <= 2);
    assert.ok(greatestError(logarithm, Math.log, [...POSITIVE, ...NEAR.map((x) => x + 1.5)]) <= 2);
    assert.ok(greatestError(logarithmPlusOne, Math.log1p, [...NEAR.map((x) => x * 0.999), 1e-300, 1e300]) <= 4);
    assert.ok(greatestError(exponentialMinusOne, Math.expm1, [...NEAR, ...spread(-40, 700, 1000)]) <= 4);
    assert.ok(
      greatestError(
        (x) => power(x, -0.75),
        (x) => x ** -0.75,
        spread(1, 1000, 1000),
      ) <= 16,
    );
  });
  it('have the correct values at the ends of their domains', () => {
    assert.deepEqual([-Infinity, -746, 0, 710, Infinity, NaN].map(exponential), [0, 0, 1, Infinity, Infinity, NaN]);
    assert.deepEqual([-1, 0, 1, Infinity, NaN].map(logarithm), [NaN, -Infinity, 0, Infinity, NaN]);
    assert.equal(logarithm(5e-324), Math.log(5e-324));
    assert.equal(exponential(-745.1), 5e-324);
    assert.deepEqual([-1, 0, Infinity].map(logarithmPlusOne), [-Infinity, 0, Infinity]);
    assert.deepEqual([-Infinity, 0, Infinity].map(exponentialMinusOne), [-1, 0, Infinity]);
  });
  it('have the same bits on every machine', () => {
    const bits = [exponential, exponentialMinusOne].map((f) => digest([...WIDE, ...NEAR].map(f)));
    const places = NEAR.map((x) => x + 1.5);
    assert.deepEqual([...bits, digest(places.map(logarithm)), digest(NEAR.map(logarithmPlusOne))], RECORDED);
  });
});

/** The digests that every engine must produce, recorded with Node 20. */
const RECORDED: readonly string[] = ['7818c801cdc6077f', 'b135c7d1479588e8', '64a119cd09d083a1', '2cdb406659d4abba'];
