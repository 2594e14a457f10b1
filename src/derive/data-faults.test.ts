import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from '../syntax/parse.js';
import { type DataValues, dataFaults } from './data-faults.js';

function faultsOf(block: string, data: DataValues | string): readonly string[] {
  const values: DataValues = typeof data === 'string' ? JSON.parse(data) : data;
  const parsed = parse({ name: 'model.stan', text: `data { ${block} }` }, new Map());
  assert.ok('program' in parsed);
  return dataFaults(parsed.program, values).map(({ message }) => message);
}

describe('errors in data', () => {
  it('are found in all variables at once', () => {
    assert.deepEqual(
      faultsOf(
        'int<lower=0> N; vector<upper=9>[N] y; array[N] int<lower=1, upper=2> g; real<lower=0> s; matrix[2, N] X;',
        '{"N": 3, "y": [1, 12, 3], "g": [1, 2], "s": -0.5, "X": [[1, 2, 3], [1, 2]]}',
      ),
      [
        'y[2] is 12, but must be at most 9.',
        'g has 2 elements, but the program declares 3 (N).',
        's is -0.5, but must be at least 0.',
        'X[2] has 2 elements, but the program declares 3 (N).',
      ],
    );
  });

  it('include values of the wrong type', () => {
    assert.deepEqual(
      faultsOf(
        'int N; int K; vector[2] y; array[2] int g; real s; array[1, 1] real m; tuple(int, real) t;',
        '{"N": 2.5, "K": [1], "y": ["a", 2], "g": [1, null], "s": true, "m": 1, "t": {"1": 1}}',
      ),
      [
        'N is not an integer, but the program declares it as int.',
        'K is a list, but the program declares an integer.',
        'y[1] is the text "a", but the program declares a number.',
        'g[2] is null, but the program declares an integer.',
        's is true, but the program declares a number.',
        'm is a single number, but the program declares a list.',
        't has no member "2".',
      ],
    );
  });

  it('do not exist for data that match their declarations', () => {
    assert.deepEqual(
      faultsOf(
        'int N; array[N] vector[2] y; array[N %/% 2 + 1] real x; complex z; array[0, 3] int none; real w; tuple(int, array[1] real) t;',
        {
          N: 2,
          y: [[1, 2], Float64Array.of(0.5, Number.NaN)],
          x: [1, 2],
          z: [1, 0],
          none: [],
          w: -Infinity,
          t: { 1: 1, 2: [1] },
        },
      ),
      [],
    );
  });

  it('are not guessed if sizes are unknown', () => {
    assert.deepEqual(faultsOf('int<lower=0> N; vector[N] y;', '{"N": -1, "y": []}'), [
      'N is -1, but must be at least 0.',
    ]);
    assert.deepEqual(
      faultsOf('int N; int K; vector[N] y; vector[K / 2 * 3] x;', '{"K": 3, "y": [1], "x": [1, 2, 3]}'),
      [],
    );
  });
});
