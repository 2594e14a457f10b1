import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { verifyStages } from '../../../test/support/verify-stages.js';
import { compile } from '../../compile.js';
import { printBlock } from '../../ir/print.js';
import { loadKernels } from '../../node/kernels.js';

const { library } = loadKernels();
const FORM = { propto: false, jacobian: true };
const [N, M] = [6, 4];
const DATA = JSON.stringify({
  N,
  M,
  g: [1, 3, 2, 3, 1, 2],
  x: [0.5, -1, 2, 0.25, 3, -0.75],
  y: Array.from({ length: N }, (_, n) => Array.from({ length: M }, (_, m) => (n * m) % 2)),
});

function programOf(model: string): string {
  return `data { int N; int M; array[N] int g; vector[N] x; array[N, M] int y; }
parameters { real<lower=0> s; vector[3] a; vector[N] b; }
model { ${model} }`;
}

/** Whether the container `mu` has been removed from the log density. */
function isForwarded(program: string): boolean {
  let forwarded = false;
  compile(program, library, {
    observe: ({ name, before }) => {
      if (name === 'partitionIterations' && before !== null)
        forwarded = !printBlock(before).includes('allocate real mu');
    },
  });
  return forwarded;
}

function evaluated(program: string): readonly number[] {
  verifyStages(program);
  const model = buildModel(compileProgram(program), DATA);
  const gradient = new Float64Array(model.dimension);
  const position = Float64Array.from({ length: model.dimension }, (_, i) => 0.3 * Math.sin(1.7 * i + 0.5));
  const value = model.logDensityGradient(position, gradient, FORM);
  const plain = model.unoptimizedLogDensity(position, FORM);
  assert.ok(Math.abs(value - plain) <= 1e-12 * Math.max(1, Math.abs(plain)), `${value}, as written ${plain}`);
  return [value, ...gradient];
}

/** A sum of the container's elements that is opaque to the compiler: the container is an argument of a kernel. */
const WHOLE = 'target += 0 * sum(sort_asc(mu));';
const WHOLE_MATRIX = 'target += 0 * sum(sort_asc(to_vector(mu)));';

const FORWARDED = {
  'read in the same iteration': [
    'vector[N] mu; for (n in 1:N) { mu[n] = a[g[n]]; target += normal_lpdf(x[n] | mu[n], s); }',
    WHOLE,
  ],
  'read by a vectorized statement': [
    'vector[N] mu; for (n in 1:N) { real e = exp(b[n]); mu[n] = a[g[n]] * x[n] - e; } x ~ normal(mu, s);',
    WHOLE,
  ],
  'read in a part of the range': [
    'vector[N] mu; for (n in 1:N) mu[n] = a[g[n]] * x[n]; for (k in 2:N) target += -exp(mu[k]);',
    WHOLE,
  ],
  'filled through another container': [
    'vector[N] t; vector[N] mu; for (n in 1:N) t[n] = a[g[n]]; for (n in 1:N) mu[n] = t[n] + b[n]; target += -exp(mu);',
    WHOLE,
  ],
  'a matrix': [
    `matrix[N, M] mu; for (n in 1:N) { for (m in 1:M) mu[n, m] = b[n] * m + s; }
for (n in 1:N) { for (m in 1:M) y[n, m] ~ bernoulli_logit(mu[n, m]); }`,
    WHOLE_MATRIX,
  ],
  'a row that a matrix repeats, by data': [
    "matrix[M, N] mu = rep_matrix(b', M); for (n in 1:N) x[n] ~ normal(mu[1 + y[n, 2], g[n]], s);",
    WHOLE_MATRIX,
  ],
  'a column that a matrix repeats, read three times': [
    `matrix[N, M] mu = rep_matrix(b, M); for (n in 1:N) {
  target += -exp(mu[n, g[n]]); if (g[n] > 1) target += x[n] * mu[g[n], g[n]]; x[n] ~ normal(mu[n, 1 + y[n, 2]], 2);
}`,
    WHOLE_MATRIX,
  ],
  'a matrix that depends on the elements of another row by row': [
    `matrix[N, M] c; matrix[N, M] mu; for (n in 1:N) {
  c[n, 1] = 0; for (m in 2:M) c[n, m] = c[n, m - 1] + y[n, m - 1];
  for (m in 1:M) mu[n, m] = b[n] + a[1] * c[n, m];
} for (n in 1:N) { for (m in 1:M) y[n, m] ~ bernoulli_logit(mu[n, m]); }`,
    WHOLE_MATRIX,
  ],
} as const;

const KEPT = {
  'read before it is written': [
    'vector[N] mu = b; for (n in 1:(N - 1)) { mu[n + 1] = a[g[n]] + mu[n]; } target += -exp(mu);',
    '',
  ],
  'read outside of what is filled': [
    'vector[N] mu = rep_vector(0, N); for (n in 2:N) mu[n] = b[n]; for (n in 1:N) target += -exp(mu[n]);',
    '',
  ],
  'read by data, which may be outside of what is filled': [
    'vector[N] mu; for (k in 2:N) mu[k] = b[k]; for (n in 1:N) if (g[n] > 1) target += -exp(mu[g[n]]) * x[n];',
    '',
  ],
  'a copy of what changes, read by data': [
    `vector[N] t = b; matrix[M, N] mu; for (i in 1:M) { for (k in 1:N) mu[i, k] = t[k]; } t[g[2]] = s;
for (n in 1:N) target += -exp(mu[1 + y[n, 2], g[n]]) * x[n] * t[g[n]];`,
    '',
  ],
  'a sum that is read by data': [
    'vector[N] mu; for (k in 1:N) mu[k] = b[k] + s; for (n in 1:N) target += -exp(mu[g[n]]) * x[n];',
    '',
  ],
  'elements of several columns, read by their number': [
    `matrix[M, N] mu = rep_matrix(b', M); vector[2 * M] t = to_vector(mu[ : , g[1]:2]);
for (n in 1:N) target += -exp(t[g[n] + 1]) * x[n];`,
    '',
  ],
  'what it depends on changes': [
    'real t = s; vector[N] mu; for (n in 1:N) { mu[n] = t * b[n]; } if (a[1] > 0) t = a[1]; for (n in 1:N) target += -exp(mu[n]) * t;',
    '',
  ],
  'what it depends on is written in a later iteration': [
    'vector[N + 1] t = rep_vector(0.5, N + 1); vector[N] mu; for (n in 1:N) { t[n] = b[n]; mu[n] = t[n + 1] * s; } for (n in 1:N) target += -exp(mu[n] + t[n]);',
    '',
  ],
  'a value that each iteration overwrites': [
    'vector[2] mu; for (n in 1:N) { mu[1 + n %/% 4] = b[n]; } for (k in 1:2) target += -exp(mu[k]) * k; for (k in 1:2) target += mu[k];',
    '',
  ],
  'a costly value that is read twice': [
    'vector[N] mu; for (n in 1:N) { mu[n] = exp(b[n]); } for (n in 1:N) target += -mu[n] * x[n]; for (n in 1:N) target += -square(mu[n]);',
    '',
  ],
} as const;

describe('an element that a loop writes is replaced by its value', () => {
  for (const [name, [model, whole]] of Object.entries(FORWARDED)) {
    it(name, () => {
      assert.ok(isForwarded(programOf(model)));
      const [found, expected] = [evaluated(programOf(model)), evaluated(programOf(model + whole))];
      assert.ok(!isForwarded(programOf(model + whole)));
      for (const [k, value] of found.entries()) {
        assert.ok(
          Math.abs(value - expected[k]) <= 1e-12 * Math.max(1, Math.abs(expected[k])),
          `${k}: ${value}, ${expected[k]}`,
        );
      }
    });
  }
});

describe('a container remains', () => {
  for (const [name, [model]] of Object.entries(KEPT)) {
    it(name, () => {
      assert.ok(!isForwarded(programOf(model)));
      evaluated(programOf(model));
    });
  }
});
