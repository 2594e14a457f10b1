import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../project/tree.js';
import { loadKernels, ulps } from './load.js';

const { math, linear, lanes, lanePairs, laneNames, linearNames } = loadKernels();

interface Reference {
  name: string;
  /** Arguments and, last, the value. */
  cases: number[][];
}

const references: Reference[] = read('test/kernels/reference.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** Functions whose error is measured in units in the last place; that of all others is relative. */
const withinTwoUlps = new Set(
  [
    'exp exp2 expm1 log log1p log2 log10 cbrt pow sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh hypot',
    'inv_logit log1p_exp log_inv_logit log1m_inv_logit log1m_exp erf',
  ].flatMap((names) => names.split(' ')),
);

/** Differences of nearly equal terms: the error is relative to the larger term. */
const cancelling = new Set(['log_diff_exp', 'log_sum_exp', 'lbeta', 'lchoose']);

function check(name: string, actual: number, args: number[], expected: number): void {
  const text = `${name}(${args.join(', ')}) = ${actual}, expected ${expected}`;
  if (withinTwoUlps.has(name)) assert.ok(ulps(actual, expected) <= 2, text);
  else {
    const scale = cancelling.has(name) ? Math.max(Math.abs(expected), 1) : Math.abs(expected);
    assert.ok(Math.abs(actual - expected) <= 1e-13 * scale, text);
  }
}

const inLinear = new Set(linearNames);

describe('functions agree with values computed with 60 digits', () => {
  for (const { name, cases } of references) {
    const tolerance = withinTwoUlps.has(name) ? '2 ulp' : '1e-13';
    it(`${name} within ${tolerance}`, () => {
      const f = inLinear.has(name) ? linear(name) : math(name);
      for (const row of cases) check(name, f(...row.slice(0, -1)), row.slice(0, -1), row.at(-1) ?? Number.NaN);
    });
  }
});

describe('lane functions return the bits of the scalar ones', () => {
  for (const { name, cases } of references) {
    if (!laneNames.includes(`${name}_v`)) continue;
    it(`${name}_v`, () => {
      const f = math(name);
      // neighboring cases share a pair, so that common and rare lanes meet
      cases.forEach((row, i) => {
        const first = row.slice(0, -1);
        const second = cases[(i * 7 + 3) % cases.length]?.slice(0, -1) ?? first;
        const [a, b] = lanes(`${name}_v`, first, second);
        assert.equal(ulps(a, f(...first)), 0, `${name}_v(${first})`);
        assert.equal(ulps(b, f(...second)), 0, `${name}_v(${second})`);
      });
    });
  }
});

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

it('a power from the parts of the logarithm of its base has the bits of pow', () => {
  const withParts = ([base, exponent]: readonly number[]): number[] => [
    base,
    exponent,
    math('log_high')(base),
    math('log_low')(base),
  ];
  const known = references.find(({ name }) => name === 'pow')?.cases ?? [];
  assert.ok(known.length > 50);
  const edges = [0, -0, 1, -2, 2, 0.3, 5e-324, 1e-310, 2 ** -1022, 1e300, inf, -inf, nan];
  const points = [...known, ...edges.flatMap((base) => [...edges, 1e20, -3, 0.5].map((exponent) => [base, exponent]))];
  points.forEach((point, i) => {
    const second = points[(i * 7 + 3) % points.length];
    const both = [withParts(point), withParts(second)];
    const expected = [point, second].map(([base, exponent]) => math('pow')(base, exponent));
    assert.deepEqual(math('pow_of_log')(...both[0]), expected[0]);
    assert.deepEqual(lanes('pow_of_log_v', both[0], both[1]), expected);
  });
});

it('the parts of a logarithm add up to it', () => {
  for (const x of [0, -0, 5e-324, 1e-310, 2 ** -1022, 1e-5, 0.3, 1, 7, 1e300, inf, -2, -inf, nan]) {
    const [high, low] = [math('log_high')(x), math('log_low')(x)];
    assert.equal(ulps(high + low, math('log')(x)) <= 1, true, `${high} + ${low}, not log(${x})`);
  }
});

describe('kernels of two results return the bits of the two kernels', () => {
  const arguments_ = [
    ...[
      5e-324, 1e-301, 1e-31, 1e-13, 0.01, 0.2, 0.5, 0.7, 1, 1.2, 1.4616321449683622, 1.5, 2, 2.2, 2.5, 3.5, 4.7, 5.5,
      6.3,
    ],
    ...[6.499999999999999, 6.5, 7, 12.3, 100, 1e5, 1e13, 1e31, 1e160, 1e301, inf, 0, -0.3, -2, -7.5, nan],
  ];
  const shifts = [0, 0.3, 1, 2, 3, 7, 24, 25, 80.5, 1000, 99999, 100000, 1e7, 1e31, -0.5, nan];
  const rises = arguments_.flatMap((x) => shifts.map((d) => [x, d]));
  const rows: [string, string, string, number[][]][] = [
    ['lgamma_digamma_v', 'lgamma_v', 'digamma_v', arguments_.map((x) => [x])],
    ['lgamma_digamma_rise_v', 'lgamma_rise_v', 'digamma_rise_v', rises],
    ['rise_share_digamma_v', 'rise_share_v', 'digamma_rise_v', rises],
  ];
  for (const [name, value, derivative, points] of rows) {
    it(name, () => {
      for (const [i, first] of points.entries()) {
        for (const step of [0, 1, 5, 16, 17, 33]) {
          const second = points[(i + step) % points.length];
          const [values, derivatives] = lanePairs(name, first, second);
          assert.deepEqual(values, lanes(value, first, second), `${name}(${first}; ${second})`);
          assert.deepEqual(derivatives, lanes(derivative, first, second), `${name}(${first}; ${second})`);
        }
      }
    });
  }
});

describe('special values', () => {
  const rows: [string, number[], number][] = [
    ['exp', [-inf], 0],
    ['exp', [inf], inf],
    ['exp', [710], inf],
    ['exp', [-746], 0],
    ['exp', [0], 1],
    ['expm1', [-inf], -1],
    ['expm1', [inf], inf],
    ['log', [0], -inf],
    ['log', [-1], nan],
    ['log', [inf], inf],
    ['log', [1], 0],
    ['log1p', [-1], -inf],
    ['log1p', [-2], nan],
    ['log1p', [inf], inf],
    ['log2', [8], 3],
    ['log10', [1000], 3],
    ['exp2', [-1074], 2 ** -1074],
    ['pow', [0, 0], 1],
    ['pow', [nan, 0], 1],
    ['pow', [1, nan], 1],
    ['pow', [-2, 3], -8],
    ['pow', [-8, 1 / 3], nan],
    ['pow', [0, -1], inf],
    ['pow', [-0, -1], -inf],
    ['pow', [-0, 3], -0],
    ['pow', [inf, -1], 0],
    ['pow', [-inf, 3], -inf],
    ['pow', [2, inf], inf],
    ['pow', [0.5, inf], 0],
    ['pow', [-1, inf], 1],
    ['pow', [2, 1024], inf],
    ['pow', [2, -1074], 2 ** -1074],
    ['pow', [2 ** -1074, 0.5], 2 ** -537],
    ['pow', [10, 5], 1e5],
    ['cbrt', [27], 3],
    ['cbrt', [-inf], -inf],
    ['sin', [inf], nan],
    ['cos', [0], 1],
    ['atan', [inf], Math.PI / 2],
    ['atan2', [0, -1], Math.PI],
    ['atan2', [-0, -1], -Math.PI],
    ['atan2', [1, 0], Math.PI / 2],
    ['atan2', [-inf, -inf], (-3 * Math.PI) / 4],
    ['asin', [1.5], nan],
    ['acos', [-1], Math.PI],
    ['tanh', [-inf], -1],
    ['sinh', [-inf], -inf],
    ['cosh', [-inf], inf],
    ['sinh', [710], Math.sinh(710)],
    ['asinh', [-inf], -inf],
    ['acosh', [0.5], nan],
    ['acosh', [1], 0],
    ['atanh', [1], inf],
    ['atanh', [2], nan],
    ['hypot', [inf, nan], inf],
    ['fmod', [-7, 3], -1],
    ['fmod', [5.5, -2], 1.5],
    ['inv_logit', [-inf], 0],
    ['inv_logit', [inf], 1],
    ['inv_logit', [-745], 2 ** -1074],
    ['log1p_exp', [-inf], 0],
    ['log1p_exp', [inf], inf],
    ['log_inv_logit', [-inf], -inf],
    ['log1m_exp', [0], -inf],
    ['log1m_exp', [1], nan],
    ['log1m_exp', [-inf], 0],
    ['log_diff_exp', [2, 2], -inf],
    ['log_diff_exp', [1, 2], nan],
    ['log_diff_exp', [2, -inf], 2],
    ['log_diff_exp', [-inf, -inf], -inf],
    ['log_sum_exp', [-inf, -inf], -inf],
    ['log_sum_exp', [inf, inf], inf],
    ['log_sum_exp', [-inf, 2], 2],
    ['log_sum_exp', [inf, -inf], inf],
    ['lgamma', [0], inf],
    ['lgamma', [-3], inf],
    ['lgamma', [1], 0],
    ['lgamma', [2], 0],
    ['lgamma', [inf], inf],
    ['tgamma', [0], inf],
    ['tgamma', [-1], nan],
    ['tgamma', [1], 1],
    ['tgamma', [6], 120],
    ['tgamma', [172], inf],
    ['digamma', [-1], nan],
    ['digamma', [inf], inf],
    ['trigamma', [0], inf],
    ['erf', [inf], 1],
    ['erf', [-30], -1],
    ['erfc', [-inf], 2],
    ['erfc', [30], 0],
    ['Phi', [-inf], 0],
    ['Phi', [9], 1],
    ['log_Phi', [-inf], -inf],
    ['log_Phi', [inf], 0],
    ['inv_Phi', [0], -inf],
    ['inv_Phi', [1], inf],
    ['inv_Phi', [2], nan],
    ['lbeta', [0, 1], inf],
    ['lchoose', [5, 5], 0],
    ['lmultiply', [0, 0], 0],
    ['lmultiply', [2, 1], 0],
    ['log1m', [1], -inf],
    ['Phi_approx', [0], 0.5],
  ];
  for (const [name, args, expected] of rows) {
    it(`${name}(${args.join(', ')}) = ${expected}`, () => {
      const actual = math(name)(...args);
      assert.ok(ulps(actual, expected) <= (Number.isFinite(expected) ? 1 : 0), `${actual}`);
      if (expected === 0) assert.equal(Math.abs(actual), 0);
      if (!laneNames.includes(`${name}_v`)) return;
      const ordinary = args.map(() => 0.75);
      const [a, b] = lanes(`${name}_v`, args, ordinary);
      assert.equal(ulps(a, actual), 0, `${name}_v gives ${a}`);
      assert.equal(ulps(b, math(name)(...ordinary)), 0, 'the other lane');
    });
  }
  it('NaN propagates', () => {
    const binary = new Set([
      'pow',
      'atan2',
      'hypot',
      'fmod',
      'log_diff_exp',
      'log_sum_exp',
      'lbeta',
      'lchoose',
      'lgamma_rise',
      'digamma_rise',
    ]);
    for (const { name } of references) {
      if (inLinear.has(name)) continue;
      const args = binary.has(name) ? [nan, 0.5] : [nan];
      assert.ok(Number.isNaN(math(name)(...args)), name);
      if (laneNames.includes(`${name}_v`)) assert.ok(lanes(`${name}_v`, args, args).every(Number.isNaN), `${name}_v`);
    }
  });
});
