import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ERROR_REASONS, problems } from '../../src/service/errors.js';
import { packageRoot } from './harness.js';

test('the catalog of errors and its documentation contain the same entries', () => {
  const page = readFileSync(new URL('docs/adding-an-endpoint.md', packageRoot), 'utf8');
  const documented = [...page.matchAll(/^\| `(\w+)` +\| \d{3} +\|/gm)].map((match) => match[1]);
  assert.deepEqual(documented, Object.keys(problems));
});

test('the reason of each error is the name of its entry in snake case', () => {
  const snake = Object.keys(problems).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  assert.deepEqual(ERROR_REASONS, snake);
  assert.deepEqual(
    [
      problems.modelNotFound('x').body().reason,
      problems.storeLost('x').body().reason,
      problems.badUtf8().body().reason,
    ],
    ['model_not_found', 'store_lost', 'bad_utf8'],
  );
});
