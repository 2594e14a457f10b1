import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel, compileProgram } from '../../test/conformance/engine.js';
import type { PassName } from './passes.js';

/*
 * If checks of several rows fail, the message is that of the first check that fails in program order, even if passes have reordered rows.
 * The unoptimized density runs in program order.
 */

const DATA = JSON.stringify({
  N: 6,
  z: [0, 1, 0, 1, 1, 0],
  k: [1, 2, 3, 2, 1, 3],
  s: [1, -1, -2, 1, -1, -2],
  y: [1, 2, 3, 4, 2, 3],
});
const FORM = { propto: false, jacobian: true };

function programOf(body: string): string {
  return `data { int N; array[N] int z; array[N] int k; vector[N] s; vector[N] y; } parameters { real a; } model { ${body} }`;
}

function failureOf(evaluate: () => number): string {
  let message = '';
  assert.throws(evaluate, ({ message: text }: Error) => {
    message = text;
    return true;
  });
  return message;
}

for (const [name, passes, body, expected] of [
  [
    'arguments of densities in sorted iterations',
    ['partitionIterations'],
    'for (n in 1:N) if (z[n] == 0) y[n] ~ normal(a, s[n] + 0 * a); else y[n] ~ student_t(3, a, s[n] + 0 * a);',
    'student_t_lpdf: Scale parameter is -1',
  ],
  [
    'rejections in sorted iterations',
    ['partitionIterations'],
    'for (n in 1:N) if (z[n] == 0) { if (s[n] < a) reject("zero ", n); target += a; } else { if (s[n] < a) reject("one ", n); target += exp(a) * y[n]; }',
    'one 2',
  ],
  [
    'checks of data in sorted iterations',
    ['partitionIterations', 'hoistData'],
    'for (n in 1:N) if (z[n] == 0) y[n] ~ normal(a, s[n]); else y[n] ~ student_t(3, a, s[n]);',
    'student_t_lpdf: Scale parameter is -1',
  ],
  [
    'equal rows',
    ['mergeRows'],
    'for (n in 1:N) { if (k[n] * a > 0.8) reject("high ", n); target += lgamma(k[n] * a); if (k[n] * a > 0.5) reject("medium ", n); target += exp(k[n] * a); }',
    'medium 2',
  ],
  [
    'terms that are grouped by an integer',
    ['groupIterations'],
    'for (n in 1:N) { target += poisson_lpmf(k[n] | a * (3 - k[n])) + lgamma(a + k[n]); if (n * a > 0.5) reject("row ", n); }',
    'row 2',
  ],
  [
    'loops that might be fused',
    [],
    'vector[N] mu; for (n in 1:N) { if (y[n] * a > 0.8) reject("first ", n); mu[n] = exp(y[n] * a); } for (n in 1:N) { if (mu[n] > 1) reject("second ", n); target += mu[n] * a; }',
    'first 3',
  ],
  [
    'iterations in lanes',
    [],
    'for (n in 1:N) { if (y[n] * a > 0.5) reject("row ", n); target += exp(y[n] * a); }',
    'row 2',
  ],
] as const) {
  test(`the first failure in the order of the program is reported: ${name}`, () => {
    const changed = new Set<PassName | string>();
    const program = compileProgram(programOf(body), {
      observe: ({ name: pass, before, block }) => {
        if (before !== block) changed.add(pass);
      },
    });
    for (const pass of passes) assert.ok(changed.has(pass), `${pass} changes nothing`);
    const model = buildModel(program, DATA);
    const position = Float64Array.of(0.3);
    const inOrder = failureOf(() => model.unoptimizedLogDensity(position, FORM));
    assert.ok(inOrder.includes(expected), inOrder);
    assert.equal(
      failureOf(() => model.logDensityGradient(position, new Float64Array(1), FORM)),
      inOrder,
    );
    assert.equal(
      failureOf(() => model.logDensity(position, FORM)),
      inOrder,
    );
  });
}
