/** Runs the sessions in docs/http.md, docs/httpstan.md and docs/http-walkthrough.md unchanged; sessions in other languages run only if these are installed. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../project/tree.js';
import { blocksOf, textsUnder } from '../support/documents.js';
import { withoutModules, withoutPackages } from '../support/packages.js';
import { type Serving, serve } from '../support/serving.js';

const PAGE = 'docs/http.md';
const DOCUMENTED = 'http://127.0.0.1:8080';

let serving: Serving;
let folder: string;
before(async () => {
  serving = await serve();
  folder = await mkdtemp(join(tmpdir(), 'leapfrog-session-'));
  const [program] = blocksOf(PAGE).filter(({ language }) => language === 'stan');
  const [data] = blocksOf(PAGE).filter(({ language }) => language === 'json');
  await writeFile(join(folder, 'bernoulli.stan'), program.text);
  await writeFile(join(folder, 'bernoulli.json'), data.text);
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules', 'leapfrog'));
});
after(async () => {
  await serving.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program file in the folder against the server. */
async function run(command: string, name: string, text: string): Promise<Ended> {
  await writeFile(join(folder, name), text.replaceAll(DOCUMENTED, serving.address));
  const child = spawn(command, [name], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });
}

/** The reason why a session cannot run on this machine; false if it can. */
function missing(command: string, ...args: readonly string[]): string | false {
  const { error, status } = spawnSync(command, args, { stdio: 'ignore' });
  return error === undefined && status === 0 ? false : `${[command, ...args].join(' ')} does not run here`;
}

/** The sessions end with the posterior mean, 3 / 12, within six of its Monte Carlo errors. */
function assertMean(output: string): void {
  const numbers = output.match(/\b0\.2[3-7]\d*/g) ?? [];
  assert.ok(numbers.length > 0, output);
}

const withShell = missing('bash', '-c', 'curl --version && jq --version');
const withPython = withoutModules(['requests']);
const withR = withoutPackages(['httr2', 'jsonlite']);

describe('the session of docs/http.md', () => {
  it('runs in curl', { skip: withShell }, async () => {
    const { code, output } = await run('bash', 'session.sh', `set -e\n${textsUnder(PAGE, 'curl', 'sh').join('\n')}`);
    assert.equal(code, 0, output);
    assert.match(output, /"log_prob_grad":\[/);
    assertMean(output);
  });

  it('runs in TypeScript', async () => {
    const { code, output } = await run(
      process.execPath,
      'session.mjs',
      textsUnder(PAGE, 'TypeScript', 'ts').join('\n'),
    );
    assert.equal(code, 0, output);
    assert.match(output, /^-10\.18\d* Float64Array\(1\) \[ -4\.46\d* \]$/m);
    assert.match(output, /^Iteration: .*\(Sampling\)$/m);
    assert.match(output, /^not_compiled Syntax error in /m);
    assertMean(output);
  });

  it('runs in Python', { skip: withPython }, async () => {
    const [session] = textsUnder(PAGE, 'Python', 'python');
    const { code, output } = await run('python3', 'session.py', session);
    assert.equal(code, 0, output);
    assertMean(output);
  });

  it('runs in R', { skip: withR }, async () => {
    const { code, output } = await run('Rscript', 'session.R', textsUnder(PAGE, 'R', 'r').join('\n'));
    assert.equal(code, 0, output);
    assertMean(output);
  });
});

describe('the session of docs/httpstan.md', () => {
  it('runs in PyStan', { skip: withoutModules(['requests', 'stan']) }, async () => {
    const [session] = textsUnder('docs/httpstan.md', 'PyStan on a server', 'python');
    const { code, output } = await run('python3', 'pystan_session.py', session);
    assert.equal(code, 0, output);
    assertMean(output);
  });
});

describe('the session of docs/http-walkthrough.md', () => {
  const heading = 'From a program to draws';
  const session = blocksOf('docs/http-walkthrough.md').filter((block) => block.heading === heading);

  it('prints what the page shows when it is pasted as a whole', {
    skip: missing('bash', '-c', 'curl --version'),
  }, async () => {
    const script = session
      .filter(({ language }) => language === 'sh')
      .map(({ text }) => text)
      .join('\n');
    const { code, output } = await run('bash', 'walkthrough.sh', script);
    assert.equal(code, 0, output);
    const [message, ...answers] = session.filter(({ language }) => language === '').map(({ text }) => text.trim());
    assert.ok(output.includes(JSON.stringify(message).slice(0, -1)), output);
    for (const answer of answers) assert.ok(output.split('\n').includes(answer), `${answer}\n---\n${output}`);
  });

  for (const title of ['Beyond sampling', 'Checking and formatting programs']) {
    it(`continues: ${title}`, { skip: missing('bash', '-c', 'curl --version') }, async () => {
      const [first] = textsUnder('docs/http-walkthrough.md', heading, 'sh');
      const definitions = first.split('\n').slice(0, 2).join('\n');
      const script = `${definitions}\n${textsUnder('docs/http-walkthrough.md', title, 'sh').join('\n')}`;
      const { code, output } = await run('bash', 'walkthrough.sh', script);
      assert.equal(code, 0, output);
      assert.doesNotMatch(output, /"code":\d/);
    });
  }
});
