import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suspectedCodes } from './missing-codes.js';
import { readTable } from './table.js';

const codesIn = (...values: readonly number[]) =>
  suspectedCodes(Float64Array.from(values)).map(({ code, count }) => [code, count]);

describe('codes of missing values', () => {
  it('lie outside the other values', () => {
    assert.deepEqual(codesIn(23, 45, -99, 31, -99, -98), [
      [-99, 2],
      [-98, 1],
    ]);
    assert.deepEqual(codesIn(1, 5, 3, 9, 99, 2), [
      [9, 1],
      [99, 1],
    ]);
    assert.deepEqual(codesIn(-1.5, 0.5, -9, 999), [
      [-9, 1],
      [999, 1],
    ]);
  });

  it('are not values near the others', () => {
    assert.deepEqual(codesIn(18, 85, 99, 97), []);
    assert.deepEqual(codesIn(-12, -3, 4, -9), []);
    assert.deepEqual(codesIn(99, 99, 1), []);
    assert.deepEqual(codesIn(), []);
  });

  it('are missing only if they are chosen', () => {
    const source = {
      name: 'survey.csv',
      headings: ['age', 'sex'],
      columns: [
        ['23', '-99', '45'],
        ['f', '-99', 'm'],
      ],
      rowNumbers: [2, 3, 4],
      omitted: [],
      separator: ',',
    };
    const [age, sex] = readTable(source).columns;
    assert.deepEqual([...(age?.values ?? [])], [23, -99, 45]);
    assert.deepEqual(age?.codes, [{ code: -99, count: 1 }]);
    assert.equal(sex?.codes, undefined);
    const [chosen] = readTable(source, { missingCodes: [{ column: 'age', code: -99 }] }).columns;
    assert.deepEqual([...(chosen?.values ?? [])], [23, Number.NaN, 45]);
    assert.equal(chosen?.missing, 1);
    assert.deepEqual(chosen?.codes, [{ code: -99, count: 1 }]);
  });
});
