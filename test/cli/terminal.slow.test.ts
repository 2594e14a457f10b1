/** Output of names, texts and programs with control characters on a terminal. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CommandFolder } from './command.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
/** Clears the screen, sets the title, and overwrites the line. */
const HOSTILE = '\x1b[2J\x1b]0;owned\x07\r\u202e';
const SHOWN = '\\x1b[2J\\x1b]0;owned\\x07\\x0d\\u202e';

const PROGRAM = `parameters { real mu; }
model { mu ~ normal(0, 1); }
generated quantities {
  vector[2] log_lik = [-1 - mu ^ 2, -2 - mu ^ 2]';
  // printed ${HOSTILE.replace('\r', '')}
}
`;
/** Prints in every block that is evaluated. */
const PRINTED = HOSTILE.replace('\r', '');
const PRINTING = `transformed data { print("data ${PRINTED}"); }
parameters { real mu; }
model { print("density ${PRINTED}"); mu ~ normal(0, 1); }
generated quantities { print("quantity ${PRINTED}"); real y = mu; }
`;
const WRONG = `model { // ${HOSTILE}\n  real x = "text ${HOSTILE}";\n}\n`;

const hasScript = spawnSync('script', ['--version'], { stdio: 'ignore' }).status === 0;

describe('control characters', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'model.stan': PROGRAM, 'wrong.stan': WRONG, 'printing.stan': PRINTING });
    const { code, errors } = await place.run('sample', 'model.stan', '--num-samples', '100', '--output', 'a.csv');
    assert.equal(code, 0, errors);
    const text = readFileSync(place.path('a.csv'), 'utf8');
    const odd = text.replace(
      /^(lp__.*),mu,log_lik\.1,log_lik\.2$/m,
      `$1,mu${HOSTILE.replace('\r', '')},log_lik.1,log_lik.2`,
    );
    assert.notEqual(odd, text);
    writeFileSync(place.path('odd.csv'), odd);
    writeFileSync(place.path(`b${HOSTILE}.csv`), odd);
  });
  after(() => place.remove());

  const isSafe = (text: string, words: readonly string[]) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    assert.doesNotMatch(text, /[\x07\x08\x1b\x9b\u202e]/, words.join(' '));

  for (const words of [
    ['summary', 'odd.csv'],
    ['summary', 'odd.csv', '--variables', `none${HOSTILE}`],
    ['diagnose', 'odd.csv'],
    ['loo', 'odd.csv'],
    ['loo', 'odd.csv', '--variable', `none${HOSTILE}`],
    ['compare', `b${HOSTILE}.csv`, 'a.csv'],
    ['report', 'odd.csv', '--output', `r${HOSTILE}.html`],
    ['summary', `none${HOSTILE}.csv`],
    ['check', 'wrong.stan'],
    ['check', `none${HOSTILE}.stan`],
    ['format', 'wrong.stan'],
    ['compile', 'wrong.stan'],
    ['sample', 'wrong.stan'],
    ['sample', 'model.stan', '--data', `none${HOSTILE}.json`],
    ['sample', `--none${HOSTILE}`],
    [`none${HOSTILE}`],
  ]) {
    it(`are escaped in the output of ${JSON.stringify(words.join(' '))}`, async () => {
      const { output, errors } = await place.run(...words);
      isSafe(output + errors, words);
      assert.notEqual(output + errors, '');
    });
  }

  it('are escaped in columns that stay aligned', async () => {
    const { output } = await place.run('summary', 'odd.csv');
    const lines = output.trimEnd().split('\n');
    assert.ok(
      lines.some((line) => line.startsWith(`mu${SHOWN.replace('\\x0d', '')} `)),
      output,
    );
    assert.equal(new Set(lines.map((line) => line.length)).size, 1, output);
  });

  /** The output of a command on a terminal. */
  function onTerminal(words: readonly string[]): string {
    const command = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(' ');
    return spawnSync('script', ['-qec', command, '/dev/null'], { cwd: place.folder, encoding: 'utf8' }).stdout;
  }

  it('are escaped on a terminal in what a program prints', { skip: hasScript ? false : 'there is no script' }, () => {
    const run = ['--num-samples', '2', '--num-warmup', '1', '--seed', '1'];
    for (const [words, blocks] of [
      [
        ['sample', 'printing.stan', ...run, '--chains', '1', '--output', 'p.csv'],
        ['data', 'density', 'quantity'],
      ],
      [
        ['sample', 'printing.stan', ...run, '--chains', '2', '--output', 'c.csv'],
        ['data', 'density', 'quantity'],
      ],
      [
        ['generate', 'printing.stan', '--fitted-params', 'p.csv', '--output', 'q.csv'],
        ['data', 'quantity'],
      ],
      [
        ['optimize', 'printing.stan', '--output', 'o.csv'],
        ['data', 'density', 'quantity'],
      ],
    ] as const) {
      const stdout = onTerminal(words);
      assert.ok(!stdout.includes('\x1b]0;owned') && !stdout.includes('\u202e'), JSON.stringify(stdout));
      for (const block of blocks)
        assert.ok(stdout.includes(`${block} \\x1b[2J`), `${words.join(' ')}: ${block}: ${stdout}`);
    }
  });

  it('are not escaped in output for programs', async () => {
    const { output } = await place.run('format', 'model.stan');
    assert.ok(output.includes(`// printed ${HOSTILE.replace('\r', '')}`), JSON.stringify(output));
    const { output: table } = await place.run('summary', 'odd.csv', '--format', 'csv');
    assert.ok(table.includes(HOSTILE.replace('\r', '')));
  });

  it('are escaped on a terminal even in output for programs', {
    skip: hasScript ? false : 'there is no script',
  }, () => {
    for (const words of [
      ['summary', 'odd.csv', '--format', 'csv'],
      ['format', 'model.stan'],
    ]) {
      const stdout = onTerminal(words);
      assert.ok(!stdout.includes('\x1b]0;owned') && !stdout.includes('\u202e'), JSON.stringify(stdout));
      assert.match(stdout, /\\x1b\[2J\\x1b\]0;owned\\x07/, words.join(' '));
    }
  });
});
