import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';
import { examples } from './examples.js';

describe('the examples of docs/library.md in Node', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-examples-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules', 'leapfrog'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const { code, name, output } of examples()) {
    it(`${name}: prints the documented output and ends`, async () => {
      const file = join(folder, 'example.mjs');
      writeFileSync(file, code);
      const { stderr, stdout } = await promisify(execFile)(process.execPath, [file]);
      assert.equal(stderr, '');
      assert.equal(stdout.trim(), output);
    });
  }
});
