import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { functionsPage } from './functions-page.js';
import { ROOT, read } from './tree.js';

test('docs/functions.md lists what the table of functions contains', () => {
  const page = functionsPage();
  if (process.env.ACCEPT !== undefined) writeFileSync(join(ROOT, 'docs/functions.md'), page);
  const isCurrent = page === read('docs/functions.md');
  assert.ok(
    isCurrent,
    'docs/functions.md is out of date. Run `node scripts/test.mjs --accept test/project/functions-page`.',
  );
});
