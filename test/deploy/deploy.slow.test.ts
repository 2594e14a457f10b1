import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../project/tree.js';
import { freePorts, natsServerPath, withoutNats } from '../support/nats.js';
import { withoutModules } from '../support/packages.js';
import { type ServerProcess, startCommand } from '../support/serving.js';
import { clusterProblem } from '../support/shared-nats.js';
import {
  composeDeployment,
  type Deployment,
  kubernetesDeployment,
  type Program,
  podsOf,
  programOf,
  readManifests,
  systemdDeployment,
  UNITS,
} from './deployments.js';

function missing(command: string, ...args: readonly string[]): string | false {
  const { error, status } = spawnSync(command, args, { stdio: 'ignore' });
  return error === undefined && status === 0 ? false : `${[command, ...args].join(' ')} does not run here`;
}

const withoutSchemas = withoutModules(['yaml', 'compose_spec', 'kubernetes_validate']);
const manifests = withoutSchemas ? undefined : readManifests();

describe('the files in deploy/', () => {
  test('systemd accepts the units', { skip: missing('systemd-analyze', '--version') }, () => {
    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', ...UNITS], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    // The programs need not be installed on the machine that checks the units.
    const output = (stdout + stderr).split('\n').filter((line) => line !== '' && !line.includes('is not executable'));
    assert.deepEqual(output, []);
    assert.ok(status === 0 || stderr.includes('is not executable'));
  });

  test('the compose file and the Kubernetes manifests match their schemas', { skip: withoutSchemas }, () => {
    assert.equal(manifests?.compose.name, 'leapfrog');
    const kinds = new Set(manifests?.kubernetes.map(({ kind }) => kind));
    const wanted = ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'StatefulSet'];
    assert.deepEqual(
      wanted.filter((kind) => !kinds.has(kind)),
      [],
    );
  });

  test('no pod runs as root, writes where it is installed, or has rights in its cluster', {
    skip: withoutSchemas,
  }, () => {
    const pods = podsOf([...(manifests?.kubernetes ?? []), ...(manifests?.single ?? [])]);
    assert.deepEqual([...pods.keys()].sort(), ['leapfrog', 'leapfrog-serve', 'leapfrog-work', 'nats']);
    for (const { automountServiceAccountToken, containers, securityContext } of pods.values()) {
      assert.equal(automountServiceAccountToken, false);
      assert.equal(securityContext.runAsNonRoot, true);
      for (const { securityContext: own } of containers) {
        assert.deepEqual(own, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });
});

test('the server of the base for one server starts with its settings', { skip: withoutSchemas }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leapfrog-deploy-'));
  const program = programOf(manifests?.single ?? [], 'leapfrog');
  const command = [process.execPath, join(ROOT, 'dist/src/cli/main.js'), ...program.arguments];
  const store = join(folder, program.environment.LEAPFROG_STORE);
  const server = startCommand(command, { ...program.environment, LEAPFROG_STORE: store, LEAPFROG_PORT: '0' });
  try {
    const address = await server.address;
    assert.equal((await fetch(`${address}/v1/ready`)).status, 200);
    assert.equal((await fetch(`${address}/v1/models`)).status, 401);
  } finally {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
});

const deployments: readonly Deployment[] = [
  systemdDeployment(),
  ...(manifests ? [composeDeployment(manifests.compose), kubernetesDeployment(manifests.kubernetes)] : []),
];

for (const deployment of deployments) {
  describe(`the commands of ${deployment.name}, as processes`, { skip: withoutNats }, () => {
    const TOKEN = 'token-of-clients';
    const children: ChildProcess[] = [];
    const processes: ServerProcess[] = [];
    let folder: string;
    let ports: readonly number[];
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'leapfrog-deploy-'));
      await writeFile(join(folder, 'nats-token'), 'token-of-nats\n');
    });
    after(async () => {
      for (const each of processes) await each.end('SIGKILL');
      for (const child of children) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    });

    /** Replaces the names and folders of other machines by those of this machine. */
    function here(text: string): string {
      return text
        .replaceAll(
          /\bnats-(\d)(?:\.nats)?:(\d)222\b/g,
          (_, server, kind) => `127.0.0.1:${portOf(server, kind === '6')}`,
        )
        .replaceAll(/(?:\/run\/secrets\/\S*|%d\/\S*)/g, join(folder, 'nats-token'));
    }

    /** Their servers are numbered from 0 or from 1. */
    function portOf(server: string, isRoute = false): number {
      return ports[(Number(server) % 3) + (isRoute ? 3 : 0)];
    }

    async function startNats(server: string): Promise<void> {
      const own = join(folder, `nats-${server}`);
      await mkdir(own);
      const text = here(deployment.nats)
        .replace(/server_name: .*/, `server_name: nats-${server}`)
        .replace(/"0\.0\.0\.0:4222"/, `"127.0.0.1:${portOf(server)}"`)
        .replace(/"0\.0\.0\.0:6222"/, `"127.0.0.1:${portOf(server, true)}"`)
        .replace(/http: .*/, '')
        .replace(/pid_file: .*/, '')
        .replace(/store_dir: [^ ]*/, `store_dir: ${JSON.stringify(own)}`);
      await writeFile(join(own, 'nats.conf'), text);
      const environment = { ...process.env, NATS_TOKEN: 'token-of-nats' };
      children.push(
        spawn(natsServerPath ?? '', ['--config', join(own, 'nats.conf')], { env: environment, stdio: 'ignore' }),
      );
    }

    /** Starts three servers; if they do not find each other, as rarely happens with NATS servers, starts them again on other ports. */
    async function startNatsCluster(first: number): Promise<void> {
      const names = [0, 1, 2].map((server) => String(server + first));
      for (let attempt = 0; attempt < 3; attempt++) {
        ports = await freePorts(6);
        for (const name of names) await startNats(name);
        const servers = names.map((name) => `127.0.0.1:${portOf(name)}`);
        const problem = await clusterProblem({ servers, token: 'token-of-nats', waitOnFirstConnect: true });
        if (problem === null) return;
        console.error('The NATS servers do not find each other:', problem);
        for (const child of children.splice(0)) {
          child.kill('SIGKILL');
          await once(child, 'exit');
        }
        for (const name of names) await rm(join(folder, `nats-${name}`), { recursive: true });
      }
      throw new Error('NATS servers did not find each other in three attempts');
    }

    /** Starts it repeatedly, like its supervisor, until it finds NATS. */
    async function start({ arguments: given, environment }: Program): Promise<ServerProcess> {
      const settings = Object.entries(environment).map(([name, value]) => [name, here(value)]);
      const command = [process.execPath, '--max-semi-space-size=4', join(ROOT, 'dist/src/cli/main.js'), ...given];
      for (let attempt = 0; attempt < 60; attempt++) {
        const server = startCommand(command, {
          ...Object.fromEntries(settings),
          TMPDIR: folder,
          LEAPFROG_STORE: join(folder, 'store'),
          LEAPFROG_HOST: '127.0.0.1',
          LEAPFROG_PORT: '0',
          ...(given[0] === 'serve' && { LEAPFROG_TOKEN: TOKEN }),
        });
        processes.push(server);
        const isUp = server.address.then(() => true);
        const ended = server.ended.then(() => false);
        // A worker does not listen: it is running if it does not exit.
        if (await Promise.race([isUp, ended, ...(given[0] === 'work' ? [pause(3000, true)] : [])])) return server;
        await pause(500);
      }
      throw new Error((await processes.at(-1)?.ended)?.output);
    }

    // biome-ignore lint/suspicious/noExplicitAny: what a server answers is checked by the assertions that read it
    async function ask(address: string, path: string, body?: object): Promise<any> {
      const headers = { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) };
      const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) };
      const answer = await fetch(address + path, init);
      const text = await answer.text();
      assert.ok(answer.ok, text);
      return JSON.parse(text);
    }

    test('create a fit that another front end also serves', async () => {
      const first = deployment.nats.includes('nats-0') ? 0 : 1;
      await startNatsCluster(first);
      const [one, other] = [await start(deployment.serve), await start(deployment.serve)];
      await start(deployment.work);
      const address = await one.address;
      assert.equal((await fetch(`${address}/v1/models`)).status, 401);
      for (const path of ['/v1/health', '/v1/ready']) assert.equal((await fetch(address + path)).status, 200);
      const program_code = 'parameters { real x; } model { x ~ std_normal(); }';
      const { name } = await ask(address, '/v1/models', { program_code });
      const request = { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', random_seed: 1 };
      let operation = await ask(await other.address, `/v1/${name}/fits`, request);
      for (let k = 0; k < 600 && !operation.done; k++) {
        await pause(100);
        operation = await ask(address, `/v1/${operation.name}`);
      }
      const fit = operation.metadata.fit.name;
      assert.equal(operation.result?.name, fit, JSON.stringify(operation));
      const summaries = [one, other].map(async (server) => ask(await server.address, `/v1/${fit}/summary`));
      const [summary, same] = await Promise.all(summaries);
      assert.deepEqual(same, summary);
      assert.ok(summary.variables.length > 0);
    });
  });
}
