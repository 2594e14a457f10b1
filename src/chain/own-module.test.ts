import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compiler as leapfrog } from '../node/engine.js';
import type { CompilationOptions, Compiler, ProgramSource } from './compiler.js';
import { withOwnModule } from './own-module.js';
import type { RunRequest } from './request.js';

const SCHOOLS: ProgramSource = {
  program: 'parameters { real mu; vector[2] theta; } model { mu ~ std_normal(); theta ~ normal(mu, 1); }',
  includes: {},
};
const RECOMMENDED = 'leapfrog::services::sample::recommended';
const HMC = 'stan::services::sample::hmc_nuts_diag_e_adapt';

/** A compiler that records the options of its calls. */
function recording(): { readonly compiler: Compiler; readonly calls: (CompilationOptions | undefined)[] } {
  const calls: (CompilationOptions | undefined)[] = [];
  const compile: Compiler['compile'] = (source, options) => {
    calls.push(options);
    return leapfrog.compile(source, options);
  };
  return { compiler: { ...leapfrog, compile }, calls };
}

function requestOf(chain: number, source = SCHOOLS): RunRequest {
  const compilation = leapfrog.compile(source);
  if (!compilation.compiled) return assert.fail(compilation.text);
  const wasm = new Uint8Array(compilation.wasm);
  const model = { id: 'schools', artifact: compilation.artifact, module: new WebAssembly.Module(wasm), wasm };
  return {
    model,
    source,
    data: '{}',
    inputs: {},
    arguments: {},
    limits: { maximumMemory: 1 << 28 },
    seed: 1,
    chain,
    index: chain - 1,
  };
}

test('the chains of a fit share the module that their function needs', () => {
  const { compiler, calls } = recording();
  const [first, second] = [1, 2].map((chain) => withOwnModule(compiler, RECOMMENDED, requestOf(chain)));
  assert.deepEqual(calls, [{ reparameterizes: true, integratesEffects: true }]);
  assert.equal(second.model.module, first.model.module);
  assert.equal(second.chain, 2);
});

test('another program or other options have another module', () => {
  const { compiler, calls } = recording();
  const first = withOwnModule(compiler, RECOMMENDED, requestOf(1));
  const other = { ...SCHOOLS, program: SCHOOLS.program.replace('1)', '2)') };
  const second = withOwnModule(compiler, RECOMMENDED, requestOf(1, other));
  const third = withOwnModule(compiler, HMC, { ...requestOf(1, other), arguments: { integrate: 'auto' } });
  const both = { reparameterizes: true, integratesEffects: true };
  assert.deepEqual(calls, [both, both, { integrates: true }]);
  assert.equal(new Set([first, second, third].map(({ model }) => model.module)).size, 3);
});

test('a function that needs no module of its own keeps the stored one', () => {
  const { compiler, calls } = recording();
  const request = requestOf(1);
  assert.equal(withOwnModule(compiler, HMC, request), request);
  assert.deepEqual(calls, []);
});
