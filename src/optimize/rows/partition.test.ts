import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { verifyStages } from '../../../test/support/verify-stages.js';
import { compile } from '../../compile.js';
import { loadKernels } from '../../node/kernels.js';

const { library } = loadKernels();
const N = 5;
const DATA = JSON.stringify({ N, cap: 1, y: [0, 1, 0, 0, 2], v: Array.from({ length: N }, (_, n) => [n, 1, n * n]) });

function programOf(body: string): string {
  return `data { int N; int cap; array[N] int y; array[N] vector[3] v; }
transformed data { tuple(int, vector[3]) pair = (N, v[2]); }
parameters { vector[3] x; }
model { for (n in 1:N) { ${body} } }`;
}

/** Whether lists of iterations were made for the program. */
function isPartitioned(program: string): boolean {
  let partitioned = false;
  compile(program, library, {
    observe: ({ name, before, block }) => {
      if (name === 'partitionIterations') partitioned = block !== before;
    },
  });
  return partitioned;
}

/** Log density and gradient. */
function evaluated(program: string): readonly number[] {
  verifyStages(program);
  const model = buildModel(compileProgram(program), DATA);
  const gradient = new Float64Array(model.dimension);
  const form = { propto: false, jacobian: true };
  return [model.logDensityGradient(Float64Array.of(0.3, -0.2, 0.9), gradient, form), ...gradient];
}

for (const [name, sorted, plain] of [
  [
    'a condition',
    'if (y[n] == 0) target += x[1]; else target += x[2] * y[n];',
    'target += y[n] == 0 ? x[1] : x[2] * y[n];',
  ],
  [
    'a condition with a number that nothing else reads',
    'if (y[n] >= cap) target += x[1]; else target += x[2] * x[1];',
    'target += (y[n] >= cap) * x[1] + (y[n] < cap) * x[2] * x[1];',
  ],
  [
    'data of which parts are read in that loop alone',
    'if (y[n] == 0) target += exp(x[1]) * sum(tail(pair.2, 1 + n %/% 2)); else target += dot_product(head(v[n], 2), x[:2]);',
    'target += (y[n] == 0) * exp(x[1]) * sum(tail(pair.2, 1 + n %/% 2)) + (y[n] != 0) * dot_product(head(v[n], 2), x[:2]);',
  ],
  [
    'a term chosen by a condition, one of whose choices is costly',
    'target += bernoulli_lpmf(y[n] > 0 | inv_cloglog(x[1] * n + x[2]));',
    'target += (y[n] > 0) * log1m_exp(-exp(x[1] * n + x[2])) - (y[n] == 0) * exp(x[1] * n + x[2]);',
  ],
] as const) {
  test(`iterations sorted by a condition on data have the same density and gradient as in order: ${name}`, () => {
    const [program, other] = [programOf(sorted), programOf(plain)];
    assert.ok(isPartitioned(program));
    assert.ok(!isPartitioned(other));
    const expected = evaluated(other);
    for (const [k, value] of evaluated(program).entries())
      assert.ok(Math.abs(value - expected[k]) < 1e-12, `${k}: ${value}, ${expected[k]}`);
  });
}
