import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from '../syntax/parse.js';
import { exampleData } from './example-data.js';

function dataOf(block: string) {
  const parsed = parse({ name: 'model.stan', text: `data { ${block} }` }, new Map());
  assert.ok('program' in parsed);
  return exampleData(parsed.program);
}

describe('example data for a program', () => {
  it('have small sizes, with containers of these sizes', () => {
    assert.deepEqual(dataOf('int<lower=0> N; vector[N] x; array[N, 2] int<lower=0, upper=1> y; real z;'), {
      N: 3,
      x: [1, 2, 3],
      y: [
        [0, 1],
        [0, 1],
        [0, 1],
      ],
      z: 1,
    });
  });
  it('satisfy bounds and constraints', () => {
    assert.deepEqual(
      dataOf(
        'int<lower=2> K; array[4] int<lower=1, upper=K> group; simplex[K] share; cov_matrix[K] S; real<lower=0, upper=1> p;' +
          'ordered[K] cut; vector<upper=-1>[2] low; int<upper=-5> deep;',
      ),
      {
        K: 3,
        group: [1, 2, 3, 1],
        share: [1 / 3, 1 / 3, 1 / 3],
        S: [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        p: 0.5,
        cut: [1, 2, 3],
        low: [-3, -2],
        deep: -5,
      },
    );
  });
  it('have computed sizes', () => {
    assert.deepEqual(
      dataOf('int N; array[N] int<lower=1> n; vector[sum(n)] all; matrix[N - 1, 2 * N] X; vector[n[2]] second;'),
      {
        N: 3,
        n: [1, 2, 3],
        all: [1, 2, 3, 4, 5, 6],
        X: [
          [1, 2, 3, 4, 5, 6],
          [7, 8, 9, 10, 11, 12],
        ],
        second: [1, 2],
      },
    );
  });
  it('include tuples and complex numbers', () => {
    assert.deepEqual(dataOf('tuple(int, vector[2]) t; complex z; complex_vector[2] w;'), {
      t: { 1: 1, 2: [1, 2] },
      z: [1, 0],
      w: [
        [1, 0],
        [2, 0],
      ],
    });
  });
});
