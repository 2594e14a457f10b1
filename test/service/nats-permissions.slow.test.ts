import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { joinCluster } from '../../src/service/cluster/cluster.js';
import { connectToNats } from '../../src/service/cluster/connection.js';
import { Leftovers } from '../../src/service/cluster/leftovers.js';
import { openIn } from '../../src/service/cluster/nats-pair.js';
import { ROOT, read } from '../project/tree.js';
import { ConfiguredNats } from '../support/configured-nats.js';
import { withoutNats } from '../support/nats.js';
import { type ServerProcess, startCommand, startServing } from '../support/serving.js';

/** The permissions that a user needs according to the documentation. */
const SETTINGS = /```\n(authorization \{[\s\S]*?\n\}\n)```/.exec(read('docs/cluster.md'))?.[1] ?? '';

describe('a NATS user with the documented permissions', { skip: withoutNats }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-permissions-'));
  const processes: ServerProcess[] = [];
  let nats: ConfiguredNats | undefined;
  after(async () => {
    for (const each of processes) await each.end('SIGKILL');
    await nats?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('can do what servers and workers do, and nothing else', async () => {
    assert.match(SETTINGS, /permissions/);
    nats = await ConfiguredNats.start(SETTINGS.replace('$NATS_PASSWORD', 'secret'));
    const credentials = join(folder, 'credentials');
    writeFileSync(credentials, 'leapfrog:secret');
    const settings = { LEAPFROG_NATS: `localhost:${nats.port}`, LEAPFROG_NATS_CREDENTIALS: credentials };
    const serving = { ...settings, LEAPFROG_WORKERS: '0', LEAPFROG_NATS_REPLICAS: '1' };
    const [one, other] = [startServing(folder, serving), startServing(folder, serving)];
    const work = [process.execPath, join(ROOT, 'dist/src/cli/main.js'), 'work', '--workers', '2'];
    processes.push(one, other, startCommand(work, settings));
    const [address, elsewhere] = [await one.address, await other.address];

    const { name } = await ask(address, 'POST', '/v1/models', { program_code: PROGRAM });
    const request = { function: NUTS, num_chains: 3, num_samples: 5000, random_seed: 1 };
    const { name: operation, metadata } = await ask(address, 'POST', `/v1/${name}/fits`, request);
    const followed = await fetch(`${elsewhere}/v1/${metadata.fit.name}?follow=true`);
    assert.equal(followed.status, 200);
    assert.ok((await followed.text()).length > 100_000);
    while (!(await ask(elsewhere, 'GET', `/v1/${operation}`)).done) await pause(50);
    await ask(elsewhere, 'GET', `/v1/${metadata.fit.name}/summary`);
    const cancelled = await ask(address, 'POST', `/v1/${name}/fits`, { ...request, num_samples: 1_000_000 });
    await ask(elsewhere, 'DELETE', `/v1/${cancelled.name}`);
    for (const path of ['/v1/models', `/v1/${name}/fits`, '/v1/operations', '/v1/cache'])
      await ask(address, 'GET', path);
    await ask(address, 'DELETE', `/v1/${metadata.fit.name}`);
    await ask(address, 'DELETE', `/v1/${name}`);

    const options = { servers: [`localhost:${nats.port}`], prefix: 'leapfrog', credentials, leaseTime: 30_000 };
    const cluster = await joinCluster(options);
    const pair = await openIn(cluster, join(folder, 'own'), Number.POSITIVE_INFINITY);
    await new Leftovers(cluster, pair.store).remove(Date.now());
    await pair.queue.close();
    await pair.close();
    const connection = await connectToNats(options);
    for (const subject of FOREIGN.slice(0, -1)) connection.publish(subject);
    connection.subscribe(FOREIGN[FOREIGN.length - 1], { callback: () => undefined });
    await connection.flush();
    await connection.close();
    const refused = () => [...(nats?.log ?? '').matchAll(/Violation.*Subject "(.*)"/g)].map(([, subject]) => subject);
    for (let k = 0; k < 100 && refused().length < FOREIGN.length; k++) await pause(50);
    assert.deepEqual(refused(), FOREIGN);
  });
});

/** Subjects of other services: to publish to, except the last, which is to subscribe to. */
const FOREIGN = ['other.progress.x', '$KV.other_models.x', '$JS.API.STREAM.INFO.KV_other_models', '_INBOX.other.>'];
const NUTS = 'stan::services::sample::hmc_nuts_diag_e_adapt';
/** With its data, it exceeds the maximum size of a NATS message. */
const PROGRAM = `// ${'x'.repeat(300_000)}\nparameters { vector[5] x; } model { x ~ std_normal(); }`;

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is checked by the assertions that read it
async function ask(address: string, method: string, path: string, body?: object): Promise<any> {
  const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(address + path, { method, ...init });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return text === '' ? undefined : JSON.parse(text);
}
