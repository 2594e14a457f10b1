import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../src/node/package-root.js';
import { modelsOf, readJson } from '../conformance/engine.js';

/*
 * Logarithms of probabilities that are functions of a number u, in all forms that a program may use: each way to write the probability,
 * combined with each way to pass it on and each way to use it. Expected values and derivatives were computed with 400 digits.
 */

/** u, log p, its derivative, log(1 - p), its derivative. */
type Row = readonly [u: number, log: number, dLog: number, log1m: number, dLog1m: number];

type Share = 'logistic' | 'normal' | 'cloglog' | 'gumbel' | 'exponential' | 'complement';

/** a, b, log(Phi(b) - Phi(a)), its derivatives with respect to a and b. */
type IntervalRow = readonly [a: number, b: number, log: number, byLower: number, byUpper: number];

const TRUTH = readJson<Record<Share, readonly Row[]> & { readonly intervals: readonly IntervalRow[] }>(
  join(packageRoot(import.meta.dirname), 'test/accuracy/shares.json'),
);
const TOLERANCE = 1e-11;
const FORM = { propto: false, jacobian: true };

/** How a program writes a probability as a function of the number in place of U, and the corresponding share. */
const WRITTEN: readonly (readonly [text: string, share: Share])[] = [
  ['inv_logit(U)', 'logistic'],
  ['1 - inv_logit(-U)', 'logistic'],
  ['inv(1 + exp(-U))', 'logistic'],
  ['exp(log_inv_logit(U))', 'logistic'],
  ['1 - exp(-log1p_exp(U))', 'logistic'],
  ['Phi(U)', 'normal'],
  ['1 - Phi(-U)', 'normal'],
  ['exp(std_normal_lcdf(U |))', 'normal'],
  ['inv_cloglog(U)', 'cloglog'],
  ['1 - exp(-exp(U))', 'cloglog'],
  ['-expm1(-exp(U))', 'cloglog'],
  ['exp(-exp(U))', 'gumbel'],
  ['1 - inv_cloglog(U)', 'gumbel'],
  ['exp(U)', 'exponential'],
  ['1 - (1 - exp(U))', 'exponential'],
  ['1 - exp(U)', 'complement'],
  ['-expm1(U)', 'complement'],
];

/** A use of the probability p: what it adds to `target`, and the number of log p and log(1 - p) that it contains, for each element. */
interface Use {
  readonly text: string;
  readonly log: number;
  readonly log1m: number;
  /** What else it adds. */
  readonly constant?: number;
}

const LCHOOSE_7_3 = Math.log(35);
const USES: readonly Use[] = [
  { text: 'target += log(P);', log: 1, log1m: 0 },
  { text: 'target += log1m(P);', log: 0, log1m: 1 },
  { text: 'target += log1p(-P);', log: 0, log1m: 1 },
  { text: 'target += log(1 - P);', log: 0, log1m: 1 },
  { text: 'target += log1m(1 - P);', log: 1, log1m: 0 },
  { text: 'target += log1m_exp(log(P));', log: 0, log1m: 1 },
  { text: 'target += log_diff_exp(0, log1m(P));', log: 1, log1m: 0 },
  { text: 'target += logit(P);', log: 1, log1m: -1 },
  { text: 'target += lmultiply(3, P);', log: 3, log1m: 0 },
  { text: 'real l = log(P); target += 2 * l + log1m_exp(l);', log: 2, log1m: 1 },
  { text: 'target += bernoulli_lpmf(1 | P);', log: 1, log1m: 0 },
  { text: 'zero ~ bernoulli(P);', log: 0, log1m: 1 },
  { text: '{0, 1, 1} ~ bernoulli(P);', log: 2, log1m: 1 },
  { text: 'target += binomial_lpmf(0 | 7, P);', log: 0, log1m: 7 },
  { text: 'target += binomial_lpmf(7 | 7, P);', log: 7, log1m: 0 },
  { text: 'target += binomial_lpmf(3 | 7, P);', log: 3, log1m: 4, constant: LCHOOSE_7_3 },
];

/** Uses of all probabilities, `p`, in one statement. */
const USES_OF_ALL: readonly Use[] = [
  { text: 'target += log1m(p);', log: 0, log1m: 1 },
  { text: 'target += sum(log(p));', log: 1, log1m: 0 },
  { text: 'ones ~ bernoulli(p);', log: 1, log1m: 0 },
  { text: 'zeros ~ bernoulli(p);', log: 0, log1m: 1 },
  { text: 'target += binomial_lpmf(threes | 7, p);', log: 3, log1m: 4, constant: LCHOOSE_7_3 },
];

/** How a probability is forwarded: statements that define `p`, with F(…) for the probability, and how its elements are read. */
interface Way {
  readonly name: string;
  readonly functions?: string;
  readonly transformed?: string;
  readonly model?: string;
  readonly element: string;
  readonly uses?: readonly Use[];
  /** Whether the uses are statements of a recursive function, with one call per element. */
  readonly isRecursive?: boolean;
}

const WAYS: readonly Way[] = [
  { name: 'where it is used', element: '(F(u[n]))' },
  {
    name: 'through a vector of transformed parameters',
    transformed: 'vector[N] p; for (n in 1:N) p[n] = F(u[n]);',
    element: 'p[n]',
  },
  { name: 'through a vector', model: 'vector[N] p; for (n in 1:N) p[n] = F(u[n]);', element: 'p[n]' },
  {
    name: 'as a whole vector',
    model: 'vector[N] p; for (n in 1:N) p[n] = F(u[n]);',
    element: '',
    uses: USES_OF_ALL,
  },
];

/** Ways that are tested with only some of the forms. */
const MORE_WAYS: readonly Way[] = [
  { name: 'through a copy', model: 'vector[N] q; for (n in 1:N) q[n] = F(u[n]); vector[N] p = q;', element: 'p[n]' },
  {
    name: 'through an array of one dimension',
    model: 'array[N] real p = rep_array(1, N); for (n in 1:N) p[n] = F(u[n]);',
    element: 'p[n]',
  },
  {
    name: 'through a column of a matrix',
    model: 'matrix[N, 2] p; for (n in 1:N) { p[n, 1] = F(u[n]); p[n, 2] = F(u[n]); }',
    element: 'p[n, 2]',
  },
  {
    name: 'through an array of vectors',
    model: 'array[N] vector[2] p; for (n in 1:N) { p[n, 1] = F(0.5 * u[n]); p[n, 2] = F(u[n]); }',
    element: 'p[n, 2]',
  },
  {
    name: 'through slices',
    model: 'vector[N] q; for (n in 1:N) q[n] = F(u[n]); vector[N] p; p[1:2] = q[1:2]; p[3:N] = segment(q, 3, N - 2);',
    element: 'p[n]',
  },
  {
    name: 'through a function',
    functions:
      'real own(real x) { return F(x); } vector all_of(vector x) { int M = size(x); vector[M] r; for (m in 1:M) r[m] = own(x[m]); return r; }',
    model: 'vector[N] p = all_of(u);',
    element: 'p[n]',
  },
  { name: 'where it is used, in a function that calls itself', element: '(F(u[n]))', isRecursive: true },
  {
    name: 'through a local, in a function that calls itself',
    model: 'real p = F(u[n]);',
    element: 'p',
    isRecursive: true,
  },
  {
    name: 'through a tuple',
    model: 'tuple(vector[N], real) p; for (n in 1:N) p.1[n] = F(u[n]); p.2 = 1;',
    element: 'p.1[n]',
  },
  {
    name: 'written again under a condition',
    model: 'vector[N] p; for (n in 1:N) { p[n] = F(-2); if (u[n] < 1000) p[n] = F(u[n]); else p[n] = 0; }',
    element: 'p[n]',
  },
  {
    name: 'as one of two',
    model: 'vector[N] p; for (n in 1:N) p[n] = u[n] > 1000 ? 1 : F(u[n]);',
    element: 'p[n]',
  },
  {
    name: 'carried from one iteration to the next',
    model: 'vector[N] p; real before = F(u[1]); for (n in 1:N) { p[n] = before; if (n < N) before = F(u[n + 1]); }',
    element: 'p[n]',
  },
  {
    name: 'with other readers',
    model: 'vector[N] p; for (n in 1:N) p[n] = F(u[n]); target += 0 * dot_self(p); print(p[1]);',
    element: 'p[n]',
  },
];

const FEW = ['inv_logit(U)', 'Phi(U)', 'inv_cloglog(U)', '1 - inv_cloglog(U)'];

function programOf(written: string, way: Way): string {
  const probability = (text: string): string =>
    text.replace(/F\((\S+?\]?|[^()]*)\)/g, (_, u) => written.replace('U', `(${u})`));
  const { uses = USES, functions = '', transformed = '', model = '' } = way;
  const one = (text: string): string =>
    way.uses === undefined && way.isRecursive !== true
      ? `for (n in 1:N) { ${text.replaceAll('P', probability(way.element))} }`
      : text.replaceAll('P', probability(way.element));
  const statements = `
      ${probability(model)}
      ${uses.map(({ text }, k) => `if (use == ${k}) { ${one(text)} }`).join('\n')}`;
  const recursion = `
    void each_lp(vector u, int n, int use, int zero) {
      if (n == 0) return;
      ${statements}
      each_lp(u, n - 1, use, zero);
    }`;
  return `
    functions { ${probability(functions)} ${way.isRecursive === true ? recursion : ''} }
    data { int N; int use; }
    transformed data {
      array[N] int ones = rep_array(1, N);
      array[N] int zeros = rep_array(0, N);
      array[N] int threes = rep_array(3, N);
      int zero = 0;
    }
    parameters { vector[N] u; }
    transformed parameters { ${probability(transformed)} }
    model { ${way.isRecursive === true ? 'each_lp(u, N, use, zero);' : statements} }`;
}

function isClose(found: number, expected: number, scale: number): boolean {
  return Math.abs(found - expected) <= TOLERANCE * scale || found === expected;
}

function checkUses(written: string, share: Share, way: Way): void {
  const make = modelsOf(programOf(written, way));
  const rows = TRUTH[share];
  const position = Float64Array.from(rows, ([u]) => u);
  for (const [use, { text, log, log1m, constant = 0 }] of (way.uses ?? USES).entries()) {
    const model = make({ N: rows.length, use });
    const gradient = new Float64Array(rows.length);
    const value = model.logDensityGradient(position, gradient, FORM);
    let [expected, size] = [0, 0];
    for (const [n, [u, byLog, dLog, byLog1m, dLog1m]] of rows.entries()) {
      expected += log * byLog + log1m * byLog1m + constant;
      size += Math.abs(log * byLog) + Math.abs(log1m * byLog1m);
      const slope = log * dLog + log1m * dLog1m;
      const message = `${text} at u = ${u}: derivative ${gradient[n]}, expected ${slope}`;
      assert.ok(isClose(gradient[n], slope, Math.max(Math.abs(log * dLog), Math.abs(log1m * dLog1m), 1e-300)), message);
    }
    assert.ok(isClose(value, expected, size), `${text}: value ${value}, expected ${expected}`);
  }
}

for (const way of WAYS) {
  describe(`logarithms of probabilities keep their digits ${way.name}`, () => {
    for (const [written, share] of WRITTEN) it(written, () => checkUses(written, share, way));
  });
}

for (const way of MORE_WAYS) {
  describe(`logarithms of probabilities keep their digits ${way.name}`, () => {
    for (const [written, share] of WRITTEN.filter(([text]) => FEW.includes(text))) {
      it(written, () => checkUses(written, share, way));
    }
  });
}

/** Programs that add log(Phi(b) - Phi(a)) to `target`. */
const INTERVALS: readonly (readonly [name: string, model: string])[] = [
  ['log_diff_exp of lcdfs', 'target += log_diff_exp(std_normal_lcdf(b |), std_normal_lcdf(a |));'],
  ['log_diff_exp of lccdfs', 'target += log_diff_exp(normal_lccdf(a | 0, 1), normal_lccdf(b | 0, 1));'],
  ['log of a difference', 'target += log(Phi(b) - Phi(a));'],
  ['log of a difference of complements', 'real p = 1 - Phi(a); real q = 1 - Phi(b); target += log(p - q);'],
  ['a truncated normal', 'target += normal_lpdf(0.5 * (a + b) | 0, 1) * 2; 0.5 * (a + b) ~ normal(0, 1) T[a, b];'],
  ['ordered_probit', "target += ordered_probit_lpmf(2 | 0, [a, b]');"],
];

describe('probabilities of normal intervals keep their digits', () => {
  for (const [name, model] of INTERVALS) {
    it(name, () => {
      const found = modelsOf(`parameters { real a; real b; } model { ${model} }`)({});
      for (const [a, b, log, byLower, byUpper] of TRUTH.intervals) {
        const isTruncated = name === 'a truncated normal';
        const middle = 0.5 * (a + b);
        // the density is subtracted again, so that only the probability of the interval remains
        const density = isTruncated ? 3 * (-0.5 * middle * middle - 0.5 * Math.log(2 * Math.PI)) : 0;
        const slope = isTruncated ? -1.5 * middle : 0;
        const sign = isTruncated ? -1 : 1;
        const gradient = new Float64Array(2);
        const value = found.logDensityGradient(Float64Array.of(a, b), gradient, FORM);
        const at = `at (${a}, ${b})`;
        assert.ok(
          isClose(value, density + sign * log, Math.abs(log) + Math.abs(density)),
          `${at}: ${value} for ${log}`,
        );
        for (const [k, expected] of [byLower, byUpper].entries()) {
          const scale = Math.abs(expected) + Math.abs(slope) + 1e-300;
          assert.ok(
            isClose(gradient[k], slope + sign * expected, scale),
            `${at}: derivative ${gradient[k]}, ${expected}`,
          );
        }
      }
    });
  }
});
