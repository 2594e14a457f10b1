import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAILURE_CODES } from '../../src/model/failure-detail.js';
import { filesBelow, isTest, read } from './tree.js';

/** Codes in calls of `message` and in literals of messages. */
const CODE = /\bmessage\(\s*'([a-z-]+)'|\bcode: '([a-z-]+)',\s*text\b/g;

const AT_RUN_TIME = '## Failures at run time';

function codesIn(section: string): readonly string[] {
  return [...section.matchAll(/^\| `([a-z-]+)` /gm)].map(([, code]) => code);
}

test('docs/diagnostics.md lists the codes of failures at run time', () => {
  const [, section] = read('docs/diagnostics.md').split(AT_RUN_TIME);
  assert.deepEqual([...codesIn(section)].sort(), [...FAILURE_CODES].sort());
});

test('docs/diagnostics.md lists the codes of all errors and warnings of programs', () => {
  const sources = [...['source', 'syntax', 'check', 'lower', 'derive', 'editing'].map((room) => `src/${room}`)]
    .flatMap((room) => filesBelow(room, '.ts'))
    .concat('src/compile.ts')
    .filter((path) => !isTest(path));
  const used = new Set(sources.flatMap((path) => [...read(path).matchAll(CODE)].map(([, one, other]) => one ?? other)));
  const [ofPrograms] = read('docs/diagnostics.md').split(AT_RUN_TIME);
  const listed = codesIn(ofPrograms);
  assert.deepEqual([...used].sort(), [...new Set(listed)].sort());
  assert.equal(new Set(listed).size, listed.length, 'a code is listed twice');
});
