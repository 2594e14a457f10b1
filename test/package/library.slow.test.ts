/** The package of the library alone, installed by npm in an empty folder without network access. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { examples } from '../library/examples.js';
import { ROOT, read } from '../project/tree.js';

const run = promisify(execFile);
const { version }: { version: string } = JSON.parse(read('package.json'));

describe('the package of the library alone', () => {
  let home: string;
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'leapfrog-library-'));
    execFileSync(process.execPath, ['scripts/build-library.mjs', '--folder', home], { cwd: ROOT });
    writeFileSync(join(home, 'package.json'), '{ "type": "module" }\n');
    const options = ['install', '--offline', '--no-audit', '--no-fund', '--silent', `./leapfrog-stan-${version}.tgz`];
    execFileSync('npm', options, { cwd: home });
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  it('depends on no other package', () => {
    assert.deepEqual(
      readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['leapfrog-stan'],
    );
  });

  it('has one module for Node, and a bundle for its threads', () => {
    const folder = join(home, 'node_modules/leapfrog-stan');
    const modules = readdirSync(join(folder, 'dist/src/node'), { encoding: 'utf8', recursive: true });
    assert.deepEqual(
      modules.filter((name) => name.endsWith('.js')),
      [join('library', 'index.js')],
    );
    assert.ok(readdirSync(join(folder, 'build/bundle')).includes('library-bundle.cjs'));
  });

  for (const [index, { code, name, output }] of examples().entries()) {
    it(`runs the example of docs/library.md under ${name}`, async () => {
      const file = `example-${index}.mjs`;
      writeFileSync(join(home, file), code.replaceAll("from 'leapfrog'", "from 'leapfrog-stan'"));
      const { stdout } = await run(process.execPath, [file], { cwd: home });
      assert.equal(stdout.trimEnd(), output);
    });
  }

  it('has types that TypeScript accepts, also within the package', async () => {
    const program = [
      "import { compile, type Fit } from 'leapfrog-stan';",
      "const model = await compile('parameters { real x; } model { x ~ std_normal(); }');",
      'const fit: Fit = await model.sample({ num_chains: 2 }).result();',
      "const draws: readonly Float64Array[] = fit.column('x');",
      'console.log(draws.length);',
    ];
    writeFileSync(join(home, 'typed.ts'), program.join('\n'));
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'esnext',
      '--module',
      'nodenext',
      '--lib',
      'esnext,dom',
      'typed.ts',
    ];
    await run(join(ROOT, 'node_modules', '.bin', 'tsc'), options, { cwd: home }).catch(
      ({ stdout }: { readonly stdout: string }) => assert.fail(stdout),
    );
    assert.match(readFileSync(join(home, 'node_modules/leapfrog-stan/README.md'), 'utf8'), /from 'leapfrog-stan'/);
  });

  it('can be bundled for a page', async () => {
    writeFileSync(join(home, 'page.js'), "import { compile } from 'leapfrog-stan';\ncompile('');\n");
    writeFileSync(join(home, 'index.html'), '<script type="module" src="./page.js"></script>');
    await build({ root: home, configFile: false, logLevel: 'error', build: { target: 'es2022' } });
    const assets = readdirSync(join(home, 'dist', 'assets'));
    for (const part of ['compiler-worker', 'runner-worker', 'statistics-worker', 'math', 'linear']) {
      assert.ok(
        assets.some((name) => name.startsWith(part)),
        `no ${part} among ${assets}`,
      );
    }
    const packed = (pattern: RegExp) => {
      const files = assets.filter((name) => pattern.test(name)).map((name) => join(home, 'dist', 'assets', name));
      return files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length / 1000, 0);
    };
    const parts = [/^index/, /^compiler-worker/, /^statistics-worker|\.wasm$/, /^runner-worker/];
    const sizes = parts.map(packed);
    const documented = [...read('docs/library.md').matchAll(/^\| .* \| +(\d+) \|$/gm)].map(([, size]) => Number(size));
    assert.equal(documented.length, sizes.length);
    for (const [index, size] of sizes.entries()) {
      assert.ok(Math.abs(size / documented[index] - 1) < 0.15, `${sizes} kB, and docs/library.md has ${documented}`);
    }
  });
});
