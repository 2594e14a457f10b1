import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayName, placesOf, splitNames, variableOf } from './columns.js';

const COLUMNS = [
  'lp__',
  'theta.1',
  'theta.2',
  'A.1.1',
  'A.2.1',
  'tt:1',
  'tt:2.1',
  'tt:2.2',
  'u.1:1',
  'u.1:2:2.3',
  'u.2:1',
];

describe('names of columns', () => {
  it('are displayed with indices in brackets and slots of tuples after a point, as stansummary writes them', () => {
    assert.deepEqual(COLUMNS.map(displayName), [
      ...['lp__', 'theta[1]', 'theta[2]', 'A[1,1]', 'A[2,1]', 'tt.1', 'tt.2[1]', 'tt.2[2]'],
      ...['u[1].1', 'u[1].2.2[3]', 'u[2].1'],
    ]);
  });

  it('belong to a variable, however they are written', () => {
    for (const name of COLUMNS) assert.equal(variableOf(displayName(name)), variableOf(name));
  });

  it('are found by their own form, by the one displayed, and with points only', () => {
    for (const [place, name] of COLUMNS.entries()) {
      for (const form of [name, displayName(name), name.replaceAll(':', '.')])
        assert.deepEqual(placesOf(form, COLUMNS), [place], form);
    }
  });

  it('are found by their variable or by a part of a tuple', () => {
    const found = (name: string) => placesOf(name, COLUMNS).map((place) => COLUMNS[place]);
    assert.deepEqual(found('theta'), ['theta.1', 'theta.2']);
    assert.deepEqual(found('tt'), ['tt:1', 'tt:2.1', 'tt:2.2']);
    assert.deepEqual(found('tt.2'), ['tt:2.1', 'tt:2.2']);
    assert.deepEqual(found('u[1]'), ['u.1:1', 'u.1:2:2.3']);
    assert.deepEqual(found('u[1].2'), ['u.1:2:2.3']);
    for (const name of ['A[1]', 'thet', 'tt.3', 'u[3]', 'theta[12]']) assert.deepEqual(found(name), [], name);
  });

  it('are separated by commas outside brackets', () => {
    assert.deepEqual(splitNames(' theta[1], A[2, 1],tt.2,, '), ['theta[1]', 'A[2,1]', 'tt.2']);
  });
});
