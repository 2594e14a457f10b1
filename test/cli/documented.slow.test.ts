/** Runs the commands in the help texts unchanged. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { methods } from '../../src/cli/options/methods.js';
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

describe('the commands of the help', {
  skip: spawnSync('bash', ['-c', 'true']).error !== undefined && 'there is no bash',
}, () => {
  it('all succeed, in order', async () => {
    const pupils = 'y,x,passed,hours,sex,school\n2.5,1,no,2,f,A\n4,2,yes,3,m,B\n3,3,yes,1,m,A\n5,4,no,4,f,B\n';
    const own = await CommandFolder.create({ 'model.stan': NORMAL, 'data.json': DATA, 'pupils.csv': pupils });
    await mkdir(own.path('lib'));
    await mkdir(own.path('models'));
    await writeFile(own.path('models/model.stan'), NORMAL);
    const commands = [
      'check',
      'format',
      'compile',
      ...methods.map(({ command }) => command),
      'summary',
      'diagnose',
      'model',
    ];
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
});
