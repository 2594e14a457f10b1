import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Command, CommanderError } from 'commander';
import type { Argument } from '../../inference/algorithms/arguments.js';
import { Flags, problemsText } from './flags.js';

const rows: readonly Argument[] = [
  { name: 'num_thin', type: 'integer', default: 1, minimum: 1, description: 'Thinning.' },
  { name: 'jacobian', type: 'boolean', default: true, description: 'Jacobian.' },
  { name: 'style', type: 'string', choices: ['a', 'b'], default: 'a', description: 'Style.' },
  { name: 'init_radius', type: 'number', default: 2, description: 'Radius.' },
];

function given(...words: string[]): Record<string, unknown> {
  const flags = new Flags(rows);
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  for (const option of flags.options) command.addOption(option);
  command.parse(words, { from: 'user' });
  return flags.given(command.opts());
}

describe('options made from arguments', () => {
  it('have names that CmdStan users know', () => {
    const names = new Flags(rows).options.map(({ long }) => long);
    assert.deepEqual(names, ['--thin', '--jacobian', '--style']);
  });

  it('return only the given values, under the names of the arguments', () => {
    assert.deepEqual(given('--thin', '3', '--style', 'b'), { num_thin: 3, style: 'b' });
    assert.deepEqual(given(), {});
  });

  it('accept booleans as words or digits, and as flags without values', () => {
    assert.deepEqual(
      [['--jacobian'], ['--jacobian', 'false'], ['--jacobian', '1'], ['--jacobian=0']].map(
        (words) => given(...words).jacobian,
      ),
      [true, false, true, false],
    );
  });

  it('reject invalid numbers, words and booleans', () => {
    for (const words of [
      ['--thin', 'x'],
      ['--thin', ''],
      ['--style', 'c'],
      ['--jacobian', '2'],
    ]) {
      assert.throws(() => given(...words), CommanderError, words.join(' '));
    }
  });

  it('are described by a phrase and the default', () => {
    assert.equal(new Flags(rows).options[0].description, 'thinning (default: 1)');
  });

  it('appear in error messages about arguments', () => {
    const problems = [
      { field: 'num_thin', message: 'must be at least 1' },
      { field: 'inv_metric', message: 'must be an array' },
      { field: 'init_radius', message: 'must be at least 0' },
    ];
    assert.equal(
      problemsText(problems),
      'error: --thin must be at least 1\nerror: --metric-file must be an array\nerror: --init must be at least 0',
    );
  });
});
