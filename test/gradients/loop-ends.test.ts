import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';

const FORM = { propto: false, jacobian: true };
const MOST = 2 ** 31 - 1;

/** The three forms of the log density at 0.5, and its gradient, of a model with one parameter. */
function evaluate(program: string, data: string): { values: readonly number[]; slope: number } {
  const model = buildModel(compileProgram(program), data);
  const at = Float64Array.of(0.5);
  const gradient = new Float64Array(1);
  const value = model.logDensityGradient(at, gradient, FORM);
  return { values: [value, model.logDensity(at, FORM), model.unoptimizedLogDensity(at, FORM)], slope: gradient[0] };
}

const BODIES: Readonly<Record<string, string>> = {
  'iterations side by side': 'for (i in a:b) target += i * exp(x);',
  'a sum in a local': 'real s = 0; for (i in a:b) s += x * i + log1p_exp(x); target += s;',
  'a recurrence': 'real y = x; for (i in a:b) y = sin(y) + 1.0 / i; target += y;',
  'values saved by iteration':
    'real y = x; for (i in a:b) { real z = exp(y * x); y = z / (1 + z) + y / i; } target += y;',
  'a condition on data': 'for (i in a:b) if (i % 3 == 0) target += x * i; else target += square(x);',
  'a condition that leaves the loop': 'for (i in a:b) { target += x * sqrt(i); if (i - a == 5) break; }',
  'costly data': 'for (i in a:b) target += x * lgamma(sqrt(i));',
  'counts of data': 'for (i in a:b) target += lgamma(x + i % 7);',
};

describe('a loop up to the largest int', () => {
  for (const [what, body] of Object.entries(BODIES)) {
    for (const iterations of [1, 2, 5, 8]) {
      it(`runs as often as its iterations written out: ${what}, ${iterations}`, () => {
        const first = MOST - iterations + 1;
        const head = 'data { int a; int b; } parameters { real x; } model {';
        const list = Array.from({ length: iterations }, (_, k) => `a + ${k}`).join(', ');
        const written = body.replace('a:b)', `{${list}})`);
        const data = JSON.stringify({ a: first, b: MOST });
        const expected = evaluate(`${head} ${written} }`, data);
        const constant = body.replace('a:b)', `${first}:${MOST})`);
        for (const text of [body, constant]) {
          const found = evaluate(`${head} ${text} }`, data);
          for (const value of found.values) {
            assert.ok(Math.abs(value / expected.values[2] - 1) < 1e-11, `${value}, not ${expected.values[2]}`);
          }
          assert.ok(Math.abs(found.slope / expected.slope - 1) < 1e-11, `${found.slope}, not ${expected.slope}`);
        }
      });
    }
  }

  it("from 1 ends at the program's break", () => {
    const program = `parameters { real x; }
model { for (i in 1:${MOST}) { target += x; if (i == 5) break; } }`;
    assert.deepEqual(evaluate(program, '{}'), { values: [2.5, 2.5, 2.5], slope: 5 });
  });

  it('runs no iteration if it begins after it', () => {
    const program = 'data { int a; int b; } parameters { real x; } model { for (i in a:b) target += x * lgamma(i); }';
    assert.deepEqual(evaluate(program, `{"a": ${MOST}, "b": ${MOST - 1}}`), { values: [0, 0, 0], slope: 0 });
    assert.deepEqual(evaluate(program, `{"a": 3, "b": ${-MOST}}`), { values: [0, 0, 0], slope: 0 });
  });
});
