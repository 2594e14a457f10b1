import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel, compileProgram } from '../../test/conformance/engine.js';

const N = 7;
const FORM = { propto: false, jacobian: true };

/**
 * A program whose log density is a weighted sum of the covariances, so that its gradient contains all derivatives. The first and the last
 * point are equal.
 */
function programOf(call: string): string {
  return `data { matrix[${N}, ${N}] w; }
parameters { array[${N - 1}] vector[2] z; real sigma; vector[2] scale; }
model {
  array[${N}] vector[2] x = append_array(z, {z[1]});
  array[${N}] real t = to_array_1d(x[, 1]);
  array[2] real scales = to_array_1d(exp(scale));
  target += sum(w .* ${call});
}`;
}

for (const name of ['gp_exp_quad_cov', 'gp_exponential_cov', 'gp_matern32_cov', 'gp_matern52_cov']) {
  for (const [points, scale] of [
    ['t', 'exp(scale[1])'],
    ['x', 'exp(scale[1])'],
    ['x', 'scales'],
  ]) {
    test(`${name} of points with themselves is that of two equal sets: ${points}, ${scale}`, () => {
      const w = Array.from({ length: N }, (_, i) => Array.from({ length: N }, (_, j) => Math.sin(i + 3 * j)));
      const [one, two] = [points, `${points}, ${points}`].map((sets) => {
        const model = buildModel(
          compileProgram(programOf(`${name}(${sets}, exp(sigma), ${scale})`)),
          JSON.stringify({ w }),
        );
        const position = Float64Array.from({ length: model.dimension }, (_, k) => Math.cos(2 * k));
        const gradient = new Float64Array(model.dimension);
        return [model.logDensityGradient(position, gradient, FORM), ...gradient];
      });
      for (const [k, value] of one.entries()) {
        assert.ok(Math.abs(value - two[k]) <= 1e-13 * Math.max(1, Math.abs(two[k])), `${k}: ${value}, not ${two[k]}`);
      }
    });
  }
}
