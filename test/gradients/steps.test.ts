import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';

for (const [name, term] of Object.entries({
  'a vector divided': "trunc([2, -0.3, 1.2]' / x)",
  'a quotient in a loop': '0; for (n in 1:3) target += floor([2, -0.3, 1.2][n] / x)',
  'several quotients': 'trunc(-0.3 / x) + 2 / x + 3 / x + 4 / x',
})) {
  test(`a step takes the same quotients with and without its gradient: ${name}`, () => {
    const model = buildModel(compileProgram(`parameters { real x; } model { target += ${term}; }`), '{}');
    const form = { propto: false, jacobian: true };
    const at = Float64Array.of(0.1);
    assert.equal(model.logDensityGradient(at, new Float64Array(1), form), model.logDensity(at, form));
  });
}
