import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compiler, models } from '../node/engine.js';
import { type ProfileRequest, profileProgram } from './program-profile.js';

const LIMITS = { maximumMemory: 2 ** 28 };

function profile(program: string, data: object = {}, options: Partial<ProfileRequest> = {}) {
  const request = {
    source: { program, includes: {} },
    data: JSON.stringify(data),
    seed: 1,
    evaluations: 4,
    ...options,
  };
  return profileProgram(compiler, models, request, LIMITS);
}

/** For each statement its first line and its executions. */
function executionsOf(program: string, data: object = {}): Readonly<Record<number, number>> {
  return Object.fromEntries(profile(program, data).statements.map(({ executions, line }) => [line, executions]));
}

test('loops are divided among their statements', () => {
  const program = `data { int N; int M; }
parameters { vector[N] x; }
model {
  vector[N] s;
  for (n in 1:N) {
    real c = cos(x[n]);
    for (m in 1:M) {
      c += sin(c * m);
    }
    s[n] = exp(c);
  }
  x ~ normal(0, 1);
  s ~ normal(2, 3);
}`;
  const found = executionsOf(program, { N: 30, M: 20 });
  assert.deepEqual([found[6], found[8], found[10], found[12], found[13]], [30, 600, 30, 30, 30]);
});

test('statements in branches on data are executed as often as these are taken', () => {
  const program = `data { int N; array[N] int k; vector[N] y; }
parameters { real a; real<lower=0> b; }
model {
  for (n in 1:N) {
    if (k[n] == 1)
      target += log(a^2 + exp(y[n] * b));
    else
      target += sin(a * y[n]);
  }
}`;
  const y = Array.from({ length: 40 }, (_, n) => Math.sqrt(n));
  const k = y.map((_, n) => (n % 4 === 0 ? 1 : 0));
  const found = executionsOf(program, { N: 40, k, y });
  assert.deepEqual([found[6], found[8]], [10, 30]);
});

test('a call of a function is one statement', () => {
  const program = `functions {
  real f(vector x) {
    real s = 0;
    for (n in 1:num_elements(x)) s += exp(x[n]) * s;
    return s;
  }
}
parameters { vector[9] x; }
model {
  target += f(x);
  x ~ normal(0, 1);
}`;
  const lines = profile(program).statements.map(({ line }) => line);
  assert.deepEqual(lines, [10, 11]);
});

test('shares and other time add up to the gradient', () => {
  const program = `data { int N; vector[N] x; array[N] int y; }
parameters { real a; vector[2] b; }
transformed parameters { vector[N] p = inv_logit(a + b[1] * x + b[2] * square(x)); }
model { a ~ cauchy(0, 1); b ~ normal(0, 1); y ~ bernoulli(p); }`;
  const x = Array.from({ length: 100 }, (_, n) => n / 50 - 1);
  const { evaluations, nanoseconds, other, statements } = profile(program, { N: 100, x, y: x.map((_, n) => n % 2) });
  const spent = statements.reduce((sum, each) => sum + each.nanoseconds, other.nanoseconds);
  assert.ok(Math.abs(spent - nanoseconds) <= 1e-9 * nanoseconds, `${spent} of ${nanoseconds}`);
  const shares = statements.reduce((sum, { share }) => sum + share, other.share);
  assert.ok(Math.abs(shares - 1) < 1e-9, `${shares}`);
  assert.ok(evaluations >= 4);
  for (const { share } of statements) assert.ok(share >= 0);
});

test('a statement that takes nearly all of the time has nearly all of it', () => {
  const program = `data { int N; vector[N] x; }
parameters { real<lower=0> a; real b; }
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  for (n in 1:N) target += -lgamma(a + x[n]) * sin(b * n);
}`;
  const x = Array.from({ length: 5000 }, (_, n) => 1 + Math.sqrt(n));
  const { statements } = profile(program, { N: 5000, x }, { evaluations: 20 });
  const [slowest] = [...statements].sort((one, two) => two.share - one.share);
  assert.equal(slowest?.line, 6);
  assert.equal(slowest.executions, 5000);
});

test('text of an included file names the file', () => {
  const source = {
    program: 'parameters { real x; }\nmodel {\n#include prior.stan\n}',
    includes: { 'prior.stan': 'x ~ student_t(4, 0, 1);\n' },
  };
  const { statements } = profile('', {}, { source });
  assert.deepEqual(
    statements.map(({ cost, file, line, text }) => [file, line, text, cost?.cost]),
    [
      ['string', 1, 'real x;', undefined],
      ['prior.stan', 1, 'x ~ student_t(4, 0, 1);', 'once'],
    ],
  );
});

test('what is printed is discarded, and profile blocks do not matter', () => {
  const program = `parameters { real x; }
model {
  print("x is ", x);
  profile("prior") {
    x ~ normal(0, 1);
  }
}`;
  const lines = profile(program).statements.map(({ line }) => line);
  assert.deepEqual(
    lines.filter((line) => line === 5),
    [5],
  );
});

test('a program that does not compile is refused', () => {
  assert.throws(() => profile('parameters { real x }'), /the program cannot be compiled/);
});
