import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { verifyStages } from '../../../test/support/verify-stages.js';
import { compile } from '../../compile.js';
import { printBlock } from '../../ir/print.js';
import { loadKernels } from '../../node/kernels.js';

const { library } = loadKernels();
const FORM = { propto: false, jacobian: true };

function programOf(loop: string): string {
  return `data { int N; vector[N] y; }
parameters { vector[N] b; }
model {
  vector[N] x = b + y;
  vector[N] s = 3 * x;
  ${loop}
  target += dot_product(s, y);
}`;
}

const REWRITTEN = {
  forward: 's[1] = x[1]; for (n in 2:N) s[n] = log_sum_exp(s[n - 1], x[n]);',
  'the other argument': 's[1] = x[1]; for (n in 2:N) s[n] = log_sum_exp(2 * x[n], s[n - 1]);',
  backward: 's[N] = x[N]; for (i in 1:N - 1) { int n = N - i; s[n] = log_sum_exp(s[n + 1], x[n]); }',
  'in place': 'for (n in 1:N) s[1] = log_sum_exp(s[1], x[n]);',
  'a term that reads the container':
    's[1] = x[1]; for (n in 2:N) s[n] = log_sum_exp(s[n - 1], x[n] + 0.5 * sin(s[n - 1]));',
  'inside another loop': `for (k in 1:2) { s[1] = x[k]; for (n in 2:N) s[n] = log_sum_exp(s[n - 1], k * x[n]);
    target += s[N]; }`,
};

const KEPT = {
  'of the iteration before the last': 's[1] = x[1]; for (n in 3:N) s[n] = log_sum_exp(s[n - 2], x[n]);',
  'a container that is changed elsewhere': 'for (n in 2:N) { s[n] = log_sum_exp(s[n - 1], x[n]); s[1] = x[n]; }',
  'an index of the iteration before': `int p = 1;
    for (n in 2:N) { s[n] = log_sum_exp(s[p], x[n]); p = y[n] > 0 ? n : n - 1; }`,
  'on a condition': 'for (n in 2:N) if (x[n] > 0) s[n] = log_sum_exp(s[n - 1], x[n]);',
};

function isRewritten(program: string): boolean {
  let rewritten = false;
  compile(program, library, {
    observe: ({ name, part, block }) => {
      if (part === 'log density' && name === 'runningLogSums') rewritten = printBlock(block).includes('largest');
    },
  });
  return rewritten;
}

type Evaluation = (y: readonly number[], b: readonly number[]) => readonly number[];

function evaluation(program: string, without: readonly 'runningLogSums'[] = []): Evaluation {
  const compiled = compileProgram(program, { without });
  return (y, b) => {
    const model = buildModel(compiled, JSON.stringify({ N: y.length, y }));
    const gradient = new Float64Array(model.dimension);
    return [model.logDensityGradient(Float64Array.from(b), gradient, FORM), ...gradient];
  };
}

function assertClose(found: readonly number[], expected: readonly number[]): void {
  const scale = Math.max(1, ...expected.map(Math.abs));
  for (const [k, number] of expected.entries())
    assert.ok(Math.abs(found[k] - number) <= 1e-13 * expected.length * scale, `${found} instead of ${expected}`);
}

/** Differences that are 0, as small as a rounding error, of any size, and outside the range of exp. */
const number = fc.oneof(
  fc.constantFrom(0, 1, 1 + 2 ** -52, -40, 800, -800),
  fc.double({ min: -5, max: 5, noNaN: true }),
);

describe('runningLogSums', () => {
  for (const [name, loop] of Object.entries(REWRITTEN)) {
    it(`rewrites: ${name}`, () => {
      const program = programOf(loop);
      verifyStages(program);
      assert.ok(isRewritten(program));
      const [found, expected] = [evaluation(program), evaluation(program, ['runningLogSums'])];
      fc.assert(
        fc.property(fc.array(number, { minLength: 2, maxLength: 12 }), (y) => {
          const b = y.map((_, i) => (i % 3 === 0 ? 0 : Math.sin(i)));
          assertClose(found(y, b), expected(y, b));
        }),
        { numRuns: 50, seed: 1 },
      );
    });
  }

  for (const [name, loop] of Object.entries(KEPT)) {
    it(`keeps: ${name}`, () => assert.ok(!isRewritten(programOf(loop))));
  }

  it('rewrites loops of functions that are called', () => {
    const program = `functions {
  real total(vector x, int k) {
    int N = num_elements(x);
    vector[N] s;
    s[1] = x[1];
    for (n in 2:N) s[n] = log_sum_exp(s[n - 1], x[n]);
    return k > 0 ? dot_product(s, x) + total(0.5 * x, k - 1) : s[N];
  }
}
data { int N; vector[N] y; }
parameters { vector[N] b; }
model { target += total(b + y, 3); }`;
    verifyStages(program);
    const [y, b] = [
      [0, 1, -40, 2, 3],
      [0.5, 0, 0, 1, -1],
    ];
    assertClose(evaluation(program)(y, b), evaluation(program, ['runningLogSums'])(y, b));
    let printed = '';
    compile(program, library, {
      observe: ({ name, part, block }) => {
        if (part === 'called function' && name === 'runningLogSums') printed += printBlock(block);
      },
    });
    assert.ok(printed.includes('largest'));
  });

  it('halves the derivative between equal numbers', () => {
    const program = `parameters { vector[2] b; }
model { int N = 2; vector[N] s; s[1] = b[1]; for (n in 2:N) s[n] = log_sum_exp(s[n - 1], b[n]); target += s[2]; }`;
    assertClose(evaluation(program)([], [0.25, 0.25]), [0.25 + Math.LN2, 0.5, 0.5]);
  });

  it('continues after infinite numbers, and is NaN after a NaN', () => {
    const program = `data { int N; vector[N] y; }
parameters { vector[N] b; }
model { vector[N] s; s[1] = b[1]; for (n in 2:N) s[n] = log_sum_exp(s[n - 1], b[n]); target += s[N]; }`;
    assert.ok(isRewritten(program));
    const at = (b: readonly number[]) =>
      evaluation(program)(
        b.map(() => 0),
        b,
      );
    assertClose([at([-Infinity, -Infinity, 1, -Infinity, 2])[0]], [2 + Math.log1p(Math.exp(-1))]);
    assert.equal(at([-Infinity, -Infinity])[0], -Infinity);
    assert.equal(at([1, Infinity, Infinity, 2])[0], Infinity);
    assert.ok(Number.isNaN(at([1, NaN, 3])[0]));
    assert.ok(Number.isNaN(at([NaN, 2, 3])[0]));
    assertClose(at([1.5]), [1.5, 1]);
  });
});
