import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { compile } from '../../compile.js';
import { loadKernels } from '../../node/kernels.js';

const { library } = loadKernels();
const DATA = JSON.stringify({ N: 9, M: 0, y: [3, 0, 7, 3, 3, 40, 0, 1, 7], T: [5, 5, 7, 5, 9, 60, 5, 5, 7], z: [] });
const FORM = { propto: false, jacobian: true };

function programOf(model: string): string {
  return `data { int N; int M; array[N] int y; array[N] int T; array[M] int z; }
parameters { real<lower=0> a; vector[N] x; }
model { ${model} }`;
}

/** The number of lists of values that the log density receives. */
function listsOf(program: string): number {
  let lists = 0;
  compile(program, library, {
    observe: ({ name, block }) => {
      if (name === 'groupIterations') lists = JSON.stringify(block, withoutParents).split('"sort_asc_int"').length - 1;
    },
  });
  return lists;
}

function withoutParents(key: string, value: unknown): unknown {
  return key === 'parent' || key === 'failure' ? undefined : value;
}

/** Log density and gradient. */
function evaluated(program: string): readonly number[] {
  const model = buildModel(compileProgram(program), DATA);
  const gradient = new Float64Array(model.dimension);
  const position = Float64Array.from({ length: model.dimension }, (_, i) => 0.1 * i - 0.3);
  return [model.logDensityGradient(position, gradient, FORM), ...gradient];
}

/** Reading `target` in the loop keeps its iterations in their order. */
const ORDERED = ' + 0 * target()';

function assertGrouped(model: string, lists: number): void {
  const program = programOf(model.replaceAll('@', ''));
  assert.equal(listsOf(program), lists);
  const plain = programOf(model.replaceAll('@', ORDERED));
  assert.equal(listsOf(plain), 0);
  const expected = evaluated(plain);
  for (const [k, value] of evaluated(program).entries()) {
    assert.ok(
      Math.abs(value - expected[k]) <= 1e-12 * Math.max(1, Math.abs(expected[k])),
      `${value}, not ${expected[k]}`,
    );
  }
}

test('terms that differ by a count are computed once per count', () => {
  assertGrouped('for (n in 1:N) target += lgamma(y[n] + a) - exp(x[n]) @;', 1);
});

test('each count of a term has its own list', () => {
  assertGrouped('for (n in 1:N) target += lgamma(y[n] + a) - lgamma(T[n] + a) + 2 * lgamma(T[n] - y[n] + a) @;', 3);
});

test('counts may select a parameter', () => {
  assertGrouped('for (n in 1:N) { int k = 1 + y[n] % 3; target += exp(x[k]) @; }', 1);
});

test('counts that the loop computes are traced to data', () => {
  assertGrouped('for (n in 1:N) { int k = T[n] - y[n]; int m = k + 1; target += log(m + a) @; }', 1);
});

test('values that the loop computes are traced to the index of a parameter', () => {
  assertGrouped(
    'for (n in 1:N) { int g = 1 + T[n] % 3; real shape = exp(x[g]); target += shape * y[n] - lgamma(shape + a) @; }',
    1,
  );
});

test('data that the same count selects do not prevent grouping', () => {
  assertGrouped('for (n in 1:N) { int g = 1 + T[n] % 3; target += log(a + exp(x[g]) + sqrt(T[g] + 0.5)) @; }', 1);
});

test('comparisons of looked-up data are traced to the count', () => {
  assertGrouped('for (n in 1:N) { int g = T[n] % 3; target += lgamma(a + (T[g + 1] * 0.5 > 3) + x[g + 2]) @; }', 1);
});

test('values that another statement of the loop needs are not computed twice', () => {
  assertGrouped('for (n in 1:N) { real rate = exp(x[1 + T[n] % 3]); target += rate * x[n] - rate @; }', 0);
});

test('indexes that are listed for a condition are not listed twice', () => {
  assertGrouped('for (n in 1:N) if (y[n] > 2) target += log(a + exp(x[n])) @;', 0);
});

test('conditions on data around the loop are kept', () => {
  assertGrouped(
    'if (M > 0) { for (n in 1:N) target += lgamma(z[n] + a) @; } else { for (n in 1:N) target += log1p(y[n] * a) @; }',
    2,
  );
});

test('values that the loop changes are not grouped', () => {
  assertGrouped('real s = a; for (n in 1:N) { target += lgamma(y[n] + s) @; s += 0.1; }', 0);
  assertGrouped('vector[N] v = x; for (n in 1:N) { v[n] *= a; target += exp(v[1 + y[n] % 3]) @; }', 0);
});

test('terms that differ in another way remain', () => {
  assertGrouped('for (n in 1:N) target += lgamma(y[n] + exp(x[n])) @;', 0);
  assertGrouped('for (n in 1:N) target += lgamma(y[n] + n * a + T[n] * a) @;', 0);
});
