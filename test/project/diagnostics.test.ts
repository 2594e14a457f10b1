import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesBelow, isTest, read } from './tree.js';

/** Codes in calls of `message` and in literals of messages. */
const CODE = /\bmessage\(\s*'([a-z-]+)'|\bcode: '([a-z-]+)',\s*text\b/g;

test('docs/diagnostics.md lists the codes of all errors and warnings of programs', () => {
  const sources = [...['source', 'syntax', 'check', 'lower', 'analysis'].map((room) => `src/${room}`)]
    .flatMap((room) => filesBelow(room, '.ts'))
    .concat('src/compile.ts')
    .filter((path) => !isTest(path));
  const used = new Set(sources.flatMap((path) => [...read(path).matchAll(CODE)].map(([, one, other]) => one ?? other)));
  const listed = [...read('docs/diagnostics.md').matchAll(/^\| `([a-z-]+)` /gm)].map(([, code]) => code);
  assert.deepEqual([...used].sort(), [...new Set(listed)].sort());
  assert.equal(new Set(listed).size, listed.length, 'a code is listed twice');
});
