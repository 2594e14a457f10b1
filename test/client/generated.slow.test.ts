/** Runs the sessions in docs/http.md with clients that are generated from the OpenAPI description, if the generators are installed. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';
import { textsUnder } from '../support/documents.js';
import { withoutModules } from '../support/packages.js';
import { type Serving, serve } from '../support/serving.js';

const run = promisify(execFile);
const PAGE = 'docs/http.md';
const PYTHON = 'A Python client with openapi-python-client';
const TYPESCRIPT = 'A TypeScript client with openapi-typescript';
const GENERATED_PYTHON = 'A Python client with openapi-generator';
const GENERATED_TYPESCRIPT = 'A TypeScript client with openapi-generator';
/** The folder in which openapi-typescript, openapi-fetch and typescript are installed. */
const MODULES = process.env.LEAPFROG_OPENAPI_MODULES ?? '';

const withoutPython = withoutModules(['openapi_python_client', 'httpx']);
const withoutTypeScript = MODULES === '' ? 'LEAPFROG_OPENAPI_MODULES names no folder' : false;

const hasGenerator = spawnSync('openapi-generator-cli', ['version'], { stdio: 'ignore' }).status === 0;
const withoutGenerator = hasGenerator ? false : 'openapi-generator-cli does not run here';

describe('a client generated from the OpenAPI description', () => {
  let serving: Serving;
  let folder: string;
  before(async () => {
    serving = await serve();
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-generated-'));
  });
  after(async () => {
    await serving.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const here = (text: string) => text.replaceAll('http://127.0.0.1:8080', serving.address);

  /** All sessions print the log density at 0.5, and then the mean of theta, 3 / 12, and its R-hat. */
  function assertPrinted(stdout: string): void {
    assert.match(stdout, /^-10\.18\d*\ntheta 0\.2[3-7]\d* (?:0\.99|1\.0[01])\d*\n$/);
  }

  it('runs the session in Python', { skip: withoutPython }, async () => {
    const [commands] = textsUnder(PAGE, PYTHON, 'sh');
    await run('bash', ['-c', `set -e\n${here(commands)}`], { cwd: folder });
    const names = await readdir(join(folder, 'leapfrog_client', 'models'));
    // Names that generators invent for unnamed schemas.
    assert.deepEqual(
      names.filter((name) => /(?:_item|_type_\d+|response_\d+|additional_property)\.py$/.test(name)),
      [],
    );
    const [session] = textsUnder(PAGE, PYTHON, 'python');
    const { stdout } = await run('python3', ['-c', here(session)], { cwd: folder });
    assertPrinted(stdout);
  });

  it('runs the session in TypeScript with its types', { skip: withoutTypeScript }, async () => {
    const own = join(folder, 'typescript');
    await mkdir(own);
    await symlink(MODULES, join(own, 'node_modules'));
    await runTypeScript(TYPESCRIPT, join(MODULES, '.bin', 'tsc'), own);
  });

  it('runs the session in Python with openapi-generator', { skip: withoutGenerator || withoutPython }, async () => {
    const own = join(folder, 'generated-python');
    await mkdir(own);
    const [commands] = textsUnder(PAGE, GENERATED_PYTHON, 'sh');
    await run('bash', ['-c', `set -e\n${here(commands)}`], { cwd: own, maxBuffer: 1 << 26 });
    const [session] = textsUnder(PAGE, GENERATED_PYTHON, 'python');
    const env = { ...process.env, PYTHONPATH: join(own, 'client') };
    assertPrinted((await run('python3', ['-c', here(session)], { cwd: own, env })).stdout);
  });

  it('runs the session in TypeScript with openapi-generator', { skip: withoutGenerator }, async () => {
    const own = join(folder, 'generated-typescript');
    await mkdir(own);
    await runTypeScript(GENERATED_TYPESCRIPT, join(ROOT, 'node_modules', '.bin', 'tsc'), own);
  });

  /** Generates the client under a heading, compiles the session there, and runs it. */
  async function runTypeScript(heading: string, compiler: string, own: string): Promise<void> {
    const [command] = textsUnder(PAGE, heading, 'sh');
    await run('bash', ['-c', `set -e\n${here(command)}`], { cwd: own, maxBuffer: 1 << 26 });
    const [session] = textsUnder(PAGE, heading, 'ts');
    await writeFile(join(own, 'package.json'), '{ "type": "module" }');
    await writeFile(join(own, 'session.ts'), here(session));
    const language = [
      '--strict',
      '--skipLibCheck',
      '--target',
      'esnext',
      '--lib',
      'esnext,dom',
      '--module',
      'nodenext',
    ];
    await run(compiler, [...language, 'session.ts'], { cwd: own }).catch(({ stdout }: { readonly stdout: string }) =>
      assert.fail(stdout),
    );
    const { stdout } = await run(process.execPath, ['session.js'], { cwd: own });
    assertPrinted(stdout);
  }
});
