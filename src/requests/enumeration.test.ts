import assert from 'node:assert/strict';
import { it } from 'node:test';
import { enumeration } from './enumeration.js';

it('lists texts as Intl.ListFormat does in British English', () => {
  const all = ['a', 'b', 'c', 'd'];
  const format = new Intl.ListFormat('en-GB');
  for (let count = 0; count <= all.length; count++) {
    const texts = all.slice(0, count);
    assert.equal(enumeration(texts), format.format(texts));
  }
});
