/** A store does not change other files, and restricts the permissions of its own files. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ofOneProcess } from '../support/cluster.js';
import { startServing } from '../support/serving.js';
import { fakeEngine, TestServer } from './harness.js';

const FIXED = 'stan::services::sample::fixed_param';
const ID = 'a'.repeat(24);
const OTHER = 'b'.repeat(24);

/** The paths of everything in a folder, with the contents of files. */
function tree(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      return [relative(folder, path), entry.isFile() ? readFileSync(path, 'utf8') : ''];
    }),
  );
}

function write(path: string, content = 'mine'): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

describe('a file outside the store', { skip: ofOneProcess.folder }, () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-neighbors-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function start(): Promise<TestServer> {
    return TestServer.start({ engine: fakeEngine, store: folder });
  }

  async function fit(server: TestServer): Promise<{ readonly model: string; readonly fit: string }> {
    const model = await server.model('normal');
    const { json } = await server.post(`${model}/fits`, { function: FIXED, num_samples: 10, random_seed: 1 });
    await server.finished(json.name);
    return { model, fit: `/v1/${json.metadata.fit.name}` };
  }

  test('does not make a folder a store, and is not changed', async () => {
    const cases = [
      ['fits/mine/draws.csv', /contains fits but no file "format" of a store/],
      ['temporary/thesis.tex', /contains temporary but/],
      ['models/m/program.stan', /contains models but/],
      ['format', /contains format but/],
      ['lock', /contains lock but/],
    ] as const;
    for (const [path, message] of cases) {
      const store = join(folder, path.replaceAll('/', '-'));
      write(join(store, path));
      const before = tree(store);
      const { code, output } = await startServing(store).ended;
      assert.equal(code, 1);
      assert.match(output, /^error: the folder .* is not a store: it .*; set --store to an empty or new folder$/m);
      assert.match(output, message);
      assert.deepEqual(tree(store), before);
    }
    const { code, output } = await startServing(write(join(folder, 'file'))).ended;
    assert.equal(code, 1);
    assert.match(output, /^error: .*file is not a folder; set --store to an empty or new folder$/m);
  });

  test('is never removed, even if the store is', async () => {
    const first = await start();
    const made = await fit(first);
    await first.stop();
    const [fitFolder] = readdirSync(join(folder, 'fits'));
    const modelId = made.model.split('/')[3];
    const inFolders = ['fits/mine/draws.csv', 'models/notes.txt', 'temporary/thesis.tex', 'operations/ended/x.json'];
    const more = ['lock/note', 'temporary/folder/file', `fits/${ID}.${OTHER}/draws.csv`, 'operations/running/a.tmp'];
    const mine = [...inFolders, ...more, 'README'].map((name) => write(join(folder, name)));
    write(join(folder, 'models', modelId, 'notes.txt'), 'of a model');
    write(join(folder, 'models', modelId, 'compiled', 'more', 'notes.txt'), 'of its code');
    write(join(folder, 'fits', fitFolder, 'plot.pdf'), 'of a fit');
    const contents = () => Object.values(tree(folder)).filter((text) => text.startsWith('of '));

    const second = await start();
    assert.equal((await second.get(made.fit)).status, 200);
    assert.equal((await second.delete('/v1/cache')).status, 200);
    assert.equal((await second.get(made.model)).status, 404);
    assert.deepEqual(contents().sort(), ['of a fit', 'of a model', 'of its code']);
    await fit(second);
    await second.delete(made.model);
    await second.stop();
    await (await start()).stop();
    for (const path of mine) assert.equal(readFileSync(path, 'utf8'), 'mine');
    assert.deepEqual(contents().sort(), ['of a fit', 'of a model', 'of its code']);
  });

  test('in place of a record prevents neither the start nor a list', async () => {
    const first = await start();
    const made = await fit(first);
    await first.stop();
    for (const [index, name] of ['operations/running', 'operations/ended'].entries()) {
      mkdirSync(join(folder, name, `${ID}.json`));
      symlinkSync('/etc/passwd', join(folder, name, `${OTHER}.json`));
      execFileSync('mkfifo', [join(folder, name, `${String(index + 2).repeat(24)}.json`)]);
    }
    write(join(folder, 'models', ID));
    mkdirSync(join(folder, 'models', OTHER, 'model.json'), { recursive: true });
    mkdirSync(join(folder, 'models', 'c'.repeat(24)));
    execFileSync('mkfifo', [join(folder, 'models', 'c'.repeat(24), 'model.json')]);
    symlinkSync(folder, join(folder, 'models', 'd'.repeat(24)));
    const modelId = made.model.split('/')[3];
    write(join(folder, 'fits', `${modelId}.${ID}.0123456789abcdef`));
    symlinkSync(folder, join(folder, 'fits', `${modelId}.${OTHER}.0123456789abcdef`));
    execFileSync('mkfifo', [
      write(join(folder, 'fits', `${modelId}.${'c'.repeat(24)}.0123456789abcdef`, 'plot')).concat('.2'),
    ]);
    symlinkSync(folder, join(folder, 'temporary', `${modelId}.${OTHER}.0123456789abcdef`));
    mkdirSync(join(folder, 'lock', '0123abcd'));

    const second = await start();
    try {
      assert.equal((await second.get('/v1/models')).json.models.length, 1);
      assert.equal((await second.get(`${made.model}/fits`)).json.fits.length, 1);
      assert.equal((await second.get('/v1/operations')).json.operations.length, 1);
      assert.equal((await second.get('/v1/cache')).status, 200);
      for (const id of [ID, OTHER, '2'.repeat(24), '3'.repeat(24)]) {
        assert.equal((await second.get(`/v1/operations/${id}`)).status, 404);
      }
      assert.equal((await second.get(`/v1/models/${'c'.repeat(24)}`)).status, 404);
      assert.equal((await second.get(made.fit)).status, 200);
    } finally {
      await second.stop();
    }
  });

  test('is private: other users can read neither models nor fits', async () => {
    const mask = process.umask(0);
    try {
      const server = await start();
      await fit(server);
      await server.stop();
      chmodSync(join(folder, 'fits'), 0o755);
      await (await start()).stop();
    } finally {
      process.umask(mask);
    }
    const modes = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      return [relative(folder, path), statSync(path).mode & 0o077];
    });
    assert.ok(modes.length > 15);
    assert.deepEqual(
      modes.filter(([, mode]) => mode !== 0),
      [],
    );
  });
});

describe('a request', () => {
  for (const token of [undefined, 'secret']) {
    test(`with two Host headers, or none, is rejected ${token === undefined ? 'without' : 'with'} a token`, async (context) => {
      const server = await TestServer.start({ engine: fakeEngine, token });
      context.after(() => server.remove());
      const { hostname, port } = new URL(server.address);
      const answer = (headers: string) =>
        new Promise<string>((resolve, reject) => {
          let text = '';
          const socket = connect(Number(port), hostname, () =>
            socket.write(
              `GET /v1/health HTTP/1.1\r\n${headers}Authorization: Bearer secret\r\nConnection: close\r\n\r\n`,
            ),
          );
          socket.setEncoding('utf8').on('data', (more) => {
            text += more;
          });
          socket.on('end', () => resolve(text)).on('error', reject);
        });
      assert.match(await answer('Host: localhost\r\n'), /^HTTP\/1.1 200 /);
      assert.match(await answer('Host: localhost\r\nhost: localhost\r\n'), /^HTTP\/1.1 400 .*several Host headers/s);
      assert.match(await answer(''), /^HTTP\/1.1 400 .*no Host header/s);
    });
  }
});
