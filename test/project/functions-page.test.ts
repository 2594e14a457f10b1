import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { functionsPage } from './functions-page.js';
import { ROOT, read } from './tree.js';

test('docs/functions.md lists what the table of functions contains', () => {
  const page = functionsPage();
  if (process.env.ACCEPT !== undefined) writeFileSync(join(ROOT, 'docs/functions.md'), page);
  assert.equal(page, read('docs/functions.md'));
});
