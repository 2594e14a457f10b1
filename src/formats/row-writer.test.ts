import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { streamText } from '../inference/number-text.js';
import { loadTextKernel } from '../node/kernels.js';
import { numberText } from './numbers.js';
import { MOST_DIGITS, type RowLayout, RowWriter } from './row-writer.js';

const LINES: RowLayout = {
  texts: ['', '\n'],
  notANumber: '"NaN"',
  infinity: '"Infinity"',
  negativeInfinity: '"-Infinity"',
};
const writer = new RowWriter(loadTextKernel());

function written(layout: RowLayout, count: number, columns: Float64Array): string {
  return new TextDecoder().decode(writer.write(layout, count, (target) => target.set(columns)));
}

function assertSame(values: Float64Array): void {
  const expected = Array.from(values, (value) => `${numberText(value, 'string')}\n`).join('');
  assert.equal(written(LINES, values.length, values), expected);
}

describe('rows of numbers', () => {
  it('alternate with their texts', () => {
    const layout = { ...LINES, texts: ['{"α":', ',"a name that is longer than sixteen bytes":', '}\n'] };
    const rows = written(layout, 2, Float64Array.of(1, 2, -0.5, Number.NaN));
    const name = '"a name that is longer than sixteen bytes"';
    assert.equal(rows, `{"α":1,${name}:-0.5}\n{"α":2,${name}:"NaN"}\n`);
    assert.equal(written({ ...LINES, texts: ['{}\n'] }, 2, new Float64Array()), '{}\n{}\n');
  });

  it('are formatted as JavaScript formats numbers, and -0 as negative zero', () => {
    assertSame(
      Float64Array.of(
        ...[0, -0, 1, -1, 0.1, 0.5, 100, 123.456, 1e21, 1e22, 1e-6, 1e-7, 1.5e-7, 2e23, 2 ** 53, 2 ** 52 + 0.5],
        ...[5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740992, 123456789012345680000],
        ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      ),
    );
  });

  it('are correct at every power of two and of ten and next to it', () => {
    const beside = (value: number) => [value * (1 - 2 ** -53), value, value * (1 + 2 ** -52)];
    const twos = Array.from({ length: 2098 }, (_, k) => beside(2 ** (k - 1074)));
    const tens = Array.from({ length: 632 }, (_, k) => beside(Number(`1e${k - 323}`)));
    assertSame(Float64Array.from([...twos, ...tens].flat()));
  });

  it('are correct for any bits', () => {
    const words = fc.uint32Array({ minLength: 2000, maxLength: 2000 });
    fc.assert(
      fc.property(words, (bits) => assertSame(new Float64Array(bits.buffer.slice(0)))),
      { numRuns: 50 },
    );
  });

  it('are correct for decimals of any length', () => {
    const decimal = fc
      .tuple(fc.nat(), fc.integer({ min: -30, max: 30 }))
      .map(([digits, power]) => Number(`${digits}e${power}`));
    fc.assert(fc.property(fc.array(decimal, { maxLength: 200 }), (values) => assertSame(Float64Array.from(values))));
  });

  describe('with significant digits', () => {
    const digits = fc.integer({ min: 1, max: MOST_DIGITS });
    const assertRounded = (values: Float64Array, count: number) => {
      const rounding = { digits: count, textOf: (value: number) => streamText(value, count) };
      const words = { notANumber: 'nan', infinity: 'inf', negativeInfinity: '-inf' };
      const expected = Array.from(values, (value) => `${streamText(value, count)}\n`).join('');
      assert.equal(written({ texts: LINES.texts, ...words, rounding }, values.length, values), expected);
    };
    const halves = [0.5, 2.5, 1.25, 1.35, 12345.5, 123456785, 1.23456785, 9.9999999949999, 9.999999995, 99999999.5];

    it('are formatted as by C++ streams', () => {
      const special = [0, -0, 1, -1, 1e-4, 9.99999999e-5, 1e-5, 1e5, 1e15, 123456, 1e100, 1e-100, 5e-324, 1e-310];
      const values = [
        ...special,
        ...halves,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        Number.NEGATIVE_INFINITY,
        1.7976931348623157e308,
      ];
      for (let count = 1; count <= MOST_DIGITS; count++) assertRounded(Float64Array.from(values), count);
    });

    it('are correct for any bits', () => {
      const words = fc.uint32Array({ minLength: 2000, maxLength: 2000 });
      fc.assert(
        fc.property(words, digits, (bits, count) => assertRounded(new Float64Array(bits.buffer.slice(0)), count)),
        { numRuns: 50 },
      );
    });

    it('are correct for decimals of any length', () => {
      const decimal = fc
        .tuple(fc.maxSafeNat(), fc.integer({ min: 0, max: 15 }), fc.integer({ min: -30, max: 30 }))
        .map(([long, cut, power]) => Number(`${Math.floor(long / 10 ** cut)}e${power}`));
      fc.assert(
        fc.property(fc.array(decimal, { maxLength: 200 }), digits, (values, count) =>
          assertRounded(Float64Array.from(values), count),
        ),
        { numRuns: 200 },
      );
    });
  });
});
