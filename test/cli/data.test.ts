/** Input data in common formats, and messages about missing or invalid data. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { CommandFolder } from './command.js';
import { DATA, NORMAL } from './normal-model.js';

const DUMP = 'N <- 8L\ny <-\nc(4.1, 5.2, 3.9, 6.0, 5.5, 4.4, 4.9, 5.7)\n';
const CONSTRAINED = 'data {\n  array[2] int<upper=3> k;\n  cov_matrix[2] S;\n}\n';

describe('data of a run', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({
      'model.stan': NORMAL,
      'marked.stan': `\uFEFF${NORMAL}`,
      'data.json': DATA,
      'marked.json': `\uFEFF${DATA}`,
      'data.R': DUMP,
      'few.json': '{"N": 8}',
      'broken.R': 'N <- 8\ny <- c(1, two)\n',
      'data.csv': 'N,y\n8,1\n',
      'constrained.stan': CONSTRAINED,
      'k.json': '{"k": [1, 4], "S": [[1, 0], [0, 1]]}',
      'S.json': '{"k": [1, 2], "S": [[1, 0], [2, 1]]}',
    });
  });
  after(() => place.remove());

  const draws = (name: string) =>
    readFileSync(place.path(name), 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('#'));
  const sample = (program: string, ...args: readonly string[]) => [
    'sample',
    program,
    '--seed',
    '1',
    '--num-samples',
    '10',
    ...args,
  ];

  it('are the same as JSON, as an R dump, from standard input, and after a byte order mark', async () => {
    await place.run(...sample('model.stan', '--data', 'data.json', '--output', 'a.csv'));
    const expected = draws('a.csv');
    assert.equal(expected.length, 12);
    for (const [program, data, input] of [
      ['model.stan', 'data.R', ''],
      ['model.stan', '-', DATA],
      ['model.stan', '-', DUMP],
      ['marked.stan', 'marked.json', ''],
    ]) {
      const { code, errors } = await place.runWith(input, ...sample(program, '--data', data, '--output', 'b.csv'));
      assert.equal(code, 0, errors);
      assert.deepEqual(draws('b.csv'), expected, `${program} ${data}`);
    }
    assert.equal((await place.run('check', 'marked.stan')).code, 0);
  });

  it('that are missing are reported with the position of their declaration and how to supply them', async () => {
    const refusal = async (...args: readonly string[]) => (await place.run(...args)).errors;
    assert.equal(
      await refusal('sample', 'model.stan'),
      'error: the program needs data for N (declared in model.stan:2:3) and y (declared in model.stan:3:3): ' +
        'pass them with --data FILE, as JSON or an R dump\n',
    );
    const few = 'error: few.json has no value for y (declared in model.stan:3:3)\n';
    assert.equal(await refusal('optimize', 'model.stan', '--data', 'few.json'), few);
  });

  it('are rejected with a message that names the file, its type and the variable', async () => {
    for (const [program, data, message] of [
      ['model.stan', 'data.csv', 'data.csv is a CSV file, but data are JSON or an R dump (.R)'],
      ['model.stan', 'broken.R', 'broken.R is not an R dump: line 2, column 11: expected a value'],
      [
        'constrained.stan',
        'k.json',
        "Exception: k[2] is 4, but must be less than or equal to 3.000000 (in 'constrained.stan', line 2, column 2 to column 26)",
      ],
      [
        'constrained.stan',
        'S.json',
        "Exception: S is not symmetric. S[1,2] = 0, but S[2,1] = 2 (in 'constrained.stan', line 3, column 2 to column 18)",
      ],
    ]) {
      const { code, errors } = await place.run(...sample(program, '--data', data));
      assert.deepEqual({ code, errors }, { code: 1, errors: `error: ${message}\n` });
    }
  });
});
