import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { NatsServer, withoutNats } from '../support/nats.js';
import { type ServerProcess, startServing, startWorking } from '../support/serving.js';

const PROGRAM = 'data { int N; } parameters { vector[N] x; } model { x ~ std_normal(); }';
const FIT = {
  function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
  random_seed: 7,
  num_chains: 2,
  data: { N: 3 },
};
/** Takes a second or more. */
const LONG_FIT = { ...FIT, num_samples: 10_000, data: { N: 20 } };
/** Runs in several blocks. */
const UNTIL_FIT = { ...LONG_FIT, num_samples: 1000, until: { ess_bulk: 50_000, max_iterations: 12_500 } };

describe('servers and workers that share NATS', { skip: withoutNats }, () => {
  let nats: NatsServer;
  let folder: string;
  const processes: ServerProcess[] = [];
  before(async () => {
    nats = await NatsServer.start();
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-cluster-'));
  });
  after(async () => {
    await Promise.all(processes.map((each) => each.end('SIGKILL')));
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function shared(prefix: string): Record<string, string> {
    return {
      LEAPFROG_NATS: nats.address,
      LEAPFROG_NATS_PREFIX: prefix,
      LEAPFROG_NATS_LEASE: '3',
      LEAPFROG_WORKERS: '1',
    };
  }

  function serve(prefix: string): ServerProcess {
    const server = startServing(folder, { ...shared(prefix), LEAPFROG_WORKERS: '0' });
    processes.push(server);
    return server;
  }

  function work(prefix: string): ServerProcess {
    const worker = startWorking(shared(prefix));
    processes.push(worker);
    return worker;
  }

  test('a worker creates a fit that one server has accepted and another server sends', async () => {
    const prefix = randomUUID();
    const [one, other] = [serve(prefix), serve(prefix)];
    work(prefix);
    const operation = await startFit(await one.address, FIT);
    const draws = await drawsOf(await other.address, operation);
    assert.deepEqual(draws, await drawsAlone(FIT));
    const again = await startFit(await other.address, FIT);
    assert.equal(again, operation);
    for (const server of [one, other]) {
      const { operations } = await ask(await server.address, '/v1/operations');
      assert.deepEqual(
        operations.map(({ name, done }: { name: string; done: boolean }) => [name, done]),
        [[operation, true]],
      );
    }
  });

  for (const fit of [LONG_FIT, UNTIL_FIT]) {
    const name = fit === LONG_FIT ? 'a fit' : 'a fit in blocks';
    test(`${name} whose worker and server are killed is completed by others, with the same draws`, async () => {
      const prefix = randomUUID();
      const [one, other] = [serve(prefix), serve(prefix)];
      const worker = work(prefix);
      const operation = await startFit(await one.address, fit);
      // The second block of a fit in blocks.
      const isUnderWay = async () => {
        const { chains, state } = (await ask(await one.address, `/v1/${operation}`)).metadata;
        return state === 'running' && (fit === LONG_FIT || chains.some(({ draws = 0 }) => draws > 1000));
      };
      await until(isUnderWay);
      work(prefix);
      await worker.end('SIGKILL');
      await one.end('SIGKILL');
      const draws = await drawsOf(await other.address, operation);
      assert.deepEqual(draws, await drawsAlone(fit));
    });
  }

  test('a run in blocks whose server is killed keeps its draws when it is cancelled at another one', async () => {
    const prefix = randomUUID();
    const [one, other] = [serve(prefix), serve(prefix)];
    const worker = work(prefix);
    const rule = { ess_bulk: 1e9, max_iterations: 1_000_000 };
    const operation = await startFit(await one.address, { ...UNTIL_FIT, until: rule, on_cancel: 'keep' });
    // The third block runs, so the files of the first one have been removed.
    await until(async () => {
      const { chains } = (await ask(await one.address, `/v1/${operation}`)).metadata;
      return chains.some(({ draws = 0 }) => draws > 2000);
    });
    await worker.end('SIGKILL');
    const kept = async (server: ServerProcess) => (await ask(await server.address, `/v1/${operation}`)).metadata.kept;
    const reported = await kept(one);
    assert.ok(reported.iterations >= 2000, `${reported.iterations}`);
    assert.deepEqual(await kept(other), reported);
    await one.end('SIGKILL');
    const address = await other.address;
    const cancel = async () => {
      const response = await fetch(`${address}/v1/${operation}`, { method: 'DELETE' });
      return { status: response.status, text: await response.text() };
    };
    let cancelled = await cancel();
    // The other server is busy until the claim of the killed one has ended.
    while (cancelled.status === 503) cancelled = await cancel();
    assert.equal(cancelled.status, 200, cancelled.text);
    const { metadata, result } = JSON.parse(cancelled.text);
    assert.equal(result.status, 'Cancelled');
    const { stopped } = await ask(address, `/v1/${metadata.kept.name}/summary`);
    assert.ok(stopped.iterations >= reported.iterations && stopped.iterations % 1000 === 0, `${stopped.iterations}`);
    assert.deepEqual([metadata.kept.iterations, metadata.kept.draws], [stopped.iterations, 2 * stopped.iterations]);
    assert.equal((await ask(address, `/v1/${metadata.kept.name}/diagnose`)).stopped.reason, 'cancelled');
  });

  test('every server counts waiting and running operations of the cluster', async () => {
    const prefix = randomUUID();
    const [one, other] = [serve(prefix), serve(prefix)];
    for (const random_seed of [1, 2, 3]) await startFit(await one.address, { ...LONG_FIT, random_seed });
    const measured = async () => {
      const text = await (await fetch(`${await other.address}/metrics`)).text();
      const gauge = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
      const chains = ['running', 'waiting'].map((state) => gauge(`leapfrog_cluster_chains\\{state="${state}"\\}`));
      return [gauge('leapfrog_cluster_operations_waiting'), ...chains];
    };
    assert.deepEqual(await measured(), [3, 0, 6]);
    work(prefix);
    await until(async () => (await measured()).join() === '2,1,5');
  });

  test('an operation is cancelled by a server that did not receive its request', async () => {
    const prefix = randomUUID();
    const [one, other] = [serve(prefix), serve(prefix)];
    const operation = await startFit(await one.address, FIT);
    assert.equal((await ask(await other.address, `/v1/${operation}`)).done, false);
    const response = await fetch(`${await other.address}/v1/${operation}`, { method: 'DELETE' });
    const { done, result } = JSON.parse(await response.text());
    assert.deepEqual([response.status, done, result.status], [200, true, 'Cancelled']);
    // The server that ran it may report this slightly later.
    await until(async () => (await ask(await one.address, `/v1/${operation}`)).done);
  });

  test('requests that need NATS during an outage get 503', async () => {
    const away = await NatsServer.start();
    const server = startServing(folder, { ...shared(randomUUID()), LEAPFROG_NATS: away.address });
    processes.push(server);
    const address = await server.address;
    const operation = await startFit(address, FIT);
    const draws = await drawsOf(address, operation);
    const { result } = await ask(address, `/v1/${operation}`);
    await away.stop();
    // A fit that a server has read is stored on it.
    const cached = await fetch(`${address}/v1/${result.name}?format=arrow`);
    assert.deepEqual(new Uint8Array(await cached.arrayBuffer()), draws);
    const response = await fetch(`${address}/v1/models`);
    assert.equal(response.status, 503);
    assert.ok(response.headers.has('retry-after'));
    assert.equal((await fetch(`${address}/v1/ready`)).status, 503);
    assert.equal((await fetch(`${address}/v1/health`)).status, 200);
  });

  /** The draws of a server without NATS. */
  async function drawsAlone(fit: object): Promise<Uint8Array> {
    const alone = startServing(join(folder, randomUUID()));
    processes.push(alone);
    const address = await alone.address;
    const draws = await drawsOf(address, await startFit(address, fit));
    await alone.end('SIGKILL');
    return draws;
  }
});

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is checked by the assertions that read it
async function ask(address: string, path: string, body?: object): Promise<any> {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(address + path, init);
  const text = await response.text();
  assert.ok(response.ok, text);
  return JSON.parse(text);
}

/** The name of the operation. */
async function startFit(address: string, fit: object): Promise<string> {
  const model = await ask(address, '/v1/models', { program_code: PROGRAM });
  return (await ask(address, `/v1/${model.name}/fits`, fit)).name;
}

/** The draws of an operation's fit, as an Arrow stream. */
async function drawsOf(address: string, operation: string): Promise<Uint8Array> {
  let ended = await ask(address, `/v1/${operation}`);
  for (; !ended.done; ended = await ask(address, `/v1/${operation}`)) await pause(100);
  assert.equal(ended.result.message, undefined);
  const response = await fetch(`${address}/v1/${ended.result.name}?format=arrow`);
  assert.equal(response.status, 200);
  return new Uint8Array(await response.arrayBuffer());
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}
