import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layout, quote, showMarkup } from './layout.js';

const LONG = 'a word or two '.repeat(5).trim();

describe('a message', () => {
  it('stays on one line if it fits', () => {
    assert.equal(layout('@[one@ two@,three@]'), 'one twothree');
  });

  it('breaks as late as possible in a structural box', () => {
    assert.equal(layout(`@[${LONG}@ and more@ still@]`), `${LONG}\nand more still`);
  });

  it('breaks at every hint of a vertical box, with the indentation of the box', () => {
    assert.equal(layout('@[<v 2>head:@ one@ two@]'), 'head:\n  one\n  two');
  });

  it('breaks at all hints or none in an hv box', () => {
    assert.equal(layout(`@[<hv>${LONG}@ and more@ still@]`), `${LONG}\nand more\nstill`);
  });

  it('starts a box that would begin far to the right on a new line', () => {
    assert.equal(layout(`${LONG} ${quote('name')}`), `${LONG} \n"name"`);
  });

  it('prints types as Stan does', () => {
    assert.equal(layout(showMarkup({ kind: 'tuple', elements: [{ kind: 'int' }] })), 'tuple(int,)');
  });
});
