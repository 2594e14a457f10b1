import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CompiledModel } from '../../chain/model-host.js';
import { engine } from '../../node/engine.js';
import type { OperationRecord } from '../store/operation-record.js';
import { EngineJobs } from '../threads/engine-jobs.js';
import { MemoryBudget } from '../threads/memory-budget.js';
import type { InputsJob } from '../threads/protocol.js';
import { SharedData } from './shared-data.js';

const MEBIBYTE = 2 ** 20;
const PROGRAM = 'data { int N; vector[N] y; } parameters { real m; } model { y ~ student_t(4, m, 1); }';
const ROWS = 10_000;
const values = Array.from({ length: ROWS }, (_, n) => Math.sin(n));
const DATA = JSON.stringify({ N: ROWS, y: values });

async function compiled(program = PROGRAM): Promise<CompiledModel> {
  const outcome = await engine.compile({ program, includes: {} });
  assert.ok(outcome.compiled);
  const wasm = new Uint8Array(outcome.wasm);
  return { id: 'm', artifact: outcome.artifact, module: await WebAssembly.compile(wasm), wasm };
}

function recordOf(given: Partial<OperationRecord>): OperationRecord {
  return {
    id: 'o',
    modelId: 'm',
    function: 'hmc_nuts_diag_e_adapt',
    arguments: {},
    seed: 1,
    data: DATA,
    chains: [{ chain: 1 }, { chain: 2 }],
    created: '2026-01-01T00:00:00.000Z',
    ...given,
  };
}

/** Performs a thread's jobs on a memory budget, and records the jobs of kind `inputs`. */
function threadOn(budget: MemoryBudget) {
  const setup = { engine: undefined, memoryMebibytes: 512, account: budget.openAccount(), place: new Int32Array(1) };
  const jobs = new EngineJobs(engine, setup, () => undefined);
  const performed: InputsJob[] = [];
  const perform = (job: InputsJob) => {
    performed.push(job);
    return jobs.perform(job);
  };
  return { perform, performed };
}

describe('the data of an operation', () => {
  it('are bound once for all chains, and count towards the memory budget until they are released', async () => {
    const budget = new MemoryBudget(1024 * MEBIBYTE);
    const { perform, performed } = threadOn(budget);
    const data = new SharedData(recordOf({}), { model: await compiled() }, budget);
    const [first, second] = await Promise.all([data.get(perform), data.get(perform)]);
    assert.ok(typeof first !== 'string');
    assert.equal(second, first);
    assert.equal(performed.length, 1);
    assert.equal(first.seed, 1);
    assert.ok(budget.used >= first.memory.byteLength && budget.used < 2 * first.memory.byteLength + 65536);
    data.release();
    assert.equal(budget.used, 0);
  });

  it('are in a memory in which models run, if they are large, and count once', async () => {
    const budget = new MemoryBudget(1024 * MEBIBYTE);
    const { perform } = threadOn(budget);
    const rows = 150_000;
    const text = JSON.stringify({ N: rows, y: Array.from({ length: rows }, (_, n) => Math.sin(n)) });
    const model = await compiled();
    const data = new SharedData(recordOf({ data: text }), { model }, budget);
    const bound = await data.get(perform);
    assert.ok(typeof bound !== 'string');
    assert.equal(bound.shared?.memory.buffer, bound.memory.buffer);
    const bytes = bound.memory.byteLength;
    assert.ok(bytes >= 8 * rows && budget.used >= bytes && budget.used < bytes + 2 * 65536);
    const options = { print: () => undefined, maximumMemory: 512 * MEBIBYTE };
    const [first, second] = [1, 2].map(() => engine.models.instantiateBound?.(model, bound, options));
    assert.ok(first !== undefined && second !== undefined);
    assert.ok(first.memoryBytes < bytes && second.memoryBytes < bytes);
    assert.equal(bound.shared.taken.filter((taken) => taken === 1).length, 2);
    first.close?.();
    second.close?.();
    data.release();
    assert.equal(budget.used, 0);
  });

  it('are bound by each chain if they are small, if the chain is alone, or if it needs other data', async () => {
    const budget = new MemoryBudget(1024 * MEBIBYTE);
    const { perform, performed } = threadOn(budget);
    const model = await compiled();
    for (const given of [
      { data: JSON.stringify({ N: 1, y: [1] }) },
      { chains: recordOf({}).chains.slice(0, 1) },
      { simulations: 100 },
      { refits: { held: { folds: 3 }, chains: 4 } },
      { inputs: { continue: 'models/m/fits/f' } },
    ]) {
      const record = recordOf(given);
      assert.equal(await new SharedData(record, { model }, budget).get(perform), record.data);
    }
    assert.deepEqual(performed, []);
  });

  it('are bound by each chain if the memory budget has no room for a copy', async () => {
    const model = await compiled();
    const bytes = 8 * ROWS;
    // A copy may take a sixteenth of the budget.
    const small = new MemoryBudget(10 * bytes);
    assert.equal(await new SharedData(recordOf({}), { model }, small).get(threadOn(small).perform), DATA);
    assert.equal(small.used, 0);
  });

  it('are bound by each chain if binding fails, or its thread', async () => {
    const budget = new MemoryBudget(1024 * MEBIBYTE);
    const model = await compiled(PROGRAM.replace('vector[N]', 'vector<upper=0>[N]'));
    const { perform, performed } = threadOn(budget);
    assert.equal(await new SharedData(recordOf({}), { model }, budget).get(perform), DATA);
    assert.equal(performed.length, 1);
    const dies = () => Promise.reject(new Error('the thread has ended'));
    assert.equal(await new SharedData(recordOf({}), { model }, budget).get(dies), DATA);
    assert.equal(budget.used, 0);
  });
});
