import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { verifyStages } from '../../../test/support/verify-stages.js';
import { type CompileOptions, compile } from '../../compile.js';
import { printBlock } from '../../ir/print.js';
import { loadKernels } from '../../node/kernels.js';

const { library } = loadKernels();
const FORM = { propto: false, jacobian: true };

function programOf(model: string): string {
  return `data { int N; vector[N] y; vector[N] x; vector[N] w; array[N] int k; array[N] int g; array[N] int h; }
parameters { real<lower=0, upper=1> a; real b; real<lower=0> s; vector<lower=0.1>[4] r; }
model { ${model} }`;
}

/** The number of tables that the log density fills, each once. */
function tablesOf(program: string): number {
  let tables = 0;
  compile(program, library, {
    without: ['mergeRows'],
    observe: ({ name, block }) => {
      if (name === 'tabulateValues') tables = printBlock(block).match(/allocate real table/g)?.length ?? 0;
    },
  });
  return tables;
}

interface Row {
  readonly y: number;
  readonly x: number;
  readonly w: number;
  readonly k: number;
  readonly g: number;
  readonly h: number;
}

function dataOf(rows: readonly Row[]): string {
  const columns = (['y', 'x', 'w', 'k', 'g', 'h'] as const).map((name) => [name, rows.map((row) => row[name])]);
  return JSON.stringify({ N: rows.length, ...Object.fromEntries(columns) });
}

/** The log density from the gradient and from the unoptimized program, and the gradient. */
function evaluated(
  program: string,
  data: string,
  options: CompileOptions,
): { readonly found: readonly number[]; readonly plain: number } {
  const model = buildModel(compileProgram(program, options), data);
  const gradient = new Float64Array(model.dimension);
  const position = Float64Array.from({ length: model.dimension }, (_, i) => 0.3 * Math.sin(1.7 * i + 0.5));
  const value = model.logDensityGradient(position, gradient, FORM);
  assert.equal(model.logDensity(position, FORM), value);
  return { found: [value, ...gradient], plain: model.unoptimizedLogDensity(position, FORM) };
}

function assertAgrees(model: string, rows: readonly Row[]): void {
  const [program, data] = [programOf(model), dataOf(rows)];
  const { found, plain } = evaluated(program, data, {});
  const expected = evaluated(program, data, { without: ['mergeRows', 'groupIterations', 'tabulateValues'] }).found;
  const size = Math.max(1, ...expected.map(Math.abs));
  assert.ok(Math.abs(found[0] - plain) <= 1e-11 * size, `value ${found[0]}, as written ${plain}`);
  for (const [k, number] of found.entries()) {
    assert.ok(Math.abs(number - expected[k]) <= 1e-11 * size, `${k}: ${number}, not ${expected[k]}`);
  }
}

/** Statements, and their number of tables. */
const TABULATED = {
  'a power of a count': ['for (n in 1:N) target += y[n] * a ^ k[n];', 1],
  'powers of two counts': [
    'for (n in 1:N) { real p = a ^ k[n] * r[2] ^ h[n]; target += -square(y[n] - p * w[n]); }',
    2,
  ],
  'a function of a time': ['y ~ normal(b * exp(-s * x), s);', 1],
  'the same power of different bases': ['for (n in 1:N) target += y[n] * (a ^ k[n] + s ^ k[n] * w[n]);', 2],
  'a power of the parameter of a group': ['for (n in 1:N) y[n] ~ student_t(4, r[g[n]] ^ k[n], s);', 1],
  'values of a variable of the loop': [
    'for (n in 1:N) { real m = inv_Phi(a) * tgamma(s + k[n]); y[n] ~ normal(m, s); w[n] ~ normal(m, 2); }',
    1,
  ],
  'a value under a condition': [
    'for (n in 1:N) { if (w[n] > 0) target += y[n] * exp(b * x[n]); else target += w[n] * b; }',
    1,
  ],
  'a count of a row that starts later': ['for (n in 3:N) target += y[n] * lgamma(s + k[n]) * w[n];', 1],
  'loops under conditions on data': ['if (N > 4) { for (n in 1:N) target += y[n] * a ^ k[n]; } else target += b;', 1],
  'sums of groups with their own scale': ['y ~ normal(exp(b * x), r[g]);', 1],
} as const;

const KEPT = {
  'powers that differ in each row': 'for (n in 1:N) target += y[n] * a ^ n;',
  'powers of what the loop changes': 'real t = s; for (n in 1:N) { t += 0.1; target += y[n] * t ^ k[n]; }',
  'what reads target': 'for (n in 1:N) target += y[n] * exp(k[n] * 1e-9 * target());',
  'data alone': 'for (n in 1:N) target += y[n] * exp(x[n]) * b;',
  'inner loops': 'for (n in 1:N) for (j in 1:k[n]) target += y[n] * a ^ j;',
} as const;

const ROW: fc.Arbitrary<Row> = fc.record({
  y: fc.double({ min: -2, max: 2, noNaN: true }),
  x: fc.constantFrom(0, -0, 0.5, -1.25, 3),
  w: fc.double({ min: -2, max: 2, noNaN: true }),
  k: fc.integer({ min: 0, max: 5 }),
  g: fc.integer({ min: 1, max: 4 }),
  h: fc.integer({ min: 1, max: 3 }),
});

const ROWS = fc.oneof(fc.array(ROW, { maxLength: 12 }), fc.array(ROW, { minLength: 60, maxLength: 120 }));

describe('costly values are computed once for the data that they read', () => {
  for (const [name, [model, tables]] of Object.entries(TABULATED)) {
    it(name, () => {
      const program = programOf(model);
      assert.equal(tablesOf(program), tables);
      verifyStages(program);
      fc.assert(
        fc.property(ROWS, (rows) => assertAgrees(model, rows)),
        { numRuns: 8, seed: 36 },
      );
    });
  }
});

describe('values stay in the loop', () => {
  for (const [name, model] of Object.entries(KEPT)) {
    it(name, () => assert.equal(tablesOf(programOf(model)), 0));
  }
});

test('elements of a row of a matrix share one list of groups', () => {
  const program = `data { int N; array[N] int g; } parameters { matrix[4, 3] m; }
model { for (n in 1:N) target += -log1p_exp(exp(m[g[n], 1]) * cos(n) + exp(m[g[n], 2]) * sin(n)); }`;
  let lists = 0;
  compile(program, library, {
    without: ['mergeRows'],
    observe: ({ name, block }) => {
      if (name === 'tabulateValues') lists = printBlock(block).match(/kernel group_rows/g)?.length ?? 0;
    },
  });
  assert.equal(lists, 1);
});

test('programs of three such statements, chosen at random', () => {
  const statement = fc.constantFrom(...Object.values(TABULATED).map(([model]) => model), ...Object.values(KEPT));
  fc.assert(
    fc.property(fc.tuple(statement, statement, statement), ROWS, (statements, rows) =>
      assertAgrees(statements.map((text) => `{ ${text} }`).join(' '), rows),
    ),
    { numRuns: 30, seed: 37 },
  );
});

test('a check fails for the first row and with the message of the loop', () => {
  const program = programOf('for (n in 1:N) { real p = 1.5 * a ^ k[n]; h[n] ~ bernoulli(p); target += y[n] * p; }');
  assert.equal(tablesOf(program), 1);
  const rows = Array.from({ length: 40 }, (_, n) => ({ y: n / 7, x: 0, w: 1, k: n < 7 ? 3 : n % 3, g: 1, h: 1 }));
  const messages = [[], ['tabulateValues'] as const].map((without) => {
    const model = buildModel(compileProgram(program, { without }), dataOf(rows));
    const position = new Float64Array(model.dimension).fill(2);
    try {
      model.logDensityGradient(position, new Float64Array(model.dimension), FORM);
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
    return 'no error';
  });
  assert.match(messages[0], /Probability parameter is 1\.02499/);
  assert.equal(messages[0], messages[1]);
});
