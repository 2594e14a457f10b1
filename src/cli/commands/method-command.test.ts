import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { CommanderError } from 'commander';
import type { Argument } from '../../inference/algorithms/arguments.js';
import { algorithms, findAlgorithm } from '../../inference/algorithms/registry.js';
import { argumentsOf } from '../../requests/functions.js';
import { CommandError } from '../errors.js';
import { flagName } from '../options/flags.js';
import { type Method, methods } from '../options/methods.js';
import { methodCommand } from './method-command.js';

const folder = mkdtempSync(join(tmpdir(), 'leapfrog-options-'));
const program = join(folder, 'model.stan');
const file = join(folder, 'metric.json');
writeFileSync(program, 'parameters {\n  real x;\n}\nmodel {\n  x ~ std_normal();\n}\n');
after(() => rmSync(folder, { recursive: true }));

/** A command's message about invalid options: the first one that cannot be parsed, or all invalid values. */
async function refusal(method: Method, options: readonly string[]): Promise<string> {
  const needed = method.inputs
    .filter((input) => input !== 'init' && input !== 'warm_start' && input !== 'continue')
    .map((input) => `--${flagName(input)}=${file}`);
  const command = methodCommand(method)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  try {
    await command.parseAsync([program, ...needed, ...options], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError || error instanceof CommandError) return error.message;
    throw error;
  }
  throw new Error(`no error for ${options.join(' ')}`);
}

/** Every algorithm, with a command that runs it and the options that select it. */
const choices = methods.flatMap((method) => {
  const combined = method.selectors.reduce<readonly (readonly [string, string])[][]>(
    (made, { argChoices, long }) =>
      made.flatMap((chosen) =>
        (argChoices ?? ['true', 'false']).map((word) => [...chosen, [long ?? '', word] as const]),
      ),
    [[]],
  );
  return combined.map((chosen) => {
    const words = new Map(chosen);
    const selection = {
      algorithm: words.get('--algorithm'),
      metric: words.get('--metric'),
      adaptEngaged: words.get('--adapt-engaged') === 'true',
    };
    return { method, name: method.choose(selection), options: chosen.map(([flag, word]) => `${flag}=${word}`) };
  });
});
const pathfinder = choices.filter(({ name }) => name.startsWith('pathfinder'));
const rows = [
  ...new Map(
    [
      ...choices.filter(({ name }) => findAlgorithm(name) !== undefined),
      ...pathfinder.map((each) => ({ ...each, name: 'pathfinder_lbfgs_single', options: ['--num-paths=1'] })),
    ].map((each) => [each.name, each]),
  ).values(),
];

/** A value just outside an argument's range, as text, with its message; undefined if every value is valid. */
function outside(row: Argument): readonly [text: string, message: string] | undefined {
  if (row.type !== 'integer' && row.type !== 'number') return undefined;
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = row;
  if (minimum !== undefined) return [`${minimum - 1}`, `must be at least ${minimum}`];
  if (exclusiveMinimum !== undefined) return [`${exclusiveMinimum}`, `must be greater than ${exclusiveMinimum}`];
  if (maximum !== undefined) return [`${maximum + 1}`, `must be at most ${maximum}`];
  return exclusiveMaximum === undefined ? undefined : [`${exclusiveMaximum}`, `must be less than ${exclusiveMaximum}`];
}

/** Texts that cannot be parsed as an argument, with the end of the error message. */
function unreadable(row: Argument): readonly [text: string, message: RegExp] {
  if (row.type === 'boolean') return ['perhaps', /It must be true or false\.$/];
  if (row.type === 'string') return ['perhaps', /Allowed choices are /];
  return ['much', /It must be a number\.$/];
}

describe('commands of algorithms', () => {
  it('combine every value of their selectors, except the low-rank metric with static trajectories, and metrics with samplers that have their own', () => {
    const missing = choices.filter(({ name }) => findAlgorithm(name) === undefined);
    assert.deepEqual(
      [...new Set(missing.map(({ name }) => name))],
      [
        ...['hmc_static_low_rank_adapt', 'hmc_static_low_rank'],
        ...['recommended', 'tempered'].flatMap((sampler) => [
          `hmc_${sampler}_diag_e`,
          ...['dense_e', 'unit_e', 'low_rank'].flatMap((metric) => [
            `hmc_${sampler}_${metric}_adapt`,
            `hmc_${sampler}_${metric}`,
          ]),
        ]),
      ],
    );
  });

  it('exist for every algorithm', () => {
    assert.deepEqual(rows.map(({ name }) => name).sort(), algorithms.map(({ name }) => name).sort());
  });

  for (const { method, name, options } of rows) {
    const taken = argumentsOf(findAlgorithm(name)).filter(
      (row) => !options.some((option) => option.startsWith(`--${flagName(row.name)}=`)),
    );
    const asOptions = taken.filter((row) => row.name !== 'init_radius' && row.name !== 'inv_metric');

    it(`reject an invalid option value of ${name}, and name the option`, async () => {
      for (const row of asOptions) {
        const [text, message] = unreadable(row);
        const said = await refusal(method, [...options, `--${flagName(row.name)}=${text}`]);
        assert.match(said, new RegExp(`^error: option '--${flagName(row.name)} [<[]`));
        assert.match(said, message);
      }
      assert.match(await refusal(method, [...options, '--nonsense=1']), /^error: unknown option '--nonsense=1'/);
    });

    it(`reject all values that ${name} does not accept, with one line per option`, async () => {
      const bad = taken.flatMap((row) => {
        const found = outside(row);
        return found === undefined ? [] : [{ flag: `--${flagName(row.name)}`, text: found[0], message: found[1] }];
      });
      const broken = asOptions.filter(({ type }) => type === 'integer').map((row) => `--${flagName(row.name)}`);
      const foreign = method.algorithms
        .flatMap((each) => argumentsOf(each))
        .filter(
          (row) => row.type === 'number' && !argumentsOf(findAlgorithm(name)).some((own) => own.name === row.name),
        )
        .map((row) => `--${flagName(row.name)}`);
      const unknown = [...new Set(foreign)];
      const given = [...bad.map(({ flag, text }) => `${flag}=${text}`), ...unknown.map((flag) => `${flag}=1`)];
      const said = (await refusal(method, [...options, ...given])).split('\n').sort();
      const expected = [
        ...bad.map(({ flag, message }) => `error: ${flag} ${message}`),
        ...unknown.map((flag) => `error: ${flag} is not an argument of this function`),
      ];
      assert.deepEqual(said, expected.sort());
      const halves = await refusal(method, [...options, ...broken.map((flag) => `${flag}=0.5`)]);
      assert.deepEqual(halves.split('\n').sort(), broken.map((flag) => `error: ${flag} must be an integer`).sort());
    });

    if (taken.some((row) => row.name === 'inv_metric')) {
      it(`reject a metric file that ${name} does not accept`, async () => {
        for (const text of ['{"inv_metric": "round"}', '[[1, 2], [3]]', '[1, null]']) {
          writeFileSync(file, text);
          assert.match(
            await refusal(method, [...options, `--metric-file=${file}`]),
            /^error: --metric-file must be an array/,
          );
        }
        writeFileSync(file, '[1, ');
        assert.match(await refusal(method, [...options, `--metric-file=${file}`]), /metric\.json is not JSON/);
      });
    }
  }
});
