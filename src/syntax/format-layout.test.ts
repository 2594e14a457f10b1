import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BoxKind, Layout } from './format-layout.js';

/** `f(` and words with breaks between, then `)`, in a box of this kind behind the bracket. */
function call(kind: BoxKind, words: readonly string[], margin = 20): string {
  const layout = new Layout(margin);
  layout.open('always');
  layout.text('f(');
  layout.box(kind, 0, () => {
    for (const [index, word] of words.entries()) {
      if (index > 0) layout.space();
      layout.text(word);
    }
    layout.text(')');
  });
  return layout.toString();
}

const FEW = ['aaaa', 'bbbb', 'cccc'];
const MANY = ['aaaaa', 'bbbbb', 'ccccc', 'ddddd', 'eeeee'];

test('text that fits stays on one line in every box', () => {
  for (const kind of ['never', 'together', 'each', 'indenting'] as const) {
    assert.equal(call(kind, FEW), 'f(aaaa bbbb cccc)');
  }
});

test('a box breaks at its own left edge: at all breaks, or at the necessary ones', () => {
  assert.equal(call('together', MANY), 'f(aaaaa\n  bbbbb\n  ccccc\n  ddddd\n  eeeee)');
  assert.equal(call('each', MANY), 'f(aaaaa bbbbb ccccc\n  ddddd eeeee)');
  assert.equal(call('never', MANY), 'f(aaaaa bbbbb ccccc ddddd eeeee)');
  assert.equal(call('always', FEW), 'f(aaaa\n  bbbb\n  cccc)');
});

test('text that would reach the last column moves to the next line', () => {
  assert.equal(call('each', ['aaaa', 'bbbb', 'cccc'], 18), 'f(aaaa bbbb cccc)');
  assert.equal(call('each', ['aaaa', 'bbbb', 'cccc'], 17), 'f(aaaa bbbb\n  cccc)');
});

test('an indenting box breaks where the next line is less indented', () => {
  const layout = new Layout(12);
  layout.open('indenting');
  layout.text('a');
  layout.box('indenting', 0, () => {
    layout.text('(bbbb');
    layout.space();
    layout.text('cccc)');
  });
  layout.space();
  layout.text('d');
  assert.equal(layout.toString(), 'a(bbbb\n cccc)\nd');
});

test('a box that would begin in the last ten columns begins on its own line', () => {
  const layout = new Layout(30);
  layout.open('always', 2);
  layout.text('x'.repeat(21));
  layout.box('always', 0, () => layout.text('y'));
  assert.equal(layout.toString(), `${'x'.repeat(21)}\n  y`);
});

test('the lines of a text are aligned, and characters are counted, not code units', () => {
  const layout = new Layout(26);
  layout.open('each');
  layout.text('😀😀😀😀😀😀');
  layout.space();
  layout.text('bbbbb');
  layout.lines(['/* a', '   b */']);
  assert.equal(layout.toString(), '😀😀😀😀😀😀 bbbbb/* a\n               b */');
});
