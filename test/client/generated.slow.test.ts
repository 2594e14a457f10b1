/** Runs the sessions in docs/http.md with clients that are generated from the OpenAPI description, if the generators are installed. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { textsUnder } from '../support/documents.js';
import { type Serving, serve } from '../support/serving.js';

const run = promisify(execFile);
const PAGE = 'docs/http.md';
const PYTHON = 'A Python client by openapi-python-client';
const TYPESCRIPT = 'A TypeScript client by openapi-typescript';
/** Where openapi-typescript, openapi-fetch and typescript are installed. */
const MODULES = process.env.LEAPFROG_OPENAPI_MODULES ?? '';

const { status } = spawnSync('python3', ['-c', 'import openapi_python_client, httpx'], { stdio: 'ignore' });
const withoutPython = status === 0 ? false : 'python3 has no openapi_python_client';
const withoutTypeScript = MODULES === '' ? 'LEAPFROG_OPENAPI_MODULES names no folder' : false;

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

  /** Both sessions print the log density at 0.5, and then the mean of theta, 3 / 12, and its R-hat. */
  function assertPrinted(stdout: string): void {
    assert.match(stdout, /^-10\.18\d*\ntheta 0\.2[3-7]\d* (?:0\.99|1\.0[01])\d*\n$/);
  }

  it('runs the session in Python', { skip: withoutPython }, async () => {
    const [commands] = textsUnder(PAGE, PYTHON, 'sh');
    await run('bash', ['-c', `set -e\n${here(commands)}`], { cwd: folder });
    const names = await readdir(join(folder, 'leapfrog_client', 'models'));
    // What generators call schemas without a name.
    assert.deepEqual(
      names.filter((name) => /(?:_item|_type_\d+|response_\d+|additional_property)\.py$/.test(name)),
      [],
    );
    const [session] = textsUnder(PAGE, PYTHON, 'python');
    const { stdout } = await run('python3', ['-c', here(session)], { cwd: folder });
    assertPrinted(stdout);
  });

  it('runs the session in TypeScript with its types', { skip: withoutTypeScript }, async () => {
    await symlink(MODULES, join(folder, 'node_modules'));
    const [command] = textsUnder(PAGE, TYPESCRIPT, 'sh');
    await run('bash', ['-c', here(command)], { cwd: folder });
    const [session] = textsUnder(PAGE, TYPESCRIPT, 'ts');
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'session.ts'), here(session));
    const options = ['--strict', '--skipLibCheck', '--target', 'esnext', '--module', 'nodenext', 'session.ts'];
    await run(join(MODULES, '.bin', 'tsc'), options, { cwd: folder }).catch(({ stdout }: { readonly stdout: string }) =>
      assert.fail(stdout),
    );
    const { stdout } = await run(process.execPath, ['session.js'], { cwd: folder });
    assertPrinted(stdout);
  });
});
