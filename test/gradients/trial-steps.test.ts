import assert from 'node:assert/strict';
import { it } from 'node:test';
import { instantiate } from '../../src/model/model.js';
import { loadKernels } from '../../src/node/kernels.js';
import { compileProgram } from '../conformance/engine.js';

const PROGRAM = `functions {
  vector slope(real t, vector y, real k) {
    vector[20] fast;
    for (i in 1 : 20) fast[i] = -1e6 * k * (y[i] - cos(t));
    return fast;
  }
}
parameters { real k; }
model {
  target += sum(ode_ckrk_tol(slope, rep_vector(0, 20), 0, {1}, 1e-6, 1e-6, 4000, k)[1]);
}`;

it('trial steps of a solver leave no memory behind in a gradient, so that the limit of steps is reached before that of memory', () => {
  const { artifact, wasm } = compileProgram(PROGRAM);
  const linear = new WebAssembly.Module(loadKernels().linear);
  const model = instantiate(
    artifact,
    new WebAssembly.Module(wasm),
    linear,
    {},
    {
      seed: 1,
      print: () => {},
      maximumMemory: 2 ** 26,
    },
  );
  assert.throws(
    () => model.logDensityGradient(Float64Array.of(1), new Float64Array(1), { propto: false, jacobian: true }),
    /Failed to integrate to next output time \(1\) in less than max_num_steps steps/,
  );
});
