/** Runs docs/operations.md as far as processes of this machine can: backups, the proxy, Prometheus with the alerts, and Kustomize. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT, read } from '../project/tree.js';
import { textsUnder } from '../support/documents.js';
import { freePorts } from '../support/nats.js';
import { type ServerProcess, startServing } from '../support/serving.js';

const TOKEN = 'token-of-clients';
const HEADERS = { authorization: `Bearer ${TOKEN}` };
/** Number of draws of the fit that runs during the backup. */
const INTERRUPTED = 300_000;
const PROGRAM = 'parameters { real x; } model { x ~ std_normal(); }';

function missing(command: string, ...args: readonly string[]): string | false {
  const { error, status } = spawnSync(command, args, { stdio: 'ignore' });
  return error === undefined && status === 0 ? false : `${[command, ...args].join(' ')} does not run here`;
}

/** Repeats a check until it returns a value. */
async function until<Value>(check: () => Promise<Value | undefined>): Promise<Value> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    const value = await check();
    if (value !== undefined) return value;
    await pause(50);
  }
  throw new Error('the state does not occur');
}

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is checked by the assertions that read it
async function answerOf(address: string, init: RequestInit = {}): Promise<any> {
  const answer = await fetch(address, init);
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return JSON.parse(text);
}

function ask(address: string, path: string, body?: object) {
  const headers = { ...HEADERS, ...(body && { 'content-type': 'application/json' }) };
  return answerOf(address + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
}

async function startFit(address: string, seed: number, draws: number): Promise<string> {
  const { name } = await ask(address, '/v1/models', { program_code: PROGRAM });
  const fields = { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', random_seed: seed, num_samples: draws };
  return (await ask(address, `/v1/${name}/fits`, fields)).name;
}

/** The name of the fit of an operation that ends. */
function fitOf(address: string, operation: string): Promise<string> {
  return until(async () => (await ask(address, `/v1/${operation}`)).result?.name);
}

async function messagesOf(address: string, fit: string): Promise<string> {
  const answer = await fetch(`${address}/v1/${fit}`, { headers: HEADERS });
  assert.equal(answer.status, 200);
  return answer.text();
}

/** The messages without those that contain times. */
async function drawsOf(address: string, fit: string): Promise<readonly string[]> {
  const messages = (await messagesOf(address, fit)).split('\n');
  return messages.filter((line) => line.includes('"topic":"sample","values":{'));
}

describe('docs/operations.md', () => {
  let folder: string;
  let server: ServerProcess;
  const children: ChildProcess[] = [];
  const servers: ServerProcess[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-operations-'));
    server = start('store');
    await server.address;
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const each of servers) await each.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  function start(store: string): ServerProcess {
    const started = startServing(join(folder, store), { LEAPFROG_TOKEN: TOKEN });
    servers.push(started);
    return started;
  }

  /** Runs a program in the folder until the test ends. */
  function run(program: string, ...args: readonly string[]): { output: string } {
    const child = spawn(program, args, { cwd: folder, env: { ...process.env, HOME: folder } });
    children.push(child);
    const said = { output: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes) => {
        said.output += bytes;
      });
    }
    return said;
  }

  /** Runs the commands of a section on a store in the folder. `systemctl` is a shell function with this body. */
  function runSection(commands: string, store: string, systemctl = ':'): void {
    const here = commands.replaceAll('/var/lib/leapfrog', join(folder, store)).replaceAll('/opt/', `${folder}/`);
    const script = `systemctl() { ${systemctl}\n}\n${here}`;
    const ran = spawnSync('bash', ['-e', '-c', script], { cwd: folder, encoding: 'utf8' });
    assert.equal(ran.status, 0, ran.stderr);
  }

  it('restores fits, and operations that ran, from a copy of the store of a running server', async () => {
    const [backup, restore] = textsUnder('docs/operations.md', 'Backup', 'sh');
    const address = await server.address;
    const finished = await fitOf(address, await startFit(address, 1, 1000));
    const running = await startFit(address, 2, INTERRUPTED);
    await until(async () => (await ask(address, `/v1/${running}`)).metadata.state === 'running' || undefined);
    runSection(backup, 'store');
    assert.equal((await ask(address, `/v1/${running}`)).done, false, 'the operation has ended before the backup');
    const before = await messagesOf(address, finished);
    const draws = await drawsOf(address, await fitOf(address, running));
    assert.equal(draws.length, INTERRUPTED);

    // The restored store replaces another one.
    await mkdir(join(folder, 'restored/fits/of another store'), { recursive: true });
    runSection(restore, 'restored');
    assert.ok(!existsSync(join(folder, 'restored/fits/of another store')));
    const restored = await start('restored').address;
    assert.ok((await messagesOf(restored, finished)) === before, 'the finished fit differs');
    const again = await drawsOf(restored, await fitOf(restored, running));
    assert.ok(draws.length === again.length && draws.every((line, k) => line === again[k]), 'other draws');
    assert.deepEqual(await ask(restored, '/v1/models'), await ask(address, '/v1/models'));
  });

  it('continues operations after an upgrade', async () => {
    const [commands] = textsUnder('docs/operations.md', 'Upgrade', 'sh');
    for (const version of ['leapfrog', 'leapfrog-new']) await symlink(ROOT, join(folder, version));
    const [port] = await freePorts(1);
    // An operation without time to end runs again after the upgrade.
    const settings = `LEAPFROG_TOKEN=${TOKEN} LEAPFROG_SHUTDOWN_GRACE=0.1 LEAPFROG_PORT=${port} LEAPFROG_STORE=upgraded`;
    const systemctl = `if [ "$1" = stop ]; then kill "$(cat pid)"; tail --pid="$(cat pid)" -f /dev/null; return; fi
      ${settings} '${process.execPath}' leapfrog/dist/src/cli/main.js serve > log 2>&1 & echo $! > pid`;
    const address = `http://127.0.0.1:${port}`;
    // A kept connection of the process that has ended fails once.
    const ready = () => until(() => ask(address, '/v1/ready').catch(() => undefined));
    runSection('systemctl start leapfrog', 'upgraded', systemctl);
    try {
      await ready();
      const finished = await fitOf(address, await startFit(address, 1, 1000));
      const before = await messagesOf(address, finished);
      const running = await startFit(address, 2, INTERRUPTED);
      await until(async () => (await ask(address, `/v1/${running}`)).metadata.state === 'running' || undefined);
      runSection(commands.replaceAll('8080', `${port}`), 'upgraded', systemctl);
      await ready();
      assert.ok((await messagesOf(address, finished)) === before, 'the finished fit differs');
      assert.equal((await drawsOf(address, await fitOf(address, running))).length, INTERRUPTED);
      assert.ok(existsSync(join(folder, 'leapfrog-before')) && !existsSync(join(folder, 'leapfrog-new')));
    } finally {
      runSection('systemctl stop leapfrog', 'upgraded', systemctl);
    }
  });

  it('serves HTTPS by Caddy, which forwards draws while a fit runs', {
    skip: missing('caddy', 'version'),
  }, async () => {
    const address = await server.address;
    const [port] = await freePorts(1);
    const site = read('deploy/Caddyfile')
      .replace('stan.example.org', `https://localhost:${port}`)
      .replace('127.0.0.1:8080', new URL(address).host);
    assert.ok(site.includes(`localhost:${port}`) && site.includes(new URL(address).host));
    const local = `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\tlocal_certs\n\tstorage file_system ${folder}/caddy\n}\n`;
    await writeFile(join(folder, 'Caddyfile'), local + site);
    const caddy = run('caddy', 'run', '--config', 'Caddyfile', '--adapter', 'caddyfile');
    const root = join(folder, 'caddy/pki/authorities/local/root.crt');
    await until(async () => existsSync(root) || undefined);
    const ca = await readFile(root);

    /** Status and the first bytes of a response over HTTPS. */
    const first = (path: string, headers: Readonly<Record<string, string>>) =>
      new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
        const sent = request(`https://localhost:${port}${path}`, { ca, headers }, (answer) => {
          answer.once('data', (bytes) => {
            resolve({ status: answer.statusCode, text: String(bytes) });
            answer.destroy();
          });
        });
        sent.on('error', reject).end();
      });
    const { text } = await until(() => first('/v1/models', HEADERS).catch(() => undefined));
    assert.match(text, /"models"/, caddy.output);
    assert.equal((await first('/v1/models', {})).status, 401);

    const operation = await startFit(address, 3, 1_000_000);
    const { metadata } = await ask(address, `/v1/${operation}`);
    const draws = await until(async () => {
      const { status, text } = await first(`/v1/${metadata.fit.name}?follow=true`, HEADERS);
      return status === 200 ? text : undefined;
    });
    assert.match(draws, /"topic"/);
    assert.equal((await ask(address, `/v1/${operation}`)).done, false, 'the draws arrived after the end of the fit');
    const ended = await fetch(`${address}/v1/${operation}`, { method: 'DELETE', headers: HEADERS });
    assert.equal(ended.status, 200);
  });

  it('has alerts that Prometheus accepts, and that fire as their examples state', {
    skip: missing('promtool', '--version'),
  }, () => {
    const ran = spawnSync('promtool', ['test', 'rules', 'test/deploy/alerts-test.yaml'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    const named = (file: string, pattern: RegExp) =>
      new Set(Array.from(read(file).matchAll(pattern), ([, name]) => name));
    const tested = named('test/deploy/alerts-test.yaml', /alertname: (\w+)/g);
    assert.deepEqual(tested, named('deploy/monitoring/alerts.yaml', /alert: (\w+)/g));
  });

  it('is scraped by Prometheus, in which every panel of the dashboard has values', {
    skip: missing('prometheus', '--version'),
  }, async () => {
    const [port] = await freePorts(1);
    const configuration = read('deploy/monitoring/prometheus.yaml')
      .replace('/etc/prometheus/leapfrog-alerts.yaml', join(ROOT, 'deploy/monitoring/alerts.yaml'))
      .replace('/etc/prometheus/leapfrog-token', join(folder, 'token'))
      .replace('127.0.0.1:8080', new URL(await server.address).host)
      .replace('15s', '1s');
    await writeFile(join(folder, 'token'), TOKEN);
    await writeFile(join(folder, 'prometheus.yaml'), configuration);
    const listen = `--web.listen-address=127.0.0.1:${port}`;
    const prometheus = run('prometheus', '--config.file=prometheus.yaml', '--storage.tsdb.path=metrics', listen);
    const api = `http://127.0.0.1:${port}/api/v1`;
    // biome-ignore lint/suspicious/noExplicitAny: what Prometheus answers is checked by the assertions that read it
    const results = async (query: string): Promise<readonly any[]> =>
      (await answerOf(`${api}/query?query=${encodeURIComponent(query)}`)).data.result;
    await until(async () => (await results('up == 1').catch(() => [])).at(0));
    const { data } = await answerOf(`${api}/rules`);
    assert.ok(data.groups[0].rules.length >= 9, prometheus.output);

    const { panels } = JSON.parse(read('deploy/monitoring/dashboard.json'));
    for (const { targets, title } of panels) {
      for (const { expr } of targets) {
        const query: string = expr
          .replaceAll('$job', 'leapfrog')
          .replaceAll('$instance', '.+')
          .replaceAll('$__rate_interval', '1m');
        assert.doesNotMatch(query, /\$/);
        const isOfCluster = query.includes('leapfrog_cluster_');
        // A rate needs two scrapes.
        const found = isOfCluster ? await results(query) : await until(async () => (await results(query)).at(0));
        assert.ok(isOfCluster || found !== undefined, title);
      }
    }
  });

  for (const [page, base, images] of [
    ['docs/cluster.md', 'kubernetes', 2],
    ['docs/operations.md', 'kubernetes-single', 1],
  ] as const) {
    it(`has a base for Kustomize, deploy/${base}, whose image can be set`, {
      skip: missing('kustomize', 'version'),
    }, async () => {
      const copy = join(folder, base);
      await cp(join(ROOT, 'deploy', base), copy, { recursive: true });
      const [, command] = new RegExp(`cd deploy/${base} && kustomize (.*)\\)`).exec(read(page)) ?? assert.fail();
      execFileSync('kustomize', command.split(' '), { cwd: copy });
      const built = execFileSync('kustomize', ['build', copy], { encoding: 'utf8' });
      assert.equal(built.match(/image: REGISTRY\/leapfrog:1$/gm)?.length, images);
      const kinds = built.match(/^kind: .*$/gm) ?? [];
      assert.equal(built.match(/^ {2}namespace: leapfrog$/gm)?.length, kinds.length);
      assert.ok(kinds.length >= 3);
    });
  }
});
