/** The commands of docs/cli.md and README.md, run as they stand. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { blocksOf, textsUnder } from '../support/documents.js';
import { CommandFolder } from './command.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

describe('the commands', { skip: spawnSync('bash', ['-c', 'true']).error !== undefined && 'there is no bash' }, () => {
  let place: CommandFolder;
  before(async () => {
    const session = blocksOf('docs/http.md');
    const program = session.find(({ language }) => language === 'stan')?.text ?? '';
    const data = session.find(({ language }) => language === 'json')?.text ?? '';
    place = await CommandFolder.create({
      'bernoulli.stan': program,
      'bernoulli.json': data,
      'model.stan': program,
      'data.json': data,
    });
    await mkdir(place.path('lib'));
  });
  after(() => place.remove());

  const pages = [
    ['docs/cli.md', 'Programs'],
    ['docs/cli.md', 'Running an algorithm'],
    ['README.md', 'On the command line'],
  ] as const;
  for (const [page, heading] of pages) {
    it(`of ${page}, ${heading}, all succeed`, async () => {
      const leapfrog = `leapfrog() { '${process.execPath}' '${MAIN}' "$@" || { echo "$@" failed >&2; exit 1; }; }`;
      await writeFile(place.path('commands.sh'), [leapfrog, ...textsUnder(page, heading, 'sh')].join('\n'));
      const { status, stdout, stderr } = spawnSync('bash', ['commands.sh'], { cwd: place.folder, encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    });
  }

  it('leave the files that the pages name', async () => {
    const files = await readdir(place.folder);
    for (const name of ['draws_1.csv', 'draws_4.csv', 'mode.csv', 'laplace.csv', 'start.csv', 'build']) {
      assert.ok(files.includes(name), `${name}: ${files}`);
    }
  });
});
