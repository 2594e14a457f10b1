import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { functionPages } from './functions-page.js';
import { filesBelow, ROOT, read } from './tree.js';

const CHAPTERS = 'docs/functions';

test('docs/functions.md and its chapters list what the table of functions contains', () => {
  const pages = functionPages();
  if (process.env.ACCEPT !== undefined) {
    rmSync(join(ROOT, CHAPTERS), { recursive: true, force: true });
    mkdirSync(join(ROOT, CHAPTERS));
    for (const [path, text] of pages) writeFileSync(join(ROOT, path), text);
  }
  assert.deepEqual(
    filesBelow(CHAPTERS, '.md'),
    [...pages.keys()].filter((path) => path.startsWith(`${CHAPTERS}/`)).sort(),
  );
  for (const [path, text] of pages) {
    const isCurrent = text === read(path);
    assert.ok(isCurrent, `${path} is out of date. Run \`node scripts/test.mjs --accept test/project/functions-page\`.`);
  }
});
