import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readNamedTokens, readTokenFile } from './tokens.js';

const folder = mkdtempSync(join(tmpdir(), 'leapfrog-tokens-'));
after(() => rmSync(folder, { recursive: true }));

/** A new file with permissions. */
function fileOf(content: string, mode = 0o600): string {
  const path = join(mkdtempSync(join(folder, 'file-')), 'secrets');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const refuseWarning = (text: string) => assert.fail(text);

describe('a file with a token', () => {
  test('contains a token that may end with a newline', () => {
    for (const end of ['', '\n', '\r\n']) assert.equal(readTokenFile(fileOf(`secret${end}`), refuseWarning), 'secret');
  });

  test('is rejected with its name if it contains anything else', () => {
    for (const content of ['', '\n', 'one two', 'one\ntwo', 'schlüssel'])
      assert.throws(() => readTokenFile(fileOf(content), refuseWarning), /secrets must contain one token and nothing/);
    assert.throws(
      () => readTokenFile(join(folder, 'none'), refuseWarning),
      /^CommandError: error: .*none cannot be read/,
    );
  });

  test('causes a warning if other users can read it', { skip: process.platform === 'win32' }, () => {
    const warnings: string[] = [];
    assert.equal(
      readTokenFile(fileOf('secret', 0o644), (text) => warnings.push(text)),
      'secret',
    );
    assert.match(warnings.join('\n'), /^\S*secrets contains secrets, but all users .*: chmod o-r \S*secrets$/);
  });
});

describe('a file with several tokens', () => {
  const read = (list: unknown) => readNamedTokens(fileOf(JSON.stringify(list)), refuseWarning);

  test('contains names, tokens and limits', () => {
    const tokens = read([
      { name: 'ann', token: 'a-secret' },
      { name: 'team_2.b-c', token: 'b-secret', max_queue: 7 },
    ]);
    assert.deepEqual(tokens, [
      { name: 'ann', token: 'a-secret' },
      { name: 'team_2.b-c', token: 'b-secret', maxQueue: 7 },
    ]);
  });

  test('is rejected with all problems and their places', () => {
    const list = [
      'ann',
      { token: 'a' },
      { name: 'no spaces', token: 'b' },
      { name: 'c', token: 'schlüssel' },
      { name: 'd', token: 'd', max_queue: 0 },
      { name: 'e', token: 'e', max_queue: '5', limit: 1 },
      { name: 'f', token: 'd' },
      { name: 'd', token: 'g' },
    ];
    assert.throws(
      () => read(list),
      ({ message }: Error) => {
        const problems = message.split('\n').map((line) => /^error: \S+secrets: (.*)$/.exec(line)?.[1]);
        assert.deepEqual(problems, [
          '/0 must be an object with name and token',
          '/1/name must consist of 1 to 64 letters, digits, dots, hyphens and underscores',
          '/2/name must consist of 1 to 64 letters, digits, dots, hyphens and underscores',
          '/3/token is invalid. It must consist of visible ASCII characters without spaces.',
          '/4/max_queue is invalid. It must be an integer from 1 to 1000000.',
          '/5/max_queue is invalid. It must be an integer from 1 to 1000000.',
          '/5/limit is unknown; the members are name, token and max_queue',
          '/7/name is also that of /4',
          '/6/token is also that of /4',
        ]);
        return true;
      },
    );
  });

  test('is an array with at least one entry, and its contents do not appear in messages', () => {
    for (const content of ['', '[]', '{}', 'null', '[{ "name": "ann", "token": "a-secret" }'])
      assert.throws(
        () => readNamedTokens(fileOf(content), refuseWarning),
        ({ message }: Error) => /secrets (must be a JSON array|is not JSON)/.test(message) && !/a-secret/.test(message),
      );
  });

  test('causes a warning if other users can read it', { skip: process.platform === 'win32' }, () => {
    const warnings: string[] = [];
    readNamedTokens(fileOf('[{ "name": "ann", "token": "a-secret" }]', 0o604), (text) => warnings.push(text));
    assert.equal(warnings.length, 1);
  });
});
