import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecordingSink } from '../inference/testing/recording-sink.js';
import { compiler, models } from '../node/engine.js';
import type { RunBlock } from './request.js';
import { runFunction } from './run-function.js';

const SAMPLER = 'stan::services::sample::hmc_nuts_diag_e_adapt';

it('a block of a chain returns its times with those of all blocks before it', () => {
  const compilation = compiler.compile({ program: 'parameters { real x; } model { x ~ std_normal(); }', includes: {} });
  if (!compilation.compiled) return assert.fail(compilation.text);
  const { artifact, wasm } = compilation;
  const model = { id: 'normal', artifact, module: new WebAssembly.Module(new Uint8Array(wasm)) };
  const runBlock = (block: RunBlock) => {
    const request = { data: '{}', inputs: {}, limits: { maximumMemory: 1 << 28 }, seed: 1, chain: 1, index: 0 };
    const settings = { num_warmup: 50, num_samples: 10 };
    const sink = { open: () => new RecordingSink() };
    const outcome = runFunction(models, SAMPLER, { ...request, model, arguments: settings, block }, sink);
    return outcome.kind === 'finished' ? outcome : assert.fail(outcome.kind);
  };
  const first = runBlock({ limit: 20, done: 0 });
  assert.ok(first.seconds !== undefined && first.state !== undefined);
  const before = { warmup: 1000, sampling: 2000 };
  const second = runBlock({ limit: 20, done: 10, from: first.state, seconds: before });
  assert.equal(second.seconds?.warmup, before.warmup);
  assert.ok(second.seconds.sampling >= before.sampling);
});
