import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tableOfColumns } from './typed-columns.js';

describe('tables from data frames', () => {
  const { columns, rows } = tableOfColumns([
    { name: 'whole', numbers: [1, null, 3] },
    { name: 'real', numbers: [1.5, 1e300, -2] },
    { name: 'text', texts: ['NA', 'b10', 'b9'] },
    { name: 'factor', texts: ['low', null, 'high'], levels: ['none', 'low', 'high'] },
  ]);

  it('have the types of the columns', () => {
    assert.equal(rows, 3);
    assert.deepEqual(
      columns.map(({ kind, levels, missing, values }) => [kind, [...values], levels, missing]),
      [
        ['integer', [1, Number.NaN, 3], [], 1],
        ['real', [1.5, 1e300, -2], [], 0],
        ['text', [3, 2, 1], ['b9', 'b10', 'NA'], 0],
        ['text', [1, Number.NaN, 2], ['low', 'high'], 1],
      ],
    );
  });
});
