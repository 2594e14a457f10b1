import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { problems } from '../../src/service/errors.js';
import { packageRoot } from './harness.js';

test('the catalog of errors and its documentation contain the same entries', () => {
  const page = readFileSync(new URL('docs/adding-an-endpoint.md', packageRoot), 'utf8');
  const documented = [...page.matchAll(/^\| `(\w+)` +\| \d{3} +\|/gm)].map((match) => match[1]);
  assert.deepEqual(documented, Object.keys(problems));
});
