import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { algorithms } from '../../src/inference/algorithms/registry.js';
import type { FunctionResource } from '../../src/service/schemas/functions.js';
import { ofOneProcess } from '../support/cluster.js';
import { DATA, INPUTS, NUTS, neededInputs, PROGRAM } from './every-function.js';
import { packageRoot, TestServer } from './harness.js';

/** A valid request for a function, with all required inputs. */
function requestOf(row: FunctionResource): Record<string, unknown> {
  return { function: row.name, data: DATA, random_seed: 5, ...neededInputs(row) };
}

/** A value just below or above the limits of an argument, and its error message; undefined if there is no limit. */
function outside(
  argument: FunctionResource['arguments'][number],
  side: 'below' | 'above',
): { readonly field: string; readonly value: unknown; readonly message: string }[] {
  const field = `/${argument.name}`;
  if (argument.type === 'string') {
    const message = `must be ${argument.choices.map((word) => `"${word}"`).join(' or ')}`;
    return [{ field, value: 'other', message }];
  }
  if (argument.type !== 'integer' && argument.type !== 'number') return [];
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = argument;
  const [limit, exclusive, step, words] =
    side === 'below'
      ? ([minimum, exclusiveMinimum, -1, ['must be at least', 'must be greater than']] as const)
      : ([maximum, exclusiveMaximum, 1, ['must be at most', 'must be less than']] as const);
  if (limit !== undefined) return [{ field, value: limit + step, message: `${words[0]} ${limit}` }];
  return exclusive === undefined ? [] : [{ field, value: exclusive, message: `${words[1]} ${exclusive}` }];
}

/** Draws and log messages by chain, except messages with times. */
function contentOf(fit: string): unknown[] {
  return fit
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ topic }) => topic === 'sample' || topic === 'initialization')
    .filter(({ values }) => !(Array.isArray(values) && /seconds/.test(String(values[0]))))
    .map(({ values }) => values);
}

describe('every function of the services namespace', () => {
  let server: TestServer;
  let model: string;
  let functions: readonly FunctionResource[];
  before(async () => {
    server = await TestServer.start({ requestTimeout: 30_000, workerMemory: 1024 });
    model = await server.model(PROGRAM);
    functions = (await server.get('/v1/functions')).json.functions;
  });
  after(() => server.remove());

  test('is listed with its arguments', () => {
    const names = functions.map(({ name }) => name);
    assert.deepEqual(
      names,
      algorithms.map(({ functionName }) => functionName),
    );
    assert.equal(new Set(names).size, names.length);
    for (const { name, description, inputs, arguments: rows, draws } of functions) {
      assert.match(name, /^(stan|leapfrog)::services::/);
      assert.match(description, /\.$/);
      assert.ok(inputs.length >= 1, name);
      for (const input of inputs)
        assert.equal(input.required, !['init', 'warm_start', 'continue'].includes(input.name), name);
      assert.equal(draws, name.endsWith('standalone_generate') ? 'generated quantities' : 'all');
      assert.equal(
        rows.some((row) => row.name === 'num_chains'),
        name.includes('::services::sample::'),
        name,
      );
      for (const row of rows) assert.ok(row.description.length > 10 && 'type' in row, `${name} ${row.name}`);
    }
    const newton = functions.find(({ name }) => name.endsWith('::newton'));
    assert.match(newton?.description ?? '', /Second derivatives are exact, or differences of gradients/);
    const sampler = functions.find(({ name }) => name === NUTS);
    const delta = sampler?.arguments.find(({ name }) => name === 'delta');
    assert.deepEqual(
      { ...delta, description: '' },
      { name: 'delta', type: 'number', default: 0.8, exclusiveMinimum: 0, exclusiveMaximum: 1, description: '' },
    );
  });

  test('ends with a fit whose draws have the stated columns', async () => {
    for (const row of functions) {
      const started = await server.post(`${model}/fits`, requestOf(row));
      assert.equal(started.status, 201, `${row.name} ${started.text}`);
      const ended = await server.finished(started.json.name);
      assert.deepEqual(ended.json.result, started.json.metadata.fit, row.name);
      assert.ok(ended.json.metadata.progress?.length > 10, row.name);
      const content = contentOf((await server.get(`/v1/${ended.json.result.name}`)).text);
      const draws = content.filter((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
      const columns = Object.keys(draws[0] ?? {}).filter((column) => !column.endsWith('__'));
      const generated = ['twice.1', 'twice.2', 'twice.3', 'noise'];
      const all = ['theta', 'p.1', 'p.2', 'p.3', ...generated];
      if (row.name.endsWith('::diagnose')) assert.equal(draws.length, 0);
      else assert.deepEqual(columns, row.draws === 'all' ? all : generated, row.name);
    }
  });

  test('rejects invalid arguments and foreign inputs, field by field', async () => {
    const wrong: Readonly<Record<string, unknown>> = {
      integer: 0.5,
      number: 'much',
      boolean: 1,
      string: 7,
      array: 'x',
    };
    for (const row of functions) {
      const bad = row.arguments.map(({ name, type }): [string, unknown] => [name, wrong[type]]);
      const foreign = Object.entries(INPUTS).filter(([name]) => !row.inputs.some((input) => input.name === name));
      const answer = await server.post(`${model}/fits`, {
        ...requestOf(row),
        ...Object.fromEntries([...bad, ...foreign]),
        nonsense: 1,
      });
      assert.equal(answer.status, 400, row.name);
      const fields = answer.json.details.map(({ field }: { field: string }) => field).sort();
      const expected = [...bad, ...foreign, ['nonsense']].map(([name]) => `/${name}`).sort();
      assert.deepEqual(fields, expected, row.name);
      for (const { name, required } of row.inputs) {
        const { [name]: _, ...without } = requestOf(row);
        if (!required) continue;
        const missing = await server.post(`${model}/fits`, without);
        assert.equal(missing.status, 400);
        assert.deepEqual(missing.json.details, [{ field: `/${name}`, message: 'is required' }]);
      }
    }
  });

  test('rejects values out of range, field by field', async () => {
    for (const row of functions) {
      for (const side of ['below', 'above'] as const) {
        const bad = row.arguments.flatMap((argument) => outside(argument, side));
        const given = Object.fromEntries(bad.map(({ field, value }) => [field.slice(1), value]));
        const answer = await server.post(`${model}/fits`, { ...requestOf(row), ...given });
        assert.equal(answer.status, 400, row.name);
        const expected = bad.map(({ field, message }) => ({ field, message }));
        assert.deepEqual(new Set(answer.json.details), new Set(expected), row.name);
      }
    }
  });

  test('reports why it cannot start', async () => {
    const rejecting = await server.model('parameters { real a; } model { reject("never ", a); }');
    for (const row of functions.filter(({ inputs }) => inputs[0]?.name === 'init')) {
      const started = await server.post(`${rejecting}/fits`, { function: row.name });
      const { result } = (await server.finished(started.json.name)).json;
      assert.equal(result.code, 400, row.name);
      assert.match(result.message, /Rejecting initial value:[\s\S]*never/, row.name);
      assert.match(result.message, /Initialization failed\.|No pathfinders ran successfully/, row.name);
    }
  });

  test('can be cancelled', async () => {
    const endless = await server.model(
      'parameters { real theta; } model { real s = 0; while (1) { s += theta; } target += s; } generated quantities { real g = 1; while (1) { g += 1; } }',
    );
    const point = { theta: 1 };
    const inputs: Readonly<Record<string, unknown>> = { mode: point, fitted_params: [point] };
    for (const row of functions) {
      const needed = row.inputs.filter(({ required }) => required).map(({ name }) => [name, inputs[name]]);
      const request = { function: row.name, ...Object.fromEntries(needed) };
      const started = await server.post(`${endless}/fits`, request);
      assert.equal(started.status, 201, started.text);
      const ended = await server.delete(`/v1/${started.json.name}`);
      assert.equal(ended.json.result.status, 'Cancelled', row.name);
      assert.equal((await server.get(`/v1/${started.json.metadata.fit.name}`)).status, 404);
    }
  });
});

test('functions that a kill interrupts run again after it and produce the same draws', {
  skip: ofOneProcess.folder,
}, async (context) => {
  const work = await mkdtemp(join(tmpdir(), 'leapfrog-kill-'));
  let again: TestServer | undefined;
  // A server recreates its folder if the folder is removed while the server runs.
  context.after(async () => {
    await again?.stop();
    await rm(work, { recursive: true, force: true });
  });
  const undisturbed = await TestServer.start({ requestTimeout: 30_000, workerMemory: 1024, logLevel: 'silent' });
  context.after(() => undisturbed.remove());
  const model = await undisturbed.model(PROGRAM);
  const { functions }: { functions: readonly FunctionResource[] } = (await undisturbed.get('/v1/functions')).json;
  const requests = functions.map((row): Record<string, unknown> => {
    const isSampler = row.arguments.some(({ name }) => name === 'num_chains');
    return { ...requestOf(row), ...(isSampler && { num_chains: 2, num_samples: 2000 }) };
  });
  const references = Promise.all(
    requests.map(async (request) => {
      const started = await undisturbed.post(`${model}/fits`, request);
      return (await undisturbed.finished(started.json.name)).json;
    }),
  );

  const killed = await startProcess(work);
  const operations: string[] = [];
  try {
    await post(killed.address, '/v1/models', { program_code: PROGRAM });
    const started = requests.map(async (request) => post(killed.address, `${model}/fits`, request));
    operations.push(...(await Promise.all(started)).map(({ name }) => name));
    await oneHasBegun(killed.address, operations);
  } finally {
    await kill(killed.process);
  }

  assert.ok((await readdir(join(work, 'operations', 'running'))).length > 0);
  const expected = await references;
  const restarted = await TestServer.start({ requestTimeout: 30_000, workerMemory: 1024, store: work });
  again = restarted;
  for (const [index, request] of requests.entries()) {
    const found = (await restarted.finished(operations[index] ?? '')).json;
    const name = String(request.function);
    assert.match(found.result.name ?? found.result.message, /^models\/.*\/fits\//, name);
    assert.deepEqual(found.result, expected[index].result, name);
    assert.deepEqual(found.metadata.adaptation, expected[index].metadata.adaptation, name);
    const [content, reference] = await Promise.all(
      [restarted, undisturbed].map(async (server) => contentOf((await server.get(`/v1/${found.result.name}`)).text)),
    );
    const lines = (all: readonly unknown[] = []) => all.map((each) => JSON.stringify(each)).sort();
    assert.deepEqual(lines(content), lines(reference), name);
  }
});

async function startProcess(store: string): Promise<{ process: ChildProcess; address: string }> {
  const main = fileURLToPath(new URL('dist/src/cli/main.js', packageRoot));
  const process = spawn('node', [main, 'serve', '--port', '0', '--store', store], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (bytes: Buffer) => {
      said += String(bytes);
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      if (address !== undefined) resolve({ process, address });
    };
    process.stdout.on('data', listen);
    process.stderr.on('data', listen);
    process.once('exit', () => reject(new Error(said)));
  });
}

/** Resolves when one of the operations is no longer waiting. */
async function oneHasBegun(address: string, operations: readonly string[]): Promise<void> {
  for (;;) {
    for (const operation of operations) {
      const { metadata } = JSON.parse(await (await fetch(`${address}/v1/${operation}`)).text());
      if (metadata.state !== 'waiting') return;
    }
    await pause(5);
  }
}

function kill(process: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    process.once('exit', () => resolve());
    process.kill('SIGKILL');
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is checked by the assertions that read it
async function post(address: string, path: string, body: object): Promise<any> {
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}
