/** The scripts of `leapfrog completion` in the shells themselves; a shell that is not installed is skipped. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { commandsFor } from '../../src/cli/commands.js';
import { SCRIPTS } from '../../src/cli/completion/completion-scripts.js';
import { completedCommands } from '../../src/cli/completion/completion-table.js';
import { CommandFolder } from './command.js';

const run = promisify(execFile);

/** A line up to the cursor, and what its last word becomes. */
const CASES: readonly (readonly [line: string, completed: string])[] = [
  ['leapfrog lapl', 'laplace'],
  ['leapfrog sample --max-dep', '--max-depth'],
  ['leapfrog sample --metric den', 'dense_e'],
  ['leapfrog generate_quantities --fitted-par', '--fitted-params'],
  ['leapfrog sample --adapt-engaged fa', 'false'],
  ['leapfrog sample model.stan --data da', 'data.json'],
  ['leapfrog sample mod', 'model.stan'],
  ['leapfrog compile model.stan --output bui', 'build'],
  ['leapfrog completion fi', 'fish'],
];

const missing = (shell: string) =>
  spawnSync(shell, ['-c', 'true']).error === undefined ? false : `${shell} is not installed`;

describe('completion', () => {
  let folder: CommandFolder;
  before(async () => {
    folder = await CommandFolder.create({ 'model.stan': '', 'data.json': '{}' });
    await mkdir(folder.path('build'));
    const commands = completedCommands(await commandsFor(undefined, '1.0.0'));
    for (const [shell, script] of Object.entries(SCRIPTS))
      await writeFile(folder.path(`leapfrog.${shell}`), script(commands));
  });
  after(() => folder.remove());

  const options = () => ({ cwd: folder.folder, timeout: 120_000 });

  it('knows every command and option, in every shell', async () => {
    const commands = completedCommands(await commandsFor(undefined, '1.0.0'));
    for (const [shell, script] of Object.entries(SCRIPTS)) {
      const text = script(commands);
      for (const { names, options: own } of commands) {
        for (const name of names) assert.ok(text.includes(name), `${shell}: ${name}`);
        for (const { flags } of own) {
          const flag = flags.at(-1) ?? assert.fail();
          assert.ok(text.includes(shell === 'fish' ? `-l ${flag.slice(2)}` : flag), `${shell}: ${flag}`);
        }
      }
    }
  });

  it('is printed by the command', async () => {
    const { output } = await folder.run('completion', 'bash');
    assert.match(output, /^_leapfrog\(\) \{\n[\s\S]*\ncomplete -o filenames -F _leapfrog leapfrog\n$/);
    const { code, errors } = await folder.run('completion', 'tcsh');
    assert.equal(code, 1);
    assert.match(errors, /Allowed choices are bash, zsh, fish, powershell/);
  });

  it('completes in bash', { skip: missing('bash') }, async () => {
    const lines = CASES.map(([line]) => {
      const words = line.split(' ').map((word) => `'${word}'`);
      return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _leapfrog; echo "\${COMPREPLY[*]}"`;
    });
    const assigned = `COMP_WORDS=(leapfrog sample --metric = den); COMP_CWORD=4; _leapfrog; echo "\${COMPREPLY[*]}"`;
    const { stdout } = await run('bash', ['-c', `. ./leapfrog.bash; ${lines.join('; ')}; ${assigned}`], options());
    assert.deepEqual(stdout.trimEnd().split('\n'), [...CASES.map(([, completed]) => completed), 'dense_e']);
  });

  it('completes in fish', { skip: missing('fish') }, async () => {
    const lines = CASES.map(([line]) => `complete -C '${line}' | string split -f 1 \\t; echo .`);
    const { stdout } = await run('fish', ['-N', '-c', `source leapfrog.fish; ${lines.join('; ')}`], options());
    const found = stdout
      .split('\n.\n')
      .slice(0, -1)
      .map((each) => each.trim().replace(/\/$/, ''));
    assert.deepEqual(
      found,
      CASES.map(([, completed]) => completed),
    );
  });

  it('completes in zsh', { skip: missing('zsh') }, async () => {
    // A key writes the line as it has been completed in a terminal.
    const typed = CASES.map(
      ([line]) => `zpty -w -n shell ${`$'${line}\\t\\C-t'`}; zpty -r shell answer '*<<*>>*'; print -r -- $answer`,
    );
    const script = [
      'zmodload zsh/zpty',
      'zpty shell zsh -f -i',
      `zpty -w shell 'PS1=""; autoload -U compinit; compinit -u -D; source ./leapfrog.zsh; zstyle ":completion:*" list-prompt ""'`,
      `zpty -w shell 'show() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show; bindkey "^T" show; print rea""dy'`,
      "zpty -r shell answer '*ready*'",
      ...typed,
      'zpty -d shell',
    ];
    const { stdout } = await run('zsh', ['-f', '-c', script.join('\n')], options());
    const found = [...stdout.matchAll(/<<(.*?)>>/g)].map(([, line]) => line.trim().replace(/[/=]$/, ''));
    assert.deepEqual(
      found.map((line) => line.split(' ').at(-1)),
      CASES.map(([, completed]) => completed),
    );
  });
});
