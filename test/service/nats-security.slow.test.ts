import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connectToNats } from '../../src/service/cluster/connection.js';
import type { NatsOptions } from '../../src/service/cluster/pair.js';
import { Authority, type Certified } from '../support/certificates.js';
import { ConfiguredNats } from '../support/configured-nats.js';
import { withoutNats } from '../support/nats.js';
import { Accounts, newUserKey } from '../support/nats-accounts.js';
import { startServing } from '../support/serving.js';

/** Connection attempts that are refused before the credentials are replaced. */
const ATTEMPTS_REFUSED = 3;

const folder = mkdtempSync(join(tmpdir(), 'leapfrog-security-'));
const started: ConfiguredNats[] = [];
after(async () => {
  for (const nats of started) await nats.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startNats(settings: string, port?: number): Promise<ConfiguredNats> {
  const nats = await ConfiguredNats.start(settings, port);
  started.push(nats);
  return nats;
}

/** Creates a file with the given text. */
function fileOf(text: string): string {
  const path = join(folder, randomUUID());
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Connects and returns whether the connection is encrypted. */
async function connects(nats: ConfiguredNats, options: Partial<NatsOptions> = {}): Promise<boolean> {
  const servers = [`localhost:${nats.port}`];
  const connection = await connectToNats({
    servers,
    prefix: 'test',
    credentials: undefined,
    leaseTime: 1000,
    ...options,
  });
  const { tls_required = false } = connection.info ?? {};
  await connection.close();
  return tls_required;
}

describe('TLS with NATS', { skip: withoutNats }, () => {
  let authority: Authority;
  let server: Certified;
  let stranger: Authority;
  before(() => {
    authority = new Authority(folder);
    server = authority.certify('server', 'DNS:localhost');
    stranger = new Authority(mkdtempSync(join(folder, 'stranger-')));
  });

  function start({ certificate, key }: Certified, more = ''): Promise<ConfiguredNats> {
    return startNats(`tls { cert_file: "${certificate}", key_file: "${key}"${more} }\n`);
  }

  test('a server certified by the given authority is accepted, over an encrypted connection', async () => {
    const nats = await start(server);
    const tls = { authority: authority.certificate };
    assert.equal(await connects(nats, { tls }), true);
    assert.equal(await connects(nats, { tls, servers: [`tls://localhost:${nats.port}`] }), true);
  });

  test('a server without a trusted certificate, or without TLS, is rejected', async () => {
    const nats = await start(server);
    for (const address of [`localhost:${nats.port}`, `nats://localhost:${nats.port}`, `tls://localhost:${nats.port}`]) {
      await assert.rejects(connects(nats, { servers: [address] }), /no connection to NATS .*certificate/);
    }
    await assert.rejects(
      connects(nats, { tls: { authority: stranger.certificate } }),
      /no connection to NATS .*certificate/,
    );
    await assert.rejects(
      connects(nats, { tls: { authority: join(folder, 'none') } }),
      /none cannot be read: no such file or directory/,
    );
    const plain = await startNats('');
    const servers = [`tls://localhost:${plain.port}`];
    await assert.rejects(connects(plain, { servers }), /does not support 'tls'/);
    await assert.rejects(connects(plain, { tls: { authority: authority.certificate } }), /does not support 'tls'/);
  });

  test('a server must be certified for the name or address used', async () => {
    const tls = { authority: authority.certificate };
    const nats = await start(server);
    await assert.rejects(connects(nats, { tls, servers: [`tls://127.0.0.1:${nats.port}`] }), /does not match/);
    const numbered = await start(authority.certify('numbered', 'IP:127.0.0.1'));
    assert.equal(await connects(numbered, { tls, servers: [`tls://127.0.0.1:${numbered.port}`] }), true);
    await assert.rejects(connects(numbered, { tls }), /does not match/);
  });

  test('a server that requires a client certificate receives it', async () => {
    const nats = await start(server, `, ca_file: "${authority.certificate}", verify: true`);
    const { certificate, key } = authority.certify('client', 'DNS:client');
    assert.equal(await connects(nats, { tls: { authority: authority.certificate, certificate, key } }), true);
    const without = connects(nats, { tls: { authority: authority.certificate } });
    await assert.rejects(without, /no connection to NATS .*--nats-cert/);
  });
});

describe('credentials for NATS', { skip: withoutNats }, () => {
  const key = newUserKey();
  const accounts = new Accounts();
  const CASES: readonly { kind: string; settings: string; right: string; wrong: string }[] = [
    {
      kind: 'a user with a password',
      settings: 'authorization { user: leapfrog, password: "se:cret" }\n',
      right: 'leapfrog:se:cret\n',
      wrong: 'leapfrog:guess',
    },
    { kind: 'a token', settings: 'authorization { token: s3cr3t }\n', right: 's3cr3t\n', wrong: 'guess' },
    {
      kind: 'an nkey',
      settings: `authorization { users: [ { nkey: ${key.publicKey} } ] }\n`,
      right: `${key.seed}\n`,
      wrong: newUserKey().seed,
    },
    {
      kind: 'a user of an account',
      settings: accounts.settings,
      right: accounts.credentials('leapfrog'),
      wrong: new Accounts().credentials('leapfrog'),
    },
  ];

  for (const { kind, settings, right, wrong } of CASES) {
    test(`only ${kind} is accepted`, async () => {
      const nats = await startNats(settings);
      await connects(nats, { credentials: fileOf(right) });
      const file = fileOf(wrong);
      await assert.rejects(
        connects(nats, { credentials: file }),
        new RegExp(`does not accept the credentials in ${file}`),
      );
      await assert.rejects(connects(nats), /requires credentials; set --nats-credentials FILE/);
    });
  }

  test('a credentials file must exist and not be empty', async () => {
    const nats = await startNats('');
    await assert.rejects(
      connects(nats, { credentials: join(folder, 'none') }),
      /none cannot be read: no such file or directory/,
    );
    await assert.rejects(connects(nats, { credentials: fileOf('\n') }), /is empty/);
  });

  test('passwords in addresses are rejected and not repeated', async () => {
    const servers = ['nats://leapfrog:se@cret@localhost:4222'];
    const refused = connectToNats({ servers, prefix: 'test', credentials: undefined, leaseTime: 1000 });
    await assert.rejects(
      refused,
      (error: Error) => !error.message.includes('cret') && /--nats-cred/.test(error.message),
    );
  });

  test('replaced credentials are used when the connection is restored', async () => {
    const credentials = fileOf('leapfrog:old');
    const settings = (password: string) => `authorization { user: leapfrog, password: ${password} }\n`;
    const first = await startNats(settings('old'));
    const servers = [`localhost:${first.port}`];
    const connection = await connectToNats({ servers, prefix: 'test', credentials, leaseTime: 1000 });
    await first.stop();
    const restarting = startNats(settings('new'), first.port);
    const isBack = async () => {
      let attempts = 0;
      for await (const { type } of connection.status()) {
        if (type === 'reconnecting' && ++attempts === ATTEMPTS_REFUSED) writeFileSync(credentials, 'leapfrog:new');
        if (type === 'reconnect') return true;
      }
      return false;
    };
    assert.equal(await isBack(), true);
    await restarting;
    await connection.close();
  });
});

describe('a Leapfrog server and NATS with TLS and credentials', { skip: withoutNats }, () => {
  test('work together if both match, and the server ends with an error otherwise', async () => {
    const authority = new Authority(mkdtempSync(join(folder, 'command-')));
    const { certificate, key } = authority.certify('nats', 'DNS:localhost');
    const tls = `tls { cert_file: "${certificate}", key_file: "${key}" }\n`;
    const nats = await startNats(`${tls}authorization { user: leapfrog, password: secret }\n`);
    const settings = {
      LEAPFROG_NATS: `tls://localhost:${nats.port}`,
      LEAPFROG_NATS_CA: authority.certificate,
      LEAPFROG_NATS_CREDENTIALS: fileOf('leapfrog:secret'),
      LEAPFROG_WORKERS: '1',
    };
    const server = startServing(folder, settings);
    const answer = await fetch(`${await server.address}/v1/models`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ program_code: 'parameters { real x; } model { x ~ std_normal(); }' }),
    });
    assert.equal(answer.status, 201);
    await server.end('SIGTERM');
    for (const [change, message] of [
      [{ LEAPFROG_NATS_CREDENTIALS: fileOf('leapfrog:guess') }, /^error: no connection to NATS .* credentials/m],
      [{ LEAPFROG_NATS_CA: certificate, LEAPFROG_NATS: 'localhost:1' }, /^error: no connection to NATS .* refused/m],
      [{ LEAPFROG_NATS_CERT: certificate }, /^error: --nats-cert and --nats-key must be given together/m],
    ] as const) {
      const { code, output } = await startServing(folder, { ...settings, ...change }).ended;
      assert.deepEqual([code, message.test(output)], [1, true], output);
    }
  });
});
