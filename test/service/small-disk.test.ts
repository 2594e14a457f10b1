import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ServerProcess, startServing } from '../support/serving.js';
import { Speaker } from './crashing/speaker.js';

const PROGRAM = 'parameters { vector[20] x; } model { x ~ normal(0, 1); }';
const FUNCTION = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const NO_SPACE = /The disk of the store is full/;

/** A folder of 16 MB, or the reason why it cannot be mounted. */
function mountSmallDisk(): { readonly folder: string; readonly problem?: string } {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-small-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder], { encoding: 'utf8' });
  return mounted.status === 0
    ? { folder }
    : { folder, problem: `cannot mount a tmpfs: ${mounted.error?.message ?? mounted.stderr.trim()}` };
}

const { folder, problem } = mountSmallDisk();

describe('a store on a disk that fills up', { skip: problem ?? false }, () => {
  let server: ServerProcess;
  let speaker: Speaker;
  let model: string;
  let kept: { readonly name: string; readonly text: string };
  const filler = join(folder, 'filler');

  before(async () => {
    server = startServing(join(folder, 'store'));
    speaker = new Speaker(await server.address);
    model = (await speaker.demand('POST', '/v1/models', { program_code: PROGRAM })).name;
    const { result } = await speaker.finished(await start(1));
    kept = { name: result.name, text: (await speaker.ask('GET', `/v1/${result.name}`)).text };
  });
  after(async () => {
    await server.end('SIGTERM');
    spawnSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(random_seed: number): Promise<string> {
    const body = { function: FUNCTION, random_seed, num_warmup: 100, num_samples: 1000, save_warmup: true };
    return (await speaker.demand('POST', `/v1/${model}/fits`, body)).name;
  }

  async function isAsBefore(): Promise<void> {
    const { status, text } = await speaker.ask('GET', `/v1/${kept.name}`);
    assert.equal(status, 200);
    assert.equal(text, kept.text);
    assert.equal((await speaker.ask('GET', `/v1/${kept.name}/summary`)).status, 200);
    assert.equal((await speaker.ask('GET', '/v1/health')).status, 200);
  }

  test('rejects fits and models and serves the existing ones', async () => {
    fill(filler);
    const refused = await speaker.ask('POST', `/v1/${model}/fits`, { function: FUNCTION, random_seed: 2 });
    if (refused.status === 201) {
      const { metadata, result } = await speaker.finished(JSON.parse(refused.text).name);
      assert.equal(result.code, 503);
      assert.match(result.message, NO_SPACE);
      assert.equal((await speaker.ask('GET', `/v1/${metadata.fit.name}`)).status, 404);
    } else {
      assert.equal(refused.status, 503);
      assert.match(refused.text, NO_SPACE);
    }
    const other = await speaker.ask('POST', '/v1/models', { program_code: `${PROGRAM} generated quantities { }` });
    assert.equal(other.status, 503);
    assert.match(other.text, NO_SPACE);
    await isAsBefore();
  });

  test('starts with a full disk and serves the existing fits', async () => {
    await server.end('SIGKILL');
    server = startServing(join(folder, 'store'));
    speaker = new Speaker(await server.address);
    await isAsBefore();
  });

  test('accepts fits again when there is space', async () => {
    rmSync(filler);
    const { result } = await speaker.finished(await start(3));
    assert.equal((await speaker.ask('GET', `/v1/${result.name}`)).status, 200);
    await isAsBefore();
  });

  test('completes many concurrent fits or reports a clear error, and keeps no incomplete fit', async () => {
    const names = await Promise.all(Array.from({ length: 24 }, (_, k) => start(100 + k)));
    let failed = 0;
    for (const name of names) {
      const { metadata, result } = await speaker.finished(name);
      const { status, text } = await speaker.ask('GET', `/v1/${metadata.fit.name}`);
      if (result.name === undefined) {
        failed += 1;
        assert.equal(result.code, 503);
        assert.match(result.message, NO_SPACE);
        assert.equal(status, 404);
      } else {
        assert.equal(status, 200);
        assert.equal(text.match(/"topic":"sample","values":\{/g)?.length, 1100);
      }
    }
    assert.ok(failed > 0 && failed < names.length, `${failed} of ${names.length} failed`);
    await isAsBefore();
  });
});

/** Writes a file until the disk is full. */
function fill(path: string): void {
  const descriptor = openSync(path, 'w');
  const block = new Uint8Array(4096);
  try {
    for (;;) writeSync(descriptor, block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(descriptor);
  }
}
