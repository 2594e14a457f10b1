import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Shift } from './shift.js';

describe('a change between two versions of a text', () => {
  const shift = new Shift('real a; real b;', 'real a; int long; real b;');
  const at = (from: number, to: number) => ({ file: 'm', from, to });

  it('maps offsets before and after the edit, and none inside it', () => {
    assert.deepEqual([shift.earlier(3), shift.earlier(24)], [3, 14]);
    assert.equal(shift.earlier(10), undefined);
  });

  it('moves ranges after the edit, and drops those that it touches', () => {
    assert.deepEqual(shift.later(at(5, 6)), at(5, 6));
    assert.deepEqual(shift.later(at(13, 14)), at(23, 24));
    assert.equal(new Shift('abc', 'aXc').later(at(0, 2)), undefined);
  });

  it('extends a range that contains the edit', () => {
    assert.deepEqual(shift.around(at(0, 15)), at(0, 25));
  });

  it('between equal texts is the identity', () => {
    const none = new Shift('aa', 'aa');
    assert.deepEqual([none.earlier(0), none.earlier(2), none.later(at(1, 2))], [0, 2, at(1, 2)]);
  });
});
