/**
 * Runs the code of every page of the documentation as a reader would: the shell blocks of a page in order, redirections included, in one folder that has
 * only the files that the page shows; then its blocks of the other languages, one process for each language.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { pythonDoor } from '../doors/python.js';
import { rDoor } from '../doors/r.js';
import { filesBelow, ROOT } from '../project/tree.js';
import { type Block, blocksOf, filesOf } from '../support/documents.js';
import { checkoutFiles } from '../support/posteriordb.js';
import { type Serving, serve } from '../support/serving.js';
import { EXCEPTIONS, WHOLE_PAGES } from './exceptions.js';
import { PRINTED } from './printed.js';

const execute = promisify(execFile);
const DOCUMENTED = 'http://127.0.0.1:8080';
/** Milliseconds until a session counts as endless, such as one that waits for an operation that does not exist. */
const LIMIT = 800_000;

/** How the blocks of a language run: their file, the command, and the reason why it cannot run here. */
interface Runner {
  readonly file: string;
  readonly command: readonly string[];
  readonly skip: string | false;
}

const shell = spawnSync('bash', ['-c', 'curl --version && jq --version'], { stdio: 'ignore' }).status === 0;
const RUNNERS: Readonly<Record<string, Runner>> = {
  sh: { file: 'session.sh', command: ['bash', '-e'], skip: !shell && 'bash, curl or jq does not run here' },
  python: { file: 'session.py', command: ['python3'], skip: pythonDoor.skip ?? false },
  r: { file: 'session.R', command: ['Rscript'], skip: rDoor.skip ?? false },
  js: { file: 'session.mjs', command: [process.execPath], skip: false },
};

/** Pages whose files another page names, with the files that their sessions write. */
const EARLIER: Readonly<Record<string, readonly string[]>> = { 'docs/cli.md': ['docs/http.md', 'docs/tutorial.md'] };

const checkout = Object.entries(checkoutFiles('eight_schools-eight_schools_noncentered'));
const posteriordb = Object.fromEntries(checkout.map(([path, text]) => [`posteriordb/${path}`, text]));

/** Files of the reader, under the names that stand for them in a page. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/cli.md': { 'lib/shared.stanfunctions': '', ...posteriordb },
};

const pages = ['README.md', 'CONTRIBUTING.md', 'python/README.md', ...filesBelow('docs', '.md')].sort();

function exceptionOf(page: string, { text }: Block): string | undefined {
  return EXCEPTIONS.find((exception) => exception.page === page && text.startsWith(exception.starts))?.reason;
}

/** The blocks of a page that run, by language. */
function sessionsOf(page: string): ReadonlyMap<string, readonly Block[]> {
  const run = page in WHOLE_PAGES ? [] : blocksOf(page).filter((block) => exceptionOf(page, block) === undefined);
  const languages = Object.keys(RUNNERS).map(
    (language) => [language, run.filter((block) => block.language === language)] as const,
  );
  return new Map(languages.filter(([, blocks]) => blocks.length > 0));
}

describe('the code of the documentation', () => {
  const home = mkdtempSync(join(tmpdir(), 'leapfrog-pages-'));
  let serving: Promise<Serving> | undefined;
  let library: Promise<string> | undefined;
  const folders = new Map<string, string>();
  after(async () => {
    await (await serving)?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  /** The folder in which a page has run. */
  function folderOf(page: string): string {
    return folders.get(page) ?? assert.fail(`${page} has not run`);
  }

  mkdirSync(join(home, 'node_modules'));
  symlinkSync(ROOT, join(home, 'node_modules', 'leapfrog'));
  const programs = join(home, 'bin');
  mkdirSync(programs);
  // A failure in a pipe or a substitution would not end the session.
  const command = [
    '#!/bin/sh',
    `'${process.execPath}' '${join(ROOT, 'dist/src/cli/main.js')}' "$@" && exit`,
    'echo "leapfrog $* failed" >> "$LEAPFROG_FAILURES"',
    'exit 1',
  ];
  writeFileSync(join(programs, 'leapfrog'), `${command.join('\n')}\n`, { mode: 0o755 });

  /** The library in which the R package is installed. */
  async function installed(): Promise<string> {
    const path = join(home, 'library');
    mkdirSync(path);
    await execute('R', ['CMD', 'INSTALL', '--no-docs', `--library=${path}`, join(ROOT, 'r')]);
    return path;
  }

  /** Runs the blocks of a language in the folder of a page. */
  async function run(language: string, blocks: readonly Block[], folder: string): Promise<string> {
    const { command, file } = RUNNERS[language];
    let text = language === 'sh' ? 'exec 2>&1\n' : '';
    text += blocks.map((block) => block.text).join('\n');
    if (text.includes(DOCUMENTED)) {
      serving ??= serve();
      text = text.replaceAll(DOCUMENTED, (await serving).address);
    }
    if (language === 'r') library ??= installed();
    writeFileSync(join(home, file), text);
    if (language === 'js') writeFileSync(join(folder, file), text);
    const failures = join(home, 'failures.txt');
    rmSync(failures, { force: true });
    const env = {
      ...process.env,
      HOME: folder,
      LEAPFROG_CODE_CACHE: join(home, 'code'),
      LEAPFROG_FAILURES: failures,
      LEAPFROG_NODE: process.execPath,
      PATH: `${programs}:${process.env.PATH}`,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: join(ROOT, 'python', 'src'),
      R_LIBS: [(await library) ?? '', process.env.R_LIBS ?? ''].join(':'),
    };
    const [program, ...words] = command;
    const path = language === 'js' ? file : join(home, file);
    const options = { cwd: folder, env, maxBuffer: 1 << 26, timeout: LIMIT };
    const { stdout, stderr } = await execute(program, [...words, path], options).catch(
      (error: { readonly killed: boolean; readonly stdout: string; readonly stderr: string }) =>
        assert.fail(`${error.killed ? 'the session does not end\n' : ''}${error.stdout}\n${error.stderr}`),
    );
    const failed = existsSync(failures) ? readFileSync(failures, 'utf8') : '';
    assert.equal(failed, '', stdout + stderr);
    return stdout;
  }

  for (const page of [...pages].sort((a, b) => Number(a in EARLIER) - Number(b in EARLIER))) {
    const sessions = sessionsOf(page);
    if (sessions.size === 0) continue;
    const skipped = [...sessions.keys()].map((language) => RUNNERS[language].skip).find((reason) => reason !== false);
    it(`runs in order: ${page}`, { skip: sessions.has('sh') && RUNNERS.sh.skip }, async (test) => {
      if (skipped !== undefined) test.diagnostic(skipped);
      const folder = mkdtempSync(join(home, 'page-'));
      folders.set(page, folder);
      for (const name of EARLIER[page] ?? []) cpSync(folderOf(name), folder, { recursive: true });
      const files = { ...filesOf(page), ...OWN[page] };
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      for (const [language, blocks] of sessions) {
        if (RUNNERS[language].skip !== false) continue;
        const output = await run(language, blocks, folder);
        if (language !== 'sh') continue;
        // docs/http-walkthrough.md shows the response to a wrong program.
        assert.doesNotMatch(output, /"code": ?[45]\d\d(?!,"status":"Bad Request","reason":"not_compiled")/);
        PRINTED[page]?.(output);
      }
      for (const [name, text] of Object.entries(files)) {
        assert.equal(readFileSync(join(folder, name), 'utf8'), text, `the session of ${page} changes ${name}`);
      }
    });
  }

  it('runs on most pages', () => {
    assert.ok(pages.filter((page) => sessionsOf(page).size > 0).length >= 8);
  });

  it('has no exceptions for blocks and pages that do not exist', () => {
    const unused = EXCEPTIONS.filter(
      ({ page, starts }) => !blocksOf(page).some((block) => block.language in RUNNERS && block.text.startsWith(starts)),
    );
    assert.deepEqual(unused, []);
    assert.deepEqual(
      Object.keys(WHOLE_PAGES).filter((page) => !pages.includes(page)),
      [],
    );
  });
});
