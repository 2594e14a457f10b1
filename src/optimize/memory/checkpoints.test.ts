import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';

const FORM = { propto: true, jacobian: true };

const GARCH = `data { int N; vector[N] y; }
parameters { real m; real<lower=0> w; real<lower=0, upper=1> a; real<lower=0, upper=1 - a> b; }
model {
  real s = 1;
  for (n in 2:N) {
    s = sqrt(w + a * square(y[n - 1] - m) + b * square(s));
    y[n] ~ normal(m, s);
  }
}`;

/** A local level model whose filter saves four values in each iteration. */
const LEVEL = `data { int N; vector[N] y; }
parameters { real<lower=0> q; real<lower=0> r; real start; }
model {
  real level = start;
  real variance = 1;
  for (n in 1:N) {
    variance += q;
    real gain = variance / (variance + r);
    y[n] ~ normal(level, sqrt(variance + r));
    if (y[n] < 0.9) {
      level += gain * (y[n] - level);
      variance *= 1 - gain;
    }
  }
}`;

function dataOf(rows: number): string {
  return JSON.stringify({ N: rows, y: Array.from({ length: rows }, (_, n) => Math.sin(1.7 * n)) });
}

/** The value, the gradient, and the size of the model in bytes. */
function evaluate(program: string, rows: number, without: readonly 'checkpointLoops'[]) {
  const model = buildModel(compileProgram(program, { without }), dataOf(rows));
  const gradient = new Float64Array(model.dimension);
  const value = model.logDensityGradient(new Float64Array(model.dimension).fill(0.1), gradient, FORM);
  return { numbers: [value, ...gradient], bytes: model.memoryBytes };
}

test('checkpointLoops: values and gradients are bit-identical, also at the start of another block', () => {
  for (const [program, most, least] of [
    [GARCH, 32768, 1024],
    [LEVEL, 8192, 256],
  ] as const) {
    for (const iterations of [0, 1, 2, most, most + 1, most + least - 1, most + least, most + least + 1]) {
      const { numbers } = evaluate(program, iterations + 1, []);
      assert.deepEqual(numbers, evaluate(program, iterations + 1, ['checkpointLoops']).numbers, `${iterations}`);
    }
  }
});

test('checkpointLoops: the memory of a recurrence over 400,000 rows is that of the data', () => {
  const rows = 400_000;
  const bound = 8 * rows + 2 ** 20;
  for (const program of [GARCH, LEVEL]) {
    assert.ok(evaluate(program, rows, []).bytes <= bound);
    assert.ok(evaluate(program, rows, ['checkpointLoops']).bytes > 1.5 * bound);
  }
});

test('checkpointLoops: the reverse sweep repeats neither kernels, nor reads of containers that change, nor short loops', () => {
  const programs = [
    ['a recurrence', 's = a * s * s + y[n];', true],
    ['a kernel', 's = sin(a * s) + y[n];', false],
    ['a container that changes', 's = a * s * s + v[n % 3 + 1]; v[n % 2 + 1] = s;', false],
    ['a value of one iteration', 's = a * y[n] * y[n];', false],
  ] as const;
  const isSplit = (statement: string, range: string): boolean => {
    let hasChanged = false;
    const program = `data { int N; vector[N] y; }
parameters { real a; }
model { real s = a; vector[N] v = y; for (n in ${range}) { ${statement} target += s; } }`;
    compileProgram(program, {
      observe: ({ name, before, block }) => {
        if (name === 'checkpointLoops' && before !== block) hasChanged = true;
      },
    });
    return hasChanged;
  };
  for (const [name, statement, expected] of programs) assert.equal(isSplit(statement, '1:N'), expected, name);
  assert.equal(isSplit(programs[0][1], '1:100'), false);
});
