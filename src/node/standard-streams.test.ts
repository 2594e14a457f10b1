import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visible } from './standard-streams.js';

test('Control characters and marks that reorder text are written as escape sequences. All other text is unchanged.', () => {
  for (const [text, shown] of [
    ['\x1b[2J', '\\x1b[2J'],
    ['\x1b]0;title\x07', '\\x1b]0;title\\x07'],
    ['\x9b31m', '\\x9b31m'],
    ['over\rwritten\b\0', 'over\\x0dwritten\\x08\\x00'],
    ['\x7f\x85\xa0', '\\x7f\\x85\xa0'],
    ['a\u202eb\u2066c\u2069', 'a\\u202eb\\u2066c\\u2069'],
    ['a\u2028b', 'a\\u2028b'],
    ['line\n\ttab', 'line\n\ttab'],
    ['σ², 日本語, 😀', 'σ², 日本語, 😀'],
  ]) {
    assert.equal(visible(text), shown);
    assert.equal(visible(shown), shown);
  }
});
