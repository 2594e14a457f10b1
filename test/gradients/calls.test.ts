import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkGradientOf, checkHessian, checkSame } from './agreement.js';
import { PROGRAMS } from './programs.js';

const ALL = { transformedParameters: true, generatedQuantities: true };

const withFunctions = Object.entries(PROGRAMS).filter(([, program]) => /functions\s*\{/.test(program));

for (const [name, program] of withFunctions) {
  test(`called functions agree with inlined ones: ${name}`, () => {
    const called = buildModel(compileProgram(program, { callsAll: true }), '{}');
    checkGradientOf(called);
    checkSame(called, buildModel(compileProgram(program), '{}'));
    checkHessian(compileProgram(program, { callsAll: true, secondDerivatives: true }));
  });
}

/** The output and values of a program at a position, and the message with which it stops. */
function outcome(program: string, callsAll: boolean, position: readonly number[]): readonly string[] {
  const lines: string[] = [];
  const printed = (text: string): void => {
    lines.push(text);
  };
  const model = buildModel(compileProgram(program, { callsAll }), '{}', 1, printed);
  const out = new Float64Array(model.constrainedNames(ALL).length);
  model.seedRandom(3, 1);
  try {
    model.writeArray(Float64Array.from(position), out, ALL);
    lines.push([...out].join(' '));
  } catch (error) {
    assert.ok(error instanceof Error);
    lines.push(error.message);
  }
  return lines;
}

const LEVELS = `
functions {
  array[] int positions(array[] int x, int at) {
    array[size(x)] int found = rep_array(0, size(x));
    for (i in 1:size(x)) if (x[i] == at) found[i] = i;
    return found;
  }
  vector shifted(vector x, real by) {
    if (by > 2) reject("too far: ", by);
    print("shifted by ", by, " of ", x);
    vector[rows(x)] y = x + by;
    return y[:rows(x)];
  }
  tuple(vector, real) both_rng(vector x, real by) {
    vector[rows(x)] y = shifted(shifted(x, by), by / 2);
    return (y, y[1] + normal_rng(0, 1));
  }
  void show(vector x, int n) {
    if (n > rows(x)) return;
    print(x[n]);
    show(x, n + 1);
  }
}
transformed data {
  array[3] int found = positions({4, 5, 4}, 4);
  vector[3] start = shifted([1, 2, 3]', 0.5);
}
parameters { vector[3] u; }
transformed parameters { vector[3] v = shifted(u, u[1]); }
model { v ~ normal(start, 1); }
generated quantities {
  tuple(vector[3], real) b = both_rng(v, u[2]);
  real last = both_rng(b.1, u[3]).1[found[3]];
  show(v, 1);
}`;

describe('called functions in every block', () => {
  it('have the same output and values as inlined ones', () => {
    const inlined = outcome(LEVELS, false, [0.1, 0.2, 0.3]);
    assert.equal(inlined.length, 10);
    assert.deepEqual(outcome(LEVELS, true, [0.1, 0.2, 0.3]), inlined);
  });

  it('stop with the same message and locations', () => {
    const inlined = outcome(LEVELS, false, [0.1, 5, 0.3]);
    assert.match(inlined.at(-1) ?? '', /too far: 5/);
    assert.deepEqual(outcome(LEVELS, true, [0.1, 5, 0.3]), inlined);
  });
});
