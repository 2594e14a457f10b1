import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../src/node/package-root.js';
import { compileProgram, modelsOf, readJson } from '../conformance/engine.js';

/*
 * Regressions whose rows are summed once per data set, for covariates that are far from 0 or nearly collinear: values and gradients agree
 * with those computed with 50 digits to 1e-11 or to the error of summing rows in doubles, whichever is larger.
 */

/** A data set, created by the same steps as in record/statistics.py, and the log density and its gradient at a position. */
interface Case {
  readonly seed: number;
  readonly rows: number;
  readonly mean: number;
  readonly noise: number;
  readonly apart: number;
  readonly scaled: boolean;
  readonly slopes: readonly number[];
  readonly position: readonly number[];
  readonly truth: readonly number[];
  /** Relative errors of value and gradient if rows are summed in doubles. */
  readonly errors: readonly number[];
}

const CASES = readJson<readonly Case[]>(join(packageRoot(import.meta.dirname), 'test/accuracy/statistics.json'));
const FORM = { propto: false, jacobian: true };
const TOLERANCE = 1e-11;

const DATA = 'data { int N; int K; matrix[N, K] X; vector[N] y; vector[N] s; vector[3] ones; array[N] int g; }';
const PARAMETERS = 'parameters { vector[K] b; real sigma; }';

/** The same log density, with or without known scales. */
const WRITTEN: Readonly<Record<string, { readonly scaled: boolean; readonly model: string }>> = {
  'a product of a matrix and a vector': { scaled: false, model: 'y ~ normal(X * b, sigma);' },
  'a product and a written column': {
    scaled: false,
    model: 'y ~ normal(X[, 2:K] * b[2:K] + b[1], sigma);',
  },
  'a generalized linear model': { scaled: false, model: 'y ~ normal_id_glm(X[, 2:K], b[1], b[2:K], sigma);' },
};

/** By the number of columns, if each column is written separately. */
const COLUMNS: Readonly<
  Record<string, (columns: readonly string[]) => { readonly scaled: boolean; readonly model: string }>
> = {
  'written columns': (columns) => ({ scaled: false, model: `y ~ normal(${columns.join(' + ')}, sigma);` }),
  'a loop over rows': (columns) => ({
    scaled: false,
    model: `for (n in 1:N) {
      real mu = ${columns.map((column) => column.replace('[,', '[n,')).join(' + ')};
      target += normal_lpdf(y[n] | mu, sigma);
    }`,
  }),
  'columns by group': ([intercept, ...columns]) => ({
    scaled: false,
    model: `vector[3] a = b[1] * ones;
    y ~ normal(${[intercept.replace('b[1]', 'a[g]').replace('*', '.*'), ...columns].join(' + ')}, sigma);`,
  }),
  'slopes by group': ([intercept, slope, ...columns]) => ({
    scaled: true,
    model: `vector[3] a = b[2] * ones;
    target += -0.5 * sum(square((y - (${[intercept, slope.replace('b[2]', 'a[g]').replace('*', '.*'), ...columns].join(' + ')})) ./ (sigma * s)));
    target += -N * log(sigma) - sum(log(s)) - N * 0.5 * log(2 * pi());`,
  }),
  'known scales': (columns) => ({
    scaled: true,
    model: `target += -0.5 * sum(square((y - (${columns.join(' + ')})) ./ (sigma * s)));
    target += -N * log(sigma) - sum(log(s)) - N * 0.5 * log(2 * pi());`,
  }),
};

function programOf(model: string): string {
  return `${DATA}\n${PARAMETERS}\nmodel {\n${model}\n}`;
}

function* uniform(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    yield state / 2 ** 32 - 0.5;
  }
}

function dataOf({ seed, rows, mean, noise, apart, scaled, slopes }: Case): {
  readonly N: number;
  readonly K: number;
  readonly X: number[][];
  readonly y: number[];
  readonly s: number[];
  readonly ones: number[];
  readonly g: number[];
} {
  const numbers = uniform(seed);
  const next = (): number => numbers.next().value;
  const [X, y, s]: [number[][], number[], number[]] = [[], [], []];
  for (let n = 0; n < rows; n++) {
    const row = [1, mean + next()];
    for (let k = 2; k < slopes.length; k++) row.push(row[k - 1] + apart * next());
    X.push(row);
    y.push(row.reduce((sum, x, k) => sum + slopes[k] * x, 0) + noise * next());
    s.push(scaled ? 0.75 + next() : 1);
  }
  return { N: rows, K: slopes.length, X, y, s, ones: [1, 1, 1], g: y.map((_, n) => 1 + ((n * n) % 3)) };
}

/** For such data, loops by group run over the rows, whose errors depend on the order of their operations. */
const BY_ORDER = 1.1;

function check(program: string, scaled: boolean, width: number | null): void {
  const model = modelsOf(program);
  const worst: string[] = [];
  for (const known of CASES) {
    if (known.scaled !== scaled || (width !== null && known.slopes.length !== width)) continue;
    const instance = model(dataOf(known));
    const position = Float64Array.from(known.position);
    const gradient = new Float64Array(position.length);
    const value = instance.logDensityGradient(position, gradient, FORM);
    assert.equal(instance.logDensity(position, FORM), value);
    [value, ...gradient].forEach((found, i) => {
      const expected = known.truth[i];
      const error = Math.abs((found - expected) / expected);
      if (error <= Math.max(TOLERANCE, BY_ORDER * known.errors[i])) return;
      const name = i === 0 ? 'value' : `gradient ${i - 1}`;
      worst.push(`seed ${known.seed}: ${name} is ${found}, not ${expected}; of rows ${known.errors[i]}, not ${error}`);
    });
  }
  assert.deepEqual(worst, []);
}

/** Whether the program's sums are computed once per data set. */
function isSummed(program: string): boolean {
  let text = false;
  compileProgram(program, {
    observe: ({ name, block }) => {
      if (name === 'sufficientStatistics') text = /"(residual|group)_form"/.test(JSON.stringify(block));
    },
  });
  return text;
}

describe('sums over rows are as accurate as loops over the rows', () => {
  for (const [name, { scaled, model }] of Object.entries(WRITTEN)) {
    it(name, () => {
      assert.ok(isSummed(programOf(model)));
      check(programOf(model), scaled, null);
    });
  }
  for (const [name, write] of Object.entries(COLUMNS)) {
    for (const width of [2, 3, 4]) {
      it(`${name}, ${width}`, () => {
        const columns = Array.from({ length: width }, (_, k) => `b[${k + 1}] * X[, ${k + 1}]`);
        const { scaled, model } = write(columns);
        assert.ok(isSummed(programOf(model)));
        check(programOf(model), scaled, width);
      });
    }
  }
});
