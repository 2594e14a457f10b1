import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, read } from '../project/tree.js';
import { fitRequests } from './fit-requests.js';

const FILE = 'src/requests/fit-requests.ts';
const FORMATTER = join(ROOT, 'node_modules', '.bin', 'biome');

test('the types of requests are those of the algorithms', () => {
  const found = execFileSync(FORMATTER, ['format', `--stdin-file-path=${FILE}`], {
    cwd: ROOT,
    input: fitRequests(),
    encoding: 'utf8',
  });
  if (process.env.ACCEPT !== undefined) writeFileSync(join(ROOT, FILE), found);
  assert.equal(found, read(FILE));
});
