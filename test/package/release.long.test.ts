/** Builds the files of a release twice with `scripts/release.mjs` from the built checkout. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../project/tree.js';
import { withoutModules } from '../support/packages.js';
import { makeRelease } from './made-release.js';

describe('a release that is built twice', { skip: withoutModules(['hatchling']) }, () => {
  let folder: string;
  const path = (name: string, file: string) => join(folder, name, file);
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-release-'));
    for (const name of ['first', 'second']) makeRelease(join(folder, name));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  // All doors and versions: npm run release:check.
  it('has files from which new users of Python, R, JavaScript and VS Code get draws', {
    skip: process.env.CI === undefined && 'downloads packages: set CI to have it run',
  }, () => {
    const doors = ['Python', 'R', 'leapfrog-stan', 'VS Code'].flatMap((title) => ['--only', title]);
    const versions = ['--python', 'python3', '--node', dirname(process.execPath)];
    const options = ['scripts/check-release.mjs', '--folder', join(folder, 'first'), ...doors, ...versions];
    const { status, stdout } = spawnSync(process.execPath, options, { cwd: ROOT, encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

  it('is reproducible to the byte', () => {
    for (const file of readdirSync(join(folder, 'first'))) {
      assert.ok(readFileSync(path('first', file)).equals(readFileSync(path('second', file))), file);
    }
  });
});
