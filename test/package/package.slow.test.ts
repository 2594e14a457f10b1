/** The package of `scripts/build-npm.mjs`, installed in an empty folder with its dependencies but without the tools for building. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { build } from 'vite';
import { examples } from '../library/examples.js';
import { filesBelow, ROOT, read } from '../project/tree.js';
import { startCommand } from '../support/serving.js';

const run = promisify(execFile);

const { version, bin }: { version: string; bin: { leapfrog: string } } = JSON.parse(read('package.json'));
const [example] = examples();

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: unknown;
}

/** Folders of the packages that are installed beside one with these dependencies, according to the lock file. */
function besides({ dependencies = {} }: Manifest): Set<string> {
  const { packages }: { packages: Record<string, Manifest> } = JSON.parse(read('package-lock.json'));
  const found = new Set(Object.keys(dependencies).map((name) => `node_modules/${name}`));
  for (const path of found) {
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) found.add(`node_modules/${name}`);
  }
  return found;
}

describe('the package', () => {
  let folder: string;
  let installed: string;
  const manifest = (): Manifest => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-package-'));
    execFileSync(process.execPath, ['scripts/build-npm.mjs', '--folder', folder], { cwd: ROOT });
    execFileSync('tar', ['-xzf', join(folder, `leapfrog-${version}.tgz`), '-C', folder]);
    installed = join(folder, 'home', 'node_modules', 'leapfrog');
    mkdirSync(dirname(installed), { recursive: true });
    renameSync(join(folder, 'package'), installed);
    for (const path of besides(manifest())) {
      const target = join(folder, 'home', path);
      if (!existsSync(join(ROOT, path))) continue;
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(join(ROOT, path), target);
    }
    mkdirSync(join(folder, 'home', 'node_modules', '.bin'));
    symlinkSync(join(installed, bin.leapfrog), join(folder, 'home', 'node_modules', '.bin', 'leapfrog'));
    chmodSync(join(installed, bin.leapfrog), 0o755);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('contains built files, types and kernels, and neither tests nor sources', () => {
    const files = readdirSync(installed, { recursive: true }).map(String);
    for (const needed of [
      'build/linear.wasm',
      'build/math.wasm',
      'build/text.wasm',
      'build/bundle/main.cjs',
      'build/bundle/LICENSES.txt',
      'dist/web/LICENSES.txt',
      'dist/web/index.html',
      'README.md',
      'LICENSE',
    ]) {
      assert.ok(files.includes(needed), `no ${needed}`);
    }
    const sources = filesBelow('src', '.ts').filter(
      (file) => !/\.test\.ts$|\.d\.ts$|^src\/kernels\/|\/testing\//.test(file),
    );
    const lacking = sources.flatMap((file) => {
      const built = `dist/${file.slice(0, -'.ts'.length)}`;
      return [`${built}.js`, `${built}.d.ts`].filter((name) => !files.includes(name));
    });
    assert.deepEqual(lacking, []);
    assert.deepEqual(
      files.filter((file) => file.includes('.test.') || file.startsWith('src') || file.startsWith('test')),
      [],
    );
  });

  it('has the notices of the packages in its bundles and of the library in its kernels', () => {
    const text = readFileSync(join(installed, 'build/bundle/LICENSES.txt'), 'utf8');
    for (const part of [/^fastify \d/m, /^Apache Arrow JavaScript$/m, /^assemblyscript \d/m]) assert.match(text, part);
  });

  it('has neither scripts nor dependencies that its bundles contain', () => {
    const { dependencies, scripts } = manifest();
    assert.deepEqual(Object.keys(dependencies ?? {}), ['@fastify/static', '@fastify/swagger-ui', 'typebox']);
    assert.equal(scripts, undefined);
  });

  it('can be imported in Node', async () => {
    const home = join(folder, 'home');
    writeFileSync(join(home, 'example.mjs'), example.code);
    const { stderr, stdout } = await run(process.execPath, ['example.mjs'], { cwd: home });
    assert.equal(stderr, '');
    assert.equal(stdout.trim(), example.output);
  });

  it('can be bundled for a page', async () => {
    const home = join(folder, 'home');
    writeFileSync(join(home, 'index.html'), '<script type="module" src="./example.mjs"></script>');
    writeFileSync(join(home, 'example.mjs'), example.code);
    await build({ root: home, configFile: false, logLevel: 'error', build: { target: 'es2022' } });
    const assets = readdirSync(join(home, 'dist', 'assets'));
    for (const part of ['compiler-worker', 'runner-worker', 'statistics-worker', 'math', 'linear', 'index']) {
      assert.ok(
        assets.some((name) => name.startsWith(part)),
        `no ${part} among ${assets}`,
      );
    }
  });

  it('serves with npx in an empty folder', async () => {
    const home = join(folder, 'home');
    const command = ['npx', '--offline', 'leapfrog', 'serve', '--port', '0', '--store', join(folder, 'store')];
    const server = startCommand(command, {}, home);
    try {
      const program = 'parameters { real x; } model { x ~ normal(0, 1); }';
      assert.equal((await fetch(`${await server.address}/docs/`)).status, 200);
      const response = await fetch(`${await server.address}/v1/models`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ program_code: program }),
      });
      assert.equal(response.status, 201);
    } finally {
      await server.end('SIGTERM');
    }
  });

  it('has a command line that samples', async () => {
    const home = join(folder, 'home');
    writeFileSync(join(home, 'model.stan'), 'parameters { real x; }\nmodel { x ~ normal(0, 1); }\n');
    const { stdout } = await run('npx', ['--offline', 'leapfrog', 'sample', 'model.stan', '--seed', '1'], {
      cwd: home,
    });
    assert.match(stdout, /model-sample\.csv/);
    assert.ok(existsSync(join(home, 'model-sample.csv')));
  });
});
