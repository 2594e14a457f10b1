/** The file system of the container image, in which the server runs with the entry point and the user of deploy/Dockerfile. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ROOT, read } from '../project/tree.js';
import { startCommand } from '../support/serving.js';

/** Maximum number of bytes of the files in the image. */
const LIMIT = 150e6;
const PROGRAM = 'parameters { real x; } model { x ~ std_normal(); }';

/** The image of the last stage of the Dockerfile. */
const stage = read('deploy/Dockerfile').split('\nFROM scratch\n')[1];
const wordsOf = (instruction: string) =>
  new RegExp(`^ *${instruction} (.*)$`, 'm').exec(stage)?.[1] ?? assert.fail(`The Dockerfile has no ${instruction}`);
/** The command of the health check, and the one that the image runs by default. */
const [check, command] = Array.from(stage.matchAll(/^ *CMD (.*)$/gm), ([, words]) => words);
const entryPoint: readonly string[] = JSON.parse(wordsOf('ENTRYPOINT'));
const user = wordsOf('USER');
const settings = Object.fromEntries(
  wordsOf('ENV')
    .split(' ')
    .map((each) => each.split('=', 2)),
);

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The reason why the image cannot be built or entered here; false if it can. */
function missing(): string | false {
  for (const program of ['ldd', 'strip', 'chroot']) {
    if (spawnSync(program, ['--version']).status !== 0) return `${program} is not installed`;
  }
  return spawnSync('chroot', [`--userspec=${user}`, '/', 'true']).status === 0 ? false : 'only root may use chroot';
}

describe('the container image', { skip: missing() }, () => {
  let folder: string;
  const image = () => join(folder, 'root');
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-image-'));
    execFileSync(process.execPath, ['scripts/build-image.mjs', '--folder', folder], { cwd: ROOT });
    const own = join(folder, 'own');
    cpSync(own, image(), { recursive: true });
    const [uid, gid] = user.split(':').map(Number);
    for (const name of readdirSync(own, { recursive: true, encoding: 'utf8' }))
      chownSync(join(image(), name), uid, gid);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** A command of the Dockerfile as one that enters the image. Its working directory is part of the paths. */
  function inside([node, ...given]: readonly string[]): string[] {
    assert.equal(node, 'node');
    const paths = given.map((word) => (word.startsWith('dist/') ? join(wordsOf('WORKDIR'), word) : word));
    return ['chroot', `--userspec=${user}`, image(), join(settings.PATH, node), ...paths];
  }

  it(`has at most ${LIMIT / 1e6} MB of files, which belong to no user but root`, () => {
    const places = readdirSync(image(), { recursive: true, encoding: 'utf8' }).map((name) => join(image(), name));
    const files = places.map((place) => lstatSync(place)).filter((found) => found.isFile());
    const total = files.reduce((sum, { size }) => sum + size, 0);
    assert.ok(total > 50e6 && total < LIMIT, `${total} bytes`);
    assert.ok(files.every(({ uid, mode }) => uid === 0 && (mode & 0o002) === 0));
  });

  it('has a user other than root, a folder for the store and an entry point', () => {
    assert.match(user, /^[1-9]\d*:[1-9]\d*$/);
    assert.equal(wordsOf('VOLUME'), settings.LEAPFROG_STORE);
    assert.deepEqual(JSON.parse(command), ['serve']);
  });

  it('is packed with its settings into a file in which each part has the name of its checksum', () => {
    const layout = join(folder, 'layout');
    mkdirSync(layout);
    execFileSync(process.execPath, ['scripts/pack-image.mjs', '--out', join(folder, 'image.tar')], { cwd: ROOT });
    execFileSync('tar', ['--extract', '--file', join(folder, 'image.tar'), '--directory', layout]);
    const blob = ({ digest }: { digest: string }) => {
      const bytes = readFileSync(join(layout, 'blobs', digest.replace(':', '/')));
      assert.equal(`sha256:${sha256(bytes)}`, digest);
      return bytes;
    };
    const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
    const manifest = JSON.parse(blob(index.manifests[0]).toString());
    const { config, rootfs } = JSON.parse(blob(manifest.config).toString());
    assert.deepEqual(
      [config.User, config.Entrypoint, config.Cmd, config.WorkingDir, config.Env.length, config.Healthcheck.Interval],
      [user, entryPoint, JSON.parse(command), wordsOf('WORKDIR'), Object.keys(settings).length, 10e9],
    );
    const layers: Buffer[] = manifest.layers.map((layer: { digest: string }) => gunzipSync(blob(layer)));
    assert.deepEqual(
      layers.map((layer) => `sha256:${sha256(layer)}`),
      rootfs.diff_ids,
    );
    const listed = layers.map((input) =>
      execFileSync('tar', ['--list', '--verbose', '--numeric-owner'], { input }).toString(),
    );
    assert.match(listed[0], / 0\/0 .* usr\/local\/bin\/node$/m);
    assert.match(listed[1], / 1000\/1000 .* data\/$/m);
    assert.doesNotMatch(listed.join(''), / \.\/$/m);
  });

  it('runs the server with its pages and a model, and is healthy', async () => {
    const { PATH: _, ...variables } = settings;
    const server = startCommand(inside([...entryPoint, 'serve', '--port', '0']), {
      ...variables,
      HOME: '/home/node',
      LEAPFROG_HOST: '127.0.0.1',
      LEAPFROG_TOKEN: 'secret',
    });
    try {
      const address = await server.address;
      const [program, ...given] = inside(JSON.parse(check.replace('http://127.0.0.1:8080', address)));
      assert.equal(spawnSync(program, given).status, 0);
      for (const path of ['/', '/docs/', '/docs/static/swagger-ui-bundle.js']) {
        assert.equal((await fetch(address + path)).status, 200, path);
      }
      const answer = await fetch(`${address}/v1/models`, {
        method: 'POST',
        headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
        body: JSON.stringify({ program_code: PROGRAM }),
      });
      assert.equal(answer.status, 201, await answer.text());
      await server.end('SIGTERM');
      assert.equal(spawnSync(program, given).status, 1);
    } finally {
      await server.end('SIGKILL');
    }
  });
});
