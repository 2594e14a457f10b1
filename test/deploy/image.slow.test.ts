/** The file system of the container image, in which the server runs with the entry point and the user of deploy/Dockerfile. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT, read } from '../project/tree.js';
import { startCommand } from '../support/serving.js';

/** Bytes that the files of the image may take. */
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

/** Why the image cannot be made or entered here; false where it can. */
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
