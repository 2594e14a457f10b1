/** Runs the commands of the tutorial and of the how-to pages, in order, on the files that the pages show. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { read } from '../project/tree.js';
import { blocksOf } from '../support/documents.js';
import { CommandFolder } from './command.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

/** The files of a page: each block after "as `NAME`:". */
function filesOf(page: string): Record<string, string> {
  const found = read(page).matchAll(/as `([\w.]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm);
  return Object.fromEntries(Array.from(found, ([, name, text]) => [name, text]));
}

/** The commands of a page. */
function commandsOf(page: string): string {
  const shell = blocksOf(page).filter(({ language }) => language === 'sh');
  return shell.map(({ text }) => text).join('');
}

async function followed(page: string): Promise<{ readonly output: string; readonly files: Record<string, string> }> {
  const files = filesOf(page);
  const place = await CommandFolder.create(files);
  const leapfrog = `leapfrog() { '${process.execPath}' '${MAIN}' "$@" || { echo "$@" failed >&2; exit 1; }; }`;
  await writeFile(place.path('commands.sh'), `${leapfrog}\n${commandsOf(page)}`);
  const { status, stdout, stderr } = spawnSync('bash', ['-c', 'exec 2>&1; . ./commands.sh'], {
    cwd: place.folder,
    encoding: 'utf8',
  });
  await place.remove();
  assert.equal(status, 0, stdout + stderr);
  return { output: stdout, files };
}

describe('the guides', { skip: spawnSync('bash', ['-c', 'true']).error !== undefined && 'there is no bash' }, () => {
  it('the tutorial leads from a model with divergences to a checked one', async () => {
    const { output, files } = await followed('docs/tutorial.md');
    assert.deepEqual(Object.keys(files), ['schools.json', 'first.stan', 'schools.stan', 'pooled.stan']);
    assert.match(output, /Written: first-sample_1[^\n]*\n[^\n]*transitions \([\d.]+ %\) diverged/);
    assert.match(output, /Written: schools-sample_1[^\n]*\nNo problems found/);
    assert.match(output, /pooled-sample +0 +0 +-30\.\d .*\nschools-sample +-0\.3/);
    assert.match(output, /Written: schools\.html/);
    const summary = blocksOf('docs/tutorial.md').find(({ text }) => text.includes('R_hat'))?.text ?? assert.fail();
    const [header, ...rows] = summary.trimEnd().split('\n');
    assert.ok(output.includes(`${header}\n`), header);
    for (const row of rows) assert.match(output, new RegExp(`^${row.split(' ')[0]} +-?\\d`, 'm'));
  });

  for (const page of ['docs/data.md', 'docs/odes.md']) {
    it(`the commands of ${page} succeed`, async () => {
      assert.match((await followed(page)).output, /Written: /);
    });
  }
});
