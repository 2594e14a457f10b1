import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorAt, warningAt } from './diagnostic.js';
import { renderDiagnostic, utf8Length } from './render.js';
import type { Position, SourceFile } from './span.js';

const file: SourceFile = { name: 'model.stan', text: 'data {\n  int N;\n  real x\n}\nmodel {\n}\n' };

function at(line: number, column: number, source = file): Position {
  const lines = source.text.split('\n');
  const offset = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column;
  return { file: source, offset, line, column };
}

test('an error shows its location, the surrounding lines and a caret', () => {
  const diagnostic = errorAt(
    'syntax',
    { begin: at(4, 0), end: at(4, 1) },
    { code: 'c', text: 'Expected ";".' },
    'add one',
  );
  assert.equal(
    renderDiagnostic(diagnostic),
    `Syntax error in 'model.stan', line 4, column 0 to column 1, parsing error:
   -------------------------------------------------
     2:    int N;
     3:    real x
     4:  }
         ^
     5:  model {
     6:  }
   -------------------------------------------------

Expected ";".
  add one`,
  );
});

test('an error at the end of the file points at a line after the last', () => {
  const text = renderDiagnostic(
    errorAt('semantic', { begin: at(7, 0), end: at(7, 0) }, { code: 'c', text: 'Early end.' }),
  );
  assert.match(text, /^Semantic error in 'model\.stan', line 7, column 0:\n/);
  assert.match(text, /\n {5}7: {2}\n {9}\^ \(error at end of file\)\n/);
});

test('a location in an included file shows the chain of includes and the included lines', () => {
  const included: SourceFile = { name: 'part.stan', text: 'real y', includedFrom: at(2, 2) };
  const span = { begin: at(1, 5, included), end: at(1, 6, included) };
  const text = renderDiagnostic(errorAt('lexing', span, { code: 'c', text: 'No.' }));
  assert.match(
    text,
    /^Syntax error in 'part\.stan', line 1, column 5, included from\n'model\.stan', line 2, column 2, lexing error:/,
  );
  assert.match(text, /\n {5}1: {2}real y\n {14}\^\n/);
});

test('a span over several lines names both ends', () => {
  const text = renderDiagnostic(
    errorAt('unsupported', { begin: at(1, 0), end: at(4, 1) }, { code: 'c', text: 'Not yet.' }),
  );
  assert.match(text, /^Unsupported feature in 'model\.stan', line 1, column 0 to line 4, column 1:/);
});

test('the caret is below the character although columns count bytes, and keeps tabs', () => {
  const source: SourceFile = { name: 'm.stan', text: '\tprint("ß", @);\n' };
  const begin: Position = { file: source, offset: 12, line: 1, column: 13 };
  const text = renderDiagnostic(
    errorAt('lexing', { begin, end: { ...begin, offset: 13, column: 14 } }, { code: 'c', text: 'Bad.' }),
  );
  assert.match(text, /\n {9}\t {11}\^\n/);
});

test('a warning is filled to 78 columns and indented', () => {
  const message = 'lkj_cov is deprecated and will be removed in Stan 3.0. Use lkj_corr with an independent scale.';
  const text = renderDiagnostic(warningAt({ begin: at(2, 2), end: at(2, 5) }, { code: 'c', text: message }));
  assert.equal(
    text,
    `Warning in 'model.stan', line 2, column 2 to column 5:
    lkj_cov is deprecated and will be removed in Stan 3.0. Use lkj_corr with
    an independent scale.`,
  );
});

test('the length in bytes of a text', () => {
  assert.equal(utf8Length('aß≤🙂'), 1 + 2 + 3 + 4);
});
