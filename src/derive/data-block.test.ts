import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dataBlockFor } from './data-block.js';

it('declares the data, and writes sizes as int variables with the same values', () => {
  assert.equal(
    dataBlockFor([
      { name: 'y', type: 'real', sizes: [2] },
      { name: 'N', type: 'int', sizes: [], range: [2, 2] },
      { name: 'K', type: 'int', sizes: [], range: [3, 3] },
      { name: 'year', type: 'int', sizes: [], range: [1990, 1990] },
      { name: 'x', type: 'real', sizes: [2, 3] },
      { name: 'counts', type: 'int', sizes: [2, 3], range: [1, 6] },
      { name: 'N_group', type: 'int', sizes: [], range: [4, 4] },
      { name: 'group', type: 'int', sizes: [2], range: [1, 4] },
      { name: 'scale', type: 'real', sizes: [] },
      { name: 'cube', type: 'real', sizes: [1, 1, 1] },
      { name: 'weeks', type: 'int', sizes: [5], range: [1, 5] },
    ]),
    `data {
  int<lower=0> N;
  int<lower=0> K;
  int year;
  int<lower=0> N_group;
  vector[N] y;
  matrix[N, K] x;
  array[N, K] int counts;
  array[N] int<lower=1, upper=N_group> group;
  real scale;
  array[1, 1, 1] real cube;
  array[5] int weeks;
}
`,
  );
});

it('lists members that no variable can contain in comments', () => {
  assert.equal(
    dataBlockFor([
      { name: 'ragged', type: 'other', sizes: [] },
      { name: 'my data', type: 'int', sizes: [], range: [1, 1] },
      { name: 'for', type: 'int', sizes: [], range: [2, 2] },
      { name: 'none', type: 'real', sizes: [0] },
    ]),
    `data {
  // ragged: its rows differ in length, or it contains values other than numbers.
  // "my data" cannot be the name of a variable.
  // "for" cannot be the name of a variable.
  vector[0] none;
}
`,
  );
});

it('writes notes as comments on the line of the declaration', () => {
  assert.match(
    dataBlockFor([{ name: 'sex', type: 'int', sizes: [2], range: [1, 2], note: '1 = f,\n2 = m */' }]),
    /^ {2}array\[2\] int sex; {2}\/\/ 1 = f, 2 = m \*\/$/m,
  );
});
