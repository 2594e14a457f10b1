import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseStanData } from '../formats/stan-json.js';
import { RecordingSink } from '../inference/testing/recording-sink.js';
import type { BoundData } from '../model/bind.js';
import { compiler, models } from '../node/engine.js';
import type { CompiledModel } from './model-host.js';
import { runFunction } from './run-function.js';

const LIMITS = { maximumMemory: 2 ** 30 };
const ROWS = 140_000;
const DATA = JSON.stringify({ N: ROWS, y: Array.from({ length: ROWS }, (_, n) => Math.sin(n)) });
const PROGRAM = `data { int N; vector[N] y; } parameters { vector[3] m; }
  model { m ~ normal(0, 1); for (n in 1:N) target += 1e-4 * student_t_lpdf(y[n] | 4, m[1 + n % 3], 1); }
  generated quantities { real r = normal_rng(m[1], 1); }`;

function compiledModel(): CompiledModel {
  const compiled = compiler.compile({ program: PROGRAM, includes: {} });
  assert.ok(compiled.compiled);
  const wasm = new Uint8Array(compiled.wasm);
  return { id: 'm', artifact: compiled.artifact, module: new WebAssembly.Module(wasm), wasm };
}

function boundOf(model: CompiledModel): BoundData {
  const bound = models.instantiate(model, parseStanData(DATA), { seed: 3, print: () => {}, ...LIMITS }).bound?.();
  assert.ok(bound?.shared !== undefined);
  return bound;
}

function drawsOf(model: CompiledModel, data: string | BoundData, chain: number): RecordingSink {
  const sink = new RecordingSink();
  const request = {
    model,
    data,
    inputs: {},
    limits: LIMITS,
    arguments: { num_warmup: 30, num_samples: 10, max_depth: 5 },
    seed: 3,
    chain,
    index: chain - 1,
  };
  const outcome = runFunction(models, 'hmc_nuts_diag_e_adapt', request, { open: () => sink });
  assert.equal(outcome.kind, 'finished', JSON.stringify(outcome));
  return sink;
}

describe('chains on shared data', () => {
  it('make the same draws as with their own data, at any address', () => {
    const model = compiledModel();
    const bound = boundOf(model);
    const { shared } = bound;
    assert.ok(shared !== undefined);
    const units = shared.taken.length;
    const expected = drawsOf(model, DATA, 1);
    for (const free of [0, units / 2, units - 1]) {
      shared.taken.fill(1);
      shared.taken[free] = 0;
      const { draws, diagnostics } = drawsOf(model, bound, 1);
      assert.deepEqual(draws, expected.draws);
      assert.deepEqual(diagnostics, expected.diagnostics);
      // The model has released its region.
      assert.equal(shared.taken[free], 0);
    }
    shared.taken.fill(1);
    assert.deepEqual(drawsOf(model, bound, 1).draws, expected.draws);
  });

  it('do not start from data that another seed has bound', () => {
    const model = compiledModel();
    const bound = boundOf(model);
    assert.throws(() => drawsOf(model, { ...bound, seed: 4 }, 1), /bound with another seed/);
    assert.ok(bound.shared?.taken.every((taken) => taken === 0));
  });
});
