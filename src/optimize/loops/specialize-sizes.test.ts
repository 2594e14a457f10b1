import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileProgram, modelsOf } from '../../../test/conformance/engine.js';
import type { CompileOptions } from '../../compile.js';
import { printBlock } from '../../ir/print.js';

const FORM = { propto: false, jacobian: true };

/** Loops over rows whose iterations compute with vectors t, of `n` elements if the size differs between rows, otherwise of K. */
const LOOPS: Readonly<Record<string, (steps: string, term: string) => string>> = {
  'a size of each row': (steps, term) => `for (n in 1:N) {
    vector[size[n]] t = theta * x[n] - segment(beta, from[n], size[n]);
    ${steps}
    target += ${term};
  }`,
  'one size': (steps, term) => `for (n in 1:N) {
    vector[K] t;
    for (k in 1:K) t[k] = beta[k] * x[n] + theta * k;
    ${steps}
    target += ${term};
  }`,
  'loops around': (steps, term) => `for (m in 1:2) for (n in 1:N) {
    vector[K] t = rep_vector(theta * m, K);
    for (k in 1:K) t[k] += beta[k] * x[n];
    ${steps}
    target += ${term};
  }`,
  'a function': () => 'for (n in 1:N) target += called(y[n], x[n], beta[1:K], theta);',
};

const STEPS = [
  't = softmax(cumulative_sum(t));',
  't = cumulative_sum(append_row(t, rep_vector(0.5, 1)))[1:size(t)];',
  't = log_softmax(t);',
  't = exp(0.1 * t);',
  'for (k in 2:size(t)) t[k] += 0.5 * t[k - 1];',
  't = t ./ (1 + square(t));',
];
const TERMS = ['t[y[n]]', 'log_sum_exp(t)', 't[y[n]] - log_sum_exp(t)', 'max(t) * t[y[n]]', '-dot_self(t)'];

function programOf(loop: string): string {
  return `functions {
  real called(int y, real x, vector b, real theta) {
    vector[size(b) + 1] unsummed = append_row(rep_vector(0.0, 1), theta * x - b);
    vector[size(b) + 1] probs = softmax(cumulative_sum(unsummed));
    return categorical_lpmf(y | probs);
  }
}
data { int N; int K; array[N] int y; array[N] int from; array[N] int size; vector[N] x; }
parameters { vector[9] beta; real theta; }
model {
  ${loop}
}`;
}

const DISTANCES = `for (n in 1:N) {
    real sum = 0;
    for (k in 1:K) sum += square(beta[k] - theta * x[n]);
    target += log1p_exp(theta - sqrt(sum));
  }`;

/** Rows with K elements, or with 1 to 7 where K is 0. */
function dataOf(K: number): Readonly<Record<string, number | readonly number[]>> {
  const rows = Array.from({ length: 13 }, (_, n) => n);
  return {
    N: rows.length,
    K: Math.max(K, 1),
    y: rows.map((n) => 1 + ((n * n) % Math.max(K, 1))),
    from: rows.map((n) => 1 + (n % 2)),
    size: rows.map((n) => (K === 0 ? 1 + (n % 7) : K)),
    x: rows.map((n) => Math.sin(3 * n)),
  };
}

/** The log density before and after loops are copied; the latter is empty if no loop is copied. */
function textsOf(program: string): { readonly before: string; readonly after: string } {
  let before = '';
  let after = '';
  const options: CompileOptions = {
    observe: ({ name, block, part }) => {
      if (name === 'specializeSizes') after += printBlock(block);
      else if (part === 'log density' && after === '') before = printBlock(block);
    },
  };
  compileProgram(program, options);
  return { before, after };
}

/** Whether the loop has copies for three elements, or for another number. */
function isSpecialized(program: string, size = 3): boolean {
  return new RegExp(`if \\S+ == ${size} `).test(textsOf(program).after);
}

function check(program: string): void {
  const model = modelsOf(program);
  for (let K = 0; K <= 6; K++) {
    const instance = model(dataOf(K));
    const gradient = new Float64Array(10);
    for (const shift of [0, 0.7]) {
      const position = Float64Array.from({ length: 10 }, (_, k) => Math.cos(2 * k + K + shift));
      const value = instance.logDensityGradient(position, gradient, FORM);
      const written = (at: Float64Array): number => instance.unoptimizedLogDensity(at, FORM);
      assert.ok(Math.abs(value - written(position)) <= 1e-12 * Math.abs(value), `K = ${K}: ${value}`);
      assert.equal(instance.logDensity(position, FORM), value);
      for (const [k, slope] of gradient.entries()) {
        const at = (distance: number): number => written(position.map((own, i) => (i === k ? own + distance : own)));
        const h = 1e-3;
        const expected = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        assert.ok(
          Math.abs(slope - expected) <= 1e-7 * (1 + Math.abs(value)),
          `K = ${K}: gradient ${k} is ${slope}, not ${expected}`,
        );
      }
    }
  }
}

describe('loops over small containers have copies by size', () => {
  for (const [name, loop] of Object.entries(LOOPS)) {
    it(name, () => {
      const program = programOf(loop(STEPS[0], TERMS[0]));
      assert.ok(isSpecialized(program));
      check(program);
    });
  }
  it('random steps', () => {
    const steps = fc.array(fc.constantFrom(...STEPS), { maxLength: 3 });
    const program = fc
      .tuple(fc.constantFrom(...Object.values(LOOPS).slice(0, 3)), steps, fc.constantFrom(...TERMS))
      .map(([loop, own, term]) => programOf(loop(own.join('\n    '), term)));
    fc.assert(fc.property(program, check), { numRuns: 12, seed: 5 });
  });
  it('distances of points with two or three coordinates', () => {
    const program = programOf(DISTANCES);
    assert.deepEqual(
      [2, 3, 4, 5].filter((size) => isSpecialized(program, size)),
      [2, 3],
    );
    check(program);
    const { before, after } = textsOf(program);
    assert.equal(
      before.slice(before.lastIndexOf('for n in')),
      `for n in 1 .. N + 1 {
    sum.2 = 0.0
    for k.4 in 1 .. K + 1 {
      check k.4 <= 9 else "vector[uni] indexing: accessing element out of range. index {0} out of range; {1:range}", k.4, 9
      sum.2 = sum.2 + ((position[k.4 + -1] - (theta * x[n + -1])) * (position[k.4 + -1] - (theta * x[n + -1])))
    }
    target += log1p_exp(theta - sqrt(sum.2))
  }
}`,
    );
    assert.equal(
      after.slice(after.lastIndexOf('if K == 2'), after.lastIndexOf('if K == 3')),
      `if K == 2 {
    for n in 1 .. N + 1 {
      sum.4 = 0.0
      for k.6 in 1 .. 2 + 1 {
        sum.4 = sum.4 + ((position[k.6 + -1] - (theta * x[n + -1])) * (position[k.6 + -1] - (theta * x[n + -1])))
      }
      target += log1p_exp(theta - sqrt(sum.4))
    }
  } else {
    `,
    );
  });
  it('not if terms of sums are costly, or if nothing costly reads the sum', () => {
    const withoutSum = DISTANCES.replace('log1p_exp(theta - sqrt(sum))', 'log1p_exp(theta) - sqrt(sum)');
    assert.equal(isSpecialized(programOf(withoutSum)), false);
    assert.equal(isSpecialized(programOf(DISTANCES.replace('square', 'exp'))), false);
    assert.equal(isSpecialized(programOf(DISTANCES.replace('log1p_exp', 'square'))), false);
  });
  it('of the largest sizes unless their code is long', () => {
    const copied = (functions: number): number[] => {
      const step = `for (k in 1:K) t[k] = ${'log1p(exp('.repeat(functions)}t[k]${'))'.repeat(functions)};`;
      const program = programOf(LOOPS['one size'](step, 'log_sum_exp(t)'));
      return [2, 3, 4, 5].filter((size) => isSpecialized(program, size));
    };
    assert.deepEqual(copied(0), [2, 3, 4, 5]);
    assert.deepEqual(copied(1), [2, 3, 4]);
    assert.deepEqual(copied(9), []);
  });
  it('not in recurrences', () => {
    const loop = `vector[K] state = beta[1:K];
  for (n in 1:N) {
    vector[K] t = state * x[n];
    state = t / (1 + dot_self(t));
    target += log_sum_exp(t);
  }`;
    assert.equal(isSpecialized(programOf(loop)), false);
  });
  it('not if sizes depend on two numbers', () => {
    const loop = `for (n in 1:N) {
    vector[K] t = beta[1:K] * x[n];
    vector[size[n]] s = segment(beta, from[n], size[n]);
    target += log_sum_exp(t) + log_sum_exp(s);
  }`;
    assert.equal(isSpecialized(programOf(loop)), false);
  });
});
