import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { verifyStages } from '../../../test/support/verify-stages.js';
import { compile } from '../../compile.js';
import { printBlock } from '../../ir/print.js';
import { loadKernels } from '../../node/kernels.js';

const { library } = loadKernels();
const FORM = { propto: false, jacobian: true };

function programOf(model: string): string {
  return `data { int N; int K; array[N] int<lower=0> y; array[N] real x; array[N] int g; array[N, K] int h; array[N] vector[K] v; matrix[N, K] m; }
parameters { real a; real<lower=0> s; vector[4] b; vector[K] p; }
model { for (n in 1:N) { ${model} } }`;
}

function isMerged(program: string): boolean {
  let merged = false;
  compile(program, library, {
    observe: ({ name, block }) => {
      if (name === 'mergeRows') merged = printBlock(block).includes('kernel group_rows');
    },
  });
  return merged;
}

interface Row {
  readonly y: number;
  readonly x: number;
  readonly g: number;
  readonly h: readonly number[];
}

const K = 3;

function dataOf(rows: readonly Row[]): string {
  const vectors = rows.map(({ h, x }) => h.map((bit) => bit + x));
  return JSON.stringify({
    N: rows.length,
    K,
    y: rows.map(({ y }) => y),
    x: rows.map(({ x }) => x),
    g: rows.map(({ g }) => g),
    h: rows.map(({ h }) => h),
    v: vectors,
    m: vectors,
  });
}

/** The log density from the gradient and from the unoptimized program, and the gradient. */
function evaluated(program: string, data: string): { readonly found: readonly number[]; readonly plain: number } {
  const model = buildModel(compileProgram(program), data);
  const gradient = new Float64Array(model.dimension);
  const position = Float64Array.from({ length: model.dimension }, (_, i) => 0.3 * Math.sin(1.7 * i + 0.5));
  const value = model.logDensityGradient(position, gradient, FORM);
  assert.equal(model.logDensity(position, FORM), value);
  return { found: [value, ...gradient], plain: model.unoptimizedLogDensity(position, FORM) };
}

/** Reading `target` prevents merging. */
const ORDERED = 'target += 0 * target();';

/** Compares a program with one whose iterations are not merged, and its value with that of the unoptimized program. */
function assertAgrees(program: string, expectedProgram: string, rows: readonly Row[]): void {
  const data = dataOf(rows);
  const { found, plain } = evaluated(program, data);
  const expected = evaluated(expectedProgram, data).found;
  const size = Math.max(1, ...expected.map(Math.abs));
  assert.ok(Math.abs(found[0] - plain) <= 1e-11 * size, `value ${found[0]}, as written ${plain}`);
  for (const [k, number] of found.entries()) {
    assert.ok(Math.abs(number - expected[k]) <= 1e-11 * size, `${k}: ${number}, not ${expected[k]}`);
  }
}

function assertMerged(model: string, rows: readonly Row[]): void {
  assertAgrees(programOf(model), programOf(`${model} ${ORDERED}`), rows);
}

/** Bodies of loops: terms of densities of the row's data. */
const MERGED = {
  'a density of an int and a real': 'y[n] ~ poisson_log(a + b[1] * x[n]);',
  'a gather': 'y[n] ~ neg_binomial_2(exp(b[g[n]] * x[n]), s);',
  'a local of the iteration': 'real eta = a * x[n] + b[g[n]]; y[n] ~ poisson_log(eta); target += -log1p_exp(eta) / 3;',
  'terms of data alone': 'target += lgamma(y[n] + 1.5) * x[n] - log1p_exp(a * x[n]) * y[n];',
  'an inner array': 'h[n] ~ bernoulli_logit(p + x[n]);',
  'an inner loop of unlike length':
    'real t = 0; for (k in 1:g[n]) t += b[k] * x[n]; target += -log1p_exp(t); for (k in 1:g[n]) target += exp(b[k]) / 7;',
  'a local array': 'vector[K] t; for (k in 1:K) t[k] = p[k] * v[n][k]; target += log_sum_exp(t);',
  'rows of a matrix': 'target += -log1p_exp(m[n] * p + a);',
  'numbers that the iteration computes from data':
    'int c = 0; for (k in 1:K) c += h[n, k]; real z = square(x[n]) + c; target += lbeta(s + c, s + z);',
  'conditions on data': 'if (g[n] > 2) y[n] ~ poisson(exp(a)); else target += -exp(a * x[n]);',
  'conditions on parameters': 'if (a * x[n] > 0.01) target += -exp(a * x[n]); else target += exp(a);',
  'one term with a constant of each': 'target += student_t_lpdf(x[n] | 4, a, s);',
} as const;

const EXCLUDED = {
  'an index of a parameter': 'target += -exp(b[1 + (n - 1) % 4] * n);',
  'reading target': 'target += target() * 1e-9 - exp(a * x[n]);',
  printing: 'print(x[n]); target += -exp(a * x[n]);',
} as const;

const ROW: fc.Arbitrary<Row> = fc.record({
  y: fc.integer({ min: 0, max: 2 }),
  x: fc.constantFrom(0, -0, 0.5, -1.25, 3),
  g: fc.integer({ min: 1, max: 4 }),
  h: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: K, maxLength: K }),
});

/** Some rows, and others that repeat them. */
const ROWS = fc
  .tuple(fc.array(ROW, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(), { maxLength: 40 }))
  .map(([different, places]) => [...different, ...places.map((k) => different[k % different.length])]);

describe('iterations that read the same data run once', () => {
  for (const [name, model] of Object.entries(MERGED)) {
    it(name, () => {
      assert.ok(isMerged(programOf(model)));
      verifyStages(programOf(model));
      fc.assert(
        fc.property(ROWS, (rows) => assertMerged(model, rows)),
        { numRuns: 6, seed: 32 },
      );
    });
  }
});

test('loops of two such terms, chosen at random', () => {
  const body = fc.constantFrom(...Object.values(MERGED));
  fc.assert(
    fc.property(body, body, ROWS, (one, two, rows) => assertMerged(`{ ${one} } { ${two} }`, rows)),
    { numRuns: 25, seed: 33 },
  );
});

/** Statements over all rows, with the product of a data matrix and a vector, and the same for one row in a loop. */
const PRODUCTS = {
  'a vectorized statement': ['b_y ~ bernoulli_logit(a + m * p);', 'b_y[n] ~ bernoulli_logit(a + m[n] * p);'],
  bernoulli_logit_glm: ['b_y ~ bernoulli_logit_glm(m, a, p);', 'b_y[n] ~ bernoulli_logit(a + m[n] * p);'],
  'poisson_log_glm with an intercept per group': [
    'y ~ poisson_log_glm(m, b[g], p);',
    'y[n] ~ poisson_log(b[g[n]] + m[n] * p);',
  ],
  binomial_logit_glm: ['b_y ~ binomial_logit_glm(2, m, a, p);', 'b_y[n] ~ binomial_logit(2, a + m[n] * p);'],
  'a loop that reads a product': [
    'vector[N] eta = m * p; for (n in 1:N) y[n] ~ poisson_log(eta[n] + b[g[n]]);',
    'y[n] ~ poisson_log(b[g[n]] + m[n] * p);',
  ],
  neg_binomial_2_log_glm: ['y ~ neg_binomial_2_log_glm(m, a, p, s);', 'y[n] ~ neg_binomial_2_log(a + m[n] * p, s);'],
} as const;

function productsProgram(model: string): string {
  return programOf('')
    .replace('parameters', 'transformed data { array[N] int b_y; for (n in 1:N) b_y[n] = y[n] > 0; }\nparameters')
    .replace('for (n in 1:N) {  }', model);
}

/** The block before and after the pass. */
function aroundMerging(program: string): { readonly before: string; readonly after: string } {
  let [before, after] = ['', ''];
  compile(program, library, {
    observe: ({ name, block }) => {
      if (name === 'mergeRows') after = printBlock(block);
      else if (after === '') before = printBlock(block);
    },
  });
  return { before, after };
}

describe('rows of a matrix of data that a product reads', () => {
  for (const [name, [vectorized, row]] of Object.entries(PRODUCTS)) {
    const program = productsProgram(vectorized);
    it(name, () => {
      const { before, after } = aroundMerging(program);
      assert.ok(!before.includes('group_rows') && after.includes('kernel group_rows'));
      assert.match(before, /^kernel gemv\(&product, &m, &position\.2, N, /m);
      assert.match(after, /^ {2}kernel gemv\(&product, &m(\.\d+)?, &position\.2, count, /m);
      assert.match(
        after,
        /^\} else \{\n {2}allocate real product\.3\[N\]\n {2}kernel gemv\(&product\.3, &m(\.\d+)?, &position\.2, N, /m,
      );
      verifyStages(program);
      const expectedProgram = productsProgram(`for (n in 1:N) { ${row} ${ORDERED} }`);
      fc.assert(
        fc.property(ROWS, (rows) => assertAgrees(program, expectedProgram, rows)),
        { numRuns: 8, seed: 34 },
      );
    });
  }

  it('remain if other statements read the product or rows are cheap', () => {
    for (const model of ['vector[N] eta = m * p; y ~ poisson_log(eta); target += sum(eta);', 'x ~ normal(m * p, s);']) {
      assert.ok(!isMerged(productsProgram(model)), model);
    }
  });
});

/** Nested loops over all rows and the columns of h, v and m. */
const NESTS = {
  'data of both indexes': 'for (n in 1:N) for (k in 1:K) h[n, k] ~ bernoulli_logit(a * m[n, k]);',
  'one index as well': 'for (n in 1:N) for (k in 1:K) h[n, k] ~ bernoulli_logit(a + p[k]);',
  'powers of what data count': 'for (k in 1:K) { for (n in 1:N) h[n, k] ~ bernoulli(inv_logit(a) ^ (1 + y[n])); }',
  'three loops': 'for (k in 2:K) for (j in 1:K) for (n in 1:N) target += -log1p_exp(a * m[n, k] + p[j]) * y[n];',
  'loops that do not run': 'for (n in 1:N) for (k in 2:K - 2) h[n, k] ~ bernoulli_logit(a * m[n, k]);',
} as const;

function nestProgram(nest: string): string {
  return programOf('').replace('for (n in 1:N) {  }', nest);
}

describe('nested loops over a rectangle are one loop over rows', () => {
  for (const [name, nest] of Object.entries(NESTS)) {
    it(name, () => {
      const program = nestProgram(nest);
      const { before, after } = aroundMerging(program);
      assert.match(before, /^for [\s\S]*^ {2}for /m);
      assert.match(after, /^ {4}\w+(\.\d+)? = \(rows\[\S+\] rem extent/m);
      verifyStages(program);
      const expectedProgram = nestProgram(`${nest} ${ORDERED}`.replace(/for \(n in 1:N\)/, `$& if (target() < 1e300)`));
      assert.ok(!isMerged(expectedProgram));
      fc.assert(
        fc.property(ROWS, (rows) => assertAgrees(program, expectedProgram, rows)),
        { numRuns: 8, seed: 35 },
      );
    });
  }

  it('remain nested if no two rows are equal or the loops do not span a rectangle', () => {
    for (const nest of [
      'for (n in 1:N) for (k in 1:K) target += -h[n, k] * log1p_exp(p[k] + b[1 + n % 4] * n);',
      'for (n in 1:N) for (k in n:K) target += -exp(a * m[n, k]) * n;',
      'for (n in 1:N) for (k in 1:g[n]) target += -exp(a * k) * n;',
    ]) {
      const { after } = aroundMerging(nestProgram(nest));
      assert.doesNotMatch(after, / rem extent/, nest);
    }
  });

  it('fail at the first row in loop order', () => {
    const program = nestProgram(
      'for (n in 1:N) for (k in 1:K) { if (m[n, k] * a > 1e6) reject("row ", n, ", ", k); y[n] ~ poisson(exp(a * m[n, k])); }',
    );
    assert.match(aroundMerging(program).after, / rem extent/);
    const rows = [ALIKE, ALIKE, { ...ALIKE, x: 2e9 }, { ...ALIKE, x: 1e9 }, ALIKE, { ...ALIKE, x: 1e9 }];
    const bad = rows.map((row, n) => ({ ...row, h: n === 3 ? [0, 1, 0] : [1, 0, 1] }));
    const model = buildModel(compileProgram(program), dataOf(bad));
    const position = new Float64Array(model.dimension).fill(0.1);
    assert.throws(() => model.logDensityGradient(position, new Float64Array(model.dimension), FORM), /^.*row 3, 1/);
  });
});

describe('iterations are not merged', () => {
  for (const [name, model] of Object.entries(EXCLUDED)) {
    it(name, () => assert.ok(!isMerged(programOf(model))));
  }
});

const ALIKE: Row = { y: 1, x: 0.5, g: 2, h: [0, 1, 1] };

test('a merged row fails like the first equal row', () => {
  const program = programOf('if (x[n] * a > 1e6) reject("row ", n); y[n] ~ poisson(exp(a * x[n]));');
  assert.ok(isMerged(program));
  const rows = [ALIKE, { ...ALIKE, x: 1e9 }, ALIKE, { ...ALIKE, x: 1e9 }, { ...ALIKE, x: 2e9 }, ALIKE, ALIKE, ALIKE];
  const model = buildModel(compileProgram(program), dataOf(rows));
  const position = new Float64Array(model.dimension).fill(0.1);
  assert.throws(() => model.logDensityGradient(position, new Float64Array(model.dimension), FORM), /^.*row 2/);
});

test('0 and -0 are different rows', () => {
  const rows = [0, -0, 0, -0, 0, -0, 0, -0].map((x) => ({ ...ALIKE, x }));
  assertMerged('target += atan2(x[n], -s);', rows);
});

test('checks of data name the first invalid row', () => {
  const program = programOf(
    'y[n] ~ poisson_log(a + x[n]); target += -exp(a * x[n]) * sqrt(x[n]); g[n] ~ bernoulli(s);',
  );
  const rows = [ALIKE, ALIKE, ALIKE, { ...ALIKE, g: 3 }, ALIKE, { ...ALIKE, g: 3 }];
  const ones = rows.map((row, k) => ({ ...row, g: k === 3 || k === 5 ? 3 : 1 }));
  const model = buildModel(compileProgram(program), dataOf(ones));
  const position = new Float64Array(model.dimension).fill(-0.1);
  const plain = buildModel(
    compileProgram(programOf(`y[n] ~ poisson_log(a + x[n]); g[n] ~ bernoulli(s); ${ORDERED}`)),
    dataOf(ones),
  );
  const messageOf = (evaluate: () => void): string => {
    try {
      evaluate();
    } catch (error) {
      return error instanceof Error ? error.message.split(' (in ')[0] : '';
    }
    return 'no error';
  };
  const gradient = new Float64Array(model.dimension);
  assert.equal(
    messageOf(() => model.logDensityGradient(position, gradient, FORM)),
    messageOf(() => plain.logDensityGradient(position, gradient, FORM)),
  );
});
