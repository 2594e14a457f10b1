import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseStanData } from '../formats/stan-json.js';
import { hmcAlgorithms } from '../inference/algorithms/hmc/hmc.js';
import { RecordingSink } from '../inference/testing/recording-sink.js';
import { runForTest } from '../inference/testing/run.js';
import { compiler, models } from '../node/engine.js';
import { ModelTarget } from './target.js';

/** A block that keeps a density out of the kernel's memory and changes nothing else. */
const TALK = 'generated quantities { if (x[1] > 1e300) print("far"); }';

const PROGRAMS = [
  { name: 'an odd number of parameters', text: 'parameters { vector[3] x; } model { x ~ std_normal(); }' },
  {
    name: 'rejections',
    text: 'parameters { vector[3] x; } model { if (x[2] > 0.5) reject("too far"); x ~ std_normal(); }',
  },
  {
    name: 'memory that grows with a parameter',
    text: `parameters { vector[3] x; }
      model {
        int n = 10;
        if (x[1] > 0.5) n = 20000;
        vector[n] y = rep_vector(x[2], n) .* rep_vector(x[3], n);
        y[1] = x[1];
        for (k in 2:n) y[k] = 0.999 * y[k - 1] + 1e-4 * square(y[k]);
        y[n] ~ std_normal();
        x ~ std_normal();
      }`,
  },
];

function chainOf(text: string, algorithmName: string) {
  const compiled = compiler.compile({ program: text, includes: {} });
  assert.ok(compiled.compiled, compiled.compiled ? '' : compiled.text);
  const options = { seed: 1, print: () => {}, maximumMemory: 2 ** 28 };
  const module = new WebAssembly.Module(new Uint8Array(compiled.wasm));
  const model = models.instantiate({ artifact: compiled.artifact, module }, parseStanData('{}'), options);
  const target = new ModelTarget(models, model, [], 1, 1);
  const algorithm = hmcAlgorithms.find(({ name }) => name === algorithmName);
  assert.ok(algorithm);
  const sink = new RecordingSink();
  const settings = { num_warmup: 20, num_samples: 20, stepsize: 0.5, init_radius: 0.1 };
  const { outcome } = runForTest(algorithm, target, settings, { sink });
  assert.equal(outcome.status, 'completed');
  return { target, sink };
}

describe('a density resident in the memory of phase space', () => {
  for (const { name, text } of PROGRAMS) {
    for (const algorithm of ['hmc_nuts_diag_e', 'hmc_nuts_dense_e', 'hmc_static_diag_e']) {
      it(`produces the chain that it produces elsewhere: ${name}, ${algorithm}`, () => {
        const inside = chainOf(text, algorithm);
        const outside = chainOf(`${text}\n${TALK}`, algorithm);
        assert.ok(inside.target.resident !== undefined && outside.target.resident === undefined);
        assert.deepEqual(inside.sink.draws, outside.sink.draws);
        assert.deepEqual(inside.sink.diagnostics, outside.sink.diagnostics);
        assert.deepEqual(inside.sink.lines, outside.sink.lines);
        assert.equal(inside.target.gradients, outside.target.gradients);
      });
    }
  }
});
