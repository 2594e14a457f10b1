import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { INPUT_LIMIT, readInput, readText, UnreadableFile } from './input-files.js';

describe('an input', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);
  const refused = (read: () => unknown, message: RegExp) =>
    assert.throws(read, (error) => error instanceof UnreadableFile && message.test(error.message));
  const largeFile = (bytes: number) => {
    writeFileSync(path('large'), '');
    truncateSync(path('large'), bytes);
  };
  /** A named pipe to which another process writes bytes. */
  const pipe = (bytes: number) => {
    rmSync(path('pipe'), { force: true });
    execFileSync('mkfifo', [path('pipe')]);
    spawn('sh', ['-c', `head -c ${bytes} /dev/zero > '${path('pipe')}'`], { stdio: 'ignore' });
    return path('pipe');
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-inputs-'));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    delete process.env[INPUT_LIMIT];
  });

  it('is read in full from a file, a pipe, or a file of unknown size', () => {
    writeFileSync(path('text'), 'a\nb');
    assert.equal(readText(path('text')), 'a\nb');
    writeFileSync(path('empty'), '');
    assert.equal(readText(path('empty')), '');
    assert.equal(readText('/dev/null'), '');
    assert.match(readText('/proc/self/status'), /^Name:/);
    assert.equal(readInput(pipe(300_000)).length, 300_000);
  });

  it('may have at most as many bytes as the limit', () => {
    for (const [limit, bytes] of [
      [1, 2 ** 20],
      [2, 2 ** 21],
    ]) {
      process.env[INPUT_LIMIT] = String(limit);
      largeFile(bytes);
      assert.equal(readInput(path('large')).length, bytes);
      assert.equal(readInput(pipe(bytes)).length, bytes);
      const message = new RegExp(`large is larger than ${limit} MiB, .* --max-input or LEAPFROG_MAX_INPUT`);
      largeFile(bytes + 1);
      refused(() => readInput(path('large')), message);
      refused(() => readInput(pipe(bytes + 1)), /pipe is larger than . MiB/);
    }
    assert.equal(readInput(path('large'), { limit: 3 }).length, 2 ** 21 + 1);
  });

  it('is rejected if it is endless or not a file', () => {
    process.env[INPUT_LIMIT] = '1';
    refused(() => readInput('/dev/zero'), /^\/dev\/zero is a device/);
    refused(() => readInput(folder, { name: 'it' }), /^it cannot be read: illegal operation on a directory/);
    refused(() => readInput(path('none')), /none cannot be read: no such file or directory/);
  });

  it('must be a regular file if one is required, which does not wait for a pipe', () => {
    execFileSync('mkfifo', [path('unwritten')]);
    refused(() => readInput(path('unwritten'), { regular: true }), /unwritten is not a regular file/);
    refused(() => readInput('/dev/null', { regular: true }), /is not a regular file/);
  });

  it('is UTF-8 if it is text', () => {
    writeFileSync(path('latin'), Buffer.from([97, 10, 0xe9, 10]));
    refused(() => readText(path('latin'), { name: 'it' }), /^it is not valid UTF-8 \(line 2\)$/);
  });

  it('is not read with an invalid limit', () => {
    for (const limit of ['0', '1.5', 'many', '4097']) {
      process.env[INPUT_LIMIT] = limit;
      refused(() => readInput('/dev/null'), /^LEAPFROG_MAX_INPUT is ".*", but must be an integer from 1 to 4096/);
    }
  });
});
