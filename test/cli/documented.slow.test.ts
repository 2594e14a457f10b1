/** Runs the commands in docs/cli.md, README.md and the help texts unchanged. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { methods } from '../../src/cli/methods.js';
import { blocksOf, textsUnder } from '../support/documents.js';
import { CommandFolder } from './command.js';
import { DATA, NORMAL } from './normal-model.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

/** Runs shell lines; every command must succeed. */
async function succeed(place: CommandFolder, lines: readonly string[]): Promise<void> {
  const leapfrog = `leapfrog() { '${process.execPath}' '${MAIN}' "$@" || { echo "$@" failed >&2; exit 1; }; }`;
  await writeFile(place.path('commands.sh'), [leapfrog, ...lines].join('\n'));
  const { status, stdout, stderr } = spawnSync('bash', ['commands.sh'], { cwd: place.folder, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}

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
      'functions.stan': 'functions { vector scaled(vector x, real a) { return a * x; } }',
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
      await succeed(place, textsUnder(page, heading, 'sh'));
    });
  }

  it('of the help all succeed, in order', async () => {
    const own = await CommandFolder.create({ 'model.stan': NORMAL, 'data.json': DATA });
    await mkdir(own.path('lib'));
    await mkdir(own.path('models'));
    await writeFile(own.path('models/model.stan'), NORMAL);
    const commands = ['check', 'format', 'compile', ...methods.map(({ command }) => command), 'summary', 'diagnose'];
    const examples: string[] = [];
    for (const command of commands) {
      const { output } = await own.run(command, '--help');
      const found = output.slice(output.indexOf('\nExamples:')).matchAll(/^ {2}\$ (leapfrog .*)$/gm);
      const lines = Array.from(found, ([, line]) => line);
      assert.ok(lines.length > 0, command);
      examples.push(...lines);
    }
    await succeed(own, examples);
    await own.remove();
  });

  it('write the files that the pages name', async () => {
    const files = await readdir(place.folder);
    for (const name of ['draws_1.csv', 'draws_4.csv', 'mode.csv', 'laplace.csv', 'start.csv', 'build']) {
      assert.ok(files.includes(name), `${name}: ${files}`);
    }
  });
});
