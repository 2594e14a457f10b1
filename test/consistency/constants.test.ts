// Constants give the same bits as data: random expressions are evaluated with literals, and with the same numbers as data.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { Random } from '../fuzz/random.js';

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  2,
  -2,
  0.5,
  3,
  0.1,
  -0.7,
  1e-300,
  -1e-9,
  1e9,
  -1e300,
  5e-324,
  Number.POSITIVE_INFINITY,
  Number.NaN,
];
/** Powers with constant exponents -2, -1, -1/2 and 1/2 are quotients and roots, which differ from other powers in the last bit. */
const EXPONENTS = [0, 1, 2, 3, 0.1, -0.7, 1e9];
const INTS = [0, 1, 2, 3, -1, -2, 7];
const UNARY = (
  'abs acos asin asinh atan cbrt ceil cos cosh digamma erf erfc exp exp2 expm1 floor inv inv_cloglog inv_logit inv_sqrt ' +
  'inv_square lgamma log log10 log1m_inv_logit log1p_exp log2 log_inv_logit logit Phi_approx round sin sinh sqrt ' +
  'square step tan tanh trunc'
).split(' ');
const BINARY = 'atan2 fdim fmax fmin fmod hypot lmultiply log_diff_exp log_sum_exp'.split(' ');
const COMPLEX = 'acos acosh asin asinh atan atanh conj cos cosh exp log log10 proj sin sinh sqrt tan tanh'.split(' ');

/** An expression with placeholders for its numbers: `#` and the index of a real, `@` and that of an int. */
interface Written {
  readonly text: string;
  readonly reals: readonly number[];
  readonly ints: readonly number[];
}

class Writer {
  readonly #random: Random;
  readonly reals: number[] = [];
  readonly ints: number[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  number(from: readonly number[]): string {
    return `#${this.reals.push(this.#random.pick(from)) - 1}#`;
  }

  real(depth: number): string {
    const random = this.#random;
    if (depth === 0) {
      if (random.chance(0.15)) return `@${this.ints.push(random.pick(INTS)) - 1}@`;
      return this.number(NUMBERS);
    }
    const next = (): string => this.real(depth - 1 - random.below(depth));
    return random.weighted<() => string>([
      [6, () => `(${next()} ${random.pick(['+', '-', '*', '/'])} ${next()})`],
      [1, () => `(-${next()})`],
      [1, () => `(${next()} ^ ${this.number(EXPONENTS)})`],
      [3, () => `${random.pick(UNARY)}(${next()})`],
      [2, () => `${random.pick(BINARY)}(${next()}, ${next()})`],
      [1, () => `fma(${next()}, ${next()}, ${next()})`],
      [1, () => `(${next()} < ${next()} ? ${next()} : ${next()} + 0.0)`],
      [1, () => `${random.pick(['get_real', 'get_imag', 'abs', 'arg', 'norm'])}(${this.complex(depth - 1)})`],
      [1, () => `sum([${next()}, ${next()}, ${next()}])`],
    ])();
  }

  complex(depth: number): string {
    const random = this.#random;
    if (depth === 0) return `to_complex(${this.real(0)}, ${this.real(0)})`;
    const next = (): string => this.complex(depth - 1 - random.below(depth));
    const real = (): string => this.real(random.below(2));
    return random.weighted<() => string>([
      [4, () => `(${next()} ${random.pick(['+', '-', '*', '/'])} ${next()})`],
      [1, () => `(${next()} ${random.pick(['+', '-', '*', '/'])} ${real()})`],
      [1, () => `(${real()} ${random.pick(['+', '-', '*', '/'])} ${next()})`],
      [1, () => `(-${next()})`],
      [1, () => `(${next()} ^ ${random.chance(0.5) ? real() : next()})`],
      [8, () => `${random.pick(COMPLEX)}(${next()})`],
      [1, () => `polar(${real()}, ${real()})`],
      [1, () => `to_complex(${this.real(depth - 1)}, ${this.real(depth - 1)})`],
    ])();
  }
}

function literal(x: number): string {
  if (Number.isNaN(x)) return 'not_a_number()';
  if (!Number.isFinite(x)) return x > 0 ? 'positive_infinity()' : 'negative_infinity()';
  const size = Math.abs(x);
  const digits = Number.isInteger(size) && size < 1e15 ? `${size}.0` : `${size}`;
  return x < 0 || Object.is(x, -0) ? `(-${digits})` : digits;
}

const filled = ({ text, reals, ints }: Written, isData: boolean, of: number): string =>
  text
    .replace(/#(\d+)#/g, (_, k: string) => (isData ? `x[${of + 1}, ${Number(k) + 1}]` : literal(reals[Number(k)])))
    .replace(/@(\d+)@/g, (_, k: string) => (isData ? `n[${of + 1}, ${Number(k) + 1}]` : `(${ints[Number(k)]})`));

/** Values of the expressions in transformed parameters and in generated quantities, with constants or data. */
function values(expressions: readonly Written[], type: string, isData: boolean): BigUint64Array[] {
  const assigned = (name: string): string =>
    `array[${expressions.length}] ${type} ${name};\n` +
    expressions.map((each, k) => `${name}[${k + 1}] = ${filled(each, isData, k)};\n`).join('');
  const width = (lists: readonly (readonly number[])[]): number => Math.max(1, ...lists.map((list) => list.length));
  const [reals, ints] = [expressions.map((each) => each.reals), expressions.map((each) => each.ints)];
  const padded = <T extends number>(lists: readonly (readonly T[])[]): number[][] =>
    lists.map((list) => [...list, ...new Array<number>(width(lists) - list.length).fill(0)]);
  const program = `data {
    array[${expressions.length}, ${width(reals)}] real x;
    array[${expressions.length}, ${width(ints)}] int n;
  }
  parameters { real theta; }
  transformed parameters { ${assigned('t')} }
  model { theta ~ normal(0, 1); }
  generated quantities { ${assigned('q')} }`;
  const json = (x: number): string =>
    Object.is(x, -0) ? '-0.0' : Number.isNaN(x) ? '"NaN"' : Number.isFinite(x) ? `${x}` : x > 0 ? '"Inf"' : '"-Inf"';
  const table = (rows: readonly (readonly number[])[]): string =>
    `[${rows.map((row) => `[${row.map(json).join(',')}]`).join(',')}]`;
  const model = buildModel(compileProgram(program), `{"x": ${table(padded(reals))}, "n": ${table(padded(ints))}}`);
  const outputs = { transformedParameters: true, generatedQuantities: true };
  const out = new Float64Array(model.constrainedNames(outputs).length);
  model.writeArray(new Float64Array(1), out, outputs);
  const parts = type === 'complex' ? 2 : 1;
  const bits = (from: number): BigUint64Array => {
    const part = out.slice(from, from + parts * expressions.length).map((x) => (Number.isNaN(x) ? Number.NaN : x));
    return new BigUint64Array(part.buffer);
  };
  return [bits(1), bits(1 + parts * expressions.length)];
}

function differences(type: 'real' | 'complex', count: number, seed: number): string[] {
  const random = new Random(seed);
  const expressions = Array.from({ length: count }, (): Written => {
    const writer = new Writer(random);
    const text = writer[type](1 + random.below(3));
    return { text, reals: writer.reals, ints: writer.ints };
  });
  const [constant, data] = [false, true].map((isData) => values(expressions, type, isData));
  const parts = type === 'complex' ? 2 : 1;
  const shown = (bits: BigUint64Array, k: number): string =>
    [...new Float64Array(bits.slice(parts * k, parts * (k + 1)).buffer)]
      .map((x) => (Object.is(x, -0) ? '-0' : `${x}`))
      .join(' ');
  const all = [...constant, ...data];
  return expressions.flatMap((each, k) => {
    const results = all.map((bits) => shown(bits, k));
    return new Set(results).size === 1 ? [] : [`${filled(each, false, k)}: ${results.join(' | ')}`];
  });
}

describe('constants give the bits of data', () => {
  for (const type of ['real', 'complex'] as const) {
    it(`in ${type} expressions`, () => assert.deepEqual(differences(type, 250, 48), []));
  }
});

const COSH = 1.3169578969248166; // arcosh 2
const TANH = 0.5493061443340549; // artanh 1/2
const HALF_PI = Math.PI / 2;
const THIRD_PI = Math.PI / 3;

/**
 * Values on the branch cuts, where the sign of zero selects the side (ISO C99, sections 7.3 and G.6, with signed zeros). mpmath, which has no
 * signed zeros, makes asin and acos continuous with the other quadrant on their right cut.
 */
const ON_CUTS: readonly (readonly [name: string, re: number, im: number, valueRe: number, valueIm: number])[] = [
  ['asin', 2, 0, HALF_PI, COSH],
  ['asin', 2, -0, HALF_PI, -COSH],
  ['asin', -2, 0, -HALF_PI, COSH],
  ['asin', -2, -0, -HALF_PI, -COSH],
  ['acos', 2, 0, 0, -COSH],
  ['acos', 2, -0, 0, COSH],
  ['acos', -2, 0, Math.PI, -COSH],
  ['acos', -2, -0, Math.PI, COSH],
  ['atan', 0, 2, HALF_PI, TANH],
  ['atan', -0, 2, -HALF_PI, TANH],
  ['atan', 0, -2, HALF_PI, -TANH],
  ['atan', -0, -2, -HALF_PI, -TANH],
  ['asinh', 0, 2, COSH, HALF_PI],
  ['asinh', -0, 2, -COSH, HALF_PI],
  ['asinh', 0, -2, COSH, -HALF_PI],
  ['asinh', -0, -2, -COSH, -HALF_PI],
  ['acosh', -2, 0, COSH, Math.PI],
  ['acosh', -2, -0, COSH, -Math.PI],
  ['acosh', 0.5, 0, 0, THIRD_PI],
  ['acosh', 0.5, -0, 0, -THIRD_PI],
  ['atanh', 2, 0, TANH, HALF_PI],
  ['atanh', 2, -0, TANH, -HALF_PI],
  ['atanh', -2, 0, -TANH, HALF_PI],
  ['atanh', -2, -0, -TANH, -HALF_PI],
  ['log', -1, 0, 0, Math.PI],
  ['log', -1, -0, 0, -Math.PI],
  ['sqrt', -4, 0, 0, 2],
  ['sqrt', -4, -0, 0, -2],
];

it('complex functions have the values of C99 on branch cuts, for constants and data', () => {
  const calls = ON_CUTS.map(
    ([name, re, im]): Written => ({ text: `${name}(to_complex(#0#, #1#))`, reals: [re, im], ints: [] }),
  );
  const results = [false, true].flatMap((isData) => values(calls, 'complex', isData));
  for (const bits of results) {
    const parts = new Float64Array(bits.buffer);
    for (const [k, [name, re, im, valueRe, valueIm]] of ON_CUTS.entries()) {
      const call = `${name}(${re}, ${Object.is(im, -0) ? '-0' : im})`;
      assert.ok(
        Math.abs(parts[2 * k] - valueRe) < 4e-16 * (1 + Math.abs(valueRe)),
        `${call}: real part ${parts[2 * k]}`,
      );
      assert.ok(
        Math.abs(parts[2 * k + 1] - valueIm) < 4e-16 * (1 + Math.abs(valueIm)),
        `${call}: imaginary part ${parts[2 * k + 1]}`,
      );
    }
  }
});
