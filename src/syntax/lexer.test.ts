import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenize } from './lexer.js';

function lex(text: string, includes: Record<string, string> = {}) {
  return tokenize({ name: 'model.stan', text }, new Map(Object.entries(includes))).tokens;
}

/** The tokens as `kind text@line:column`, or the location and message of the fault. */
function describe(text: string, includes: Record<string, string> = {}): string[] {
  return lex(text, includes).map((token) => {
    if (token.kind === 'fault') {
      const { begin } = token.diagnostic.span;
      return `fault@${begin.file.name}:${begin.line}:${begin.column} ${token.diagnostic.message.split('\n')[0]}`;
    }
    const { begin } = token.span;
    return `${token.kind === token.text ? '' : `${token.kind} `}${token.text}@${begin.line}:${begin.column}`;
  });
}

function kinds(text: string): string[] {
  return lex(text)
    .slice(0, -1)
    .map((token) => (token.kind === 'fault' ? 'fault' : `${token.kind}:${token.text}`));
}

test('words are keywords, block titles of two words, or identifiers', () => {
  assert.deepEqual(kinds('data datax transformed  data transformed x T generated\tquantities'), [
    'data:data',
    'identifier:datax',
    'transformed data:transformed  data',
    'identifier:transformed',
    'identifier:x',
    'identifier:T',
    'generated quantities:generated\tquantities',
  ]);
});

test('a block title may not break its line, and ends before what follows directly', () => {
  assert.deepEqual(kinds('transformed\ndata'), ['identifier:transformed', 'data:data']);
  assert.deepEqual(kinds('transformed datax'), ['transformed data:transformed data', 'identifier:x']);
});

test('numbers: the longest match wins', () => {
  assert.deepEqual(kinds('1 1_000 1. 1.5e-3 .5 .5e2 2i 1.5i .5i 1..5 1.*2'), [
    'integer:1',
    'integer:1_000',
    'decimal:1.',
    'decimal:1.5e-3',
    'dotNumber:.5',
    'decimal:.5e2',
    'imaginary:2i',
    'imaginary:1.5i',
    'imaginary:.5i',
    'decimal:1.',
    'dotNumber:.5',
    'decimal:1.',
    '*:*',
    'integer:2',
  ]);
  assert.deepEqual(kinds('1e x.1'), ['integer:1', 'identifier:e', 'identifier:x', 'dotNumber:.1']);
});

test('operators: the longest match wins', () => {
  assert.deepEqual(kinds('a%/%b .*= ./= .^ <= < =='), [
    'identifier:a',
    '%/%:%/%',
    'identifier:b',
    '.*=:.*=',
    './=:./=',
    '.^:.^',
    '<=:<=',
    '<:<',
    '==:==',
  ]);
});

test('lines end at \\n, \\r\\n or a lone \\r, in comments too; columns count bytes', () => {
  assert.deepEqual(describe('a\r\n b\r  c /* ß\n\n*/ d // e\n f'), [
    'identifier a@1:0',
    'identifier b@2:1',
    'identifier c@3:2',
    'identifier d@5:3',
    'identifier f@6:1',
    'end @6:2',
  ]);
  assert.deepEqual(describe('"ß≤🙂" x'), ['string "ß≤🙂"@1:0', 'identifier x@1:12', 'end @1:13']);
});

test('a character that begins no token, and an unclosed comment', () => {
  assert.deepEqual(describe('a $ b'), ['identifier a@1:0', 'fault@model.stan:1:2 Invalid character found.']);
  assert.deepEqual(describe('a "b\n'), ['identifier a@1:0', 'fault@model.stan:1:2 Invalid character found.']);
  assert.deepEqual(describe('a /* b\n c'), ['identifier a@1:0', 'fault@model.stan:2:2 Unexpected end of input.']);
});

test('includes are spliced in; a name may be bare, quoted or in angle brackets', () => {
  const parts = { 'x.stan': 'x', 'my part.stan': 'y' };
  assert.deepEqual(describe('#include x.stan\n#include "my part.stan"\n#include <x.stan>\nz', parts), [
    'identifier x@1:0',
    'identifier y@1:0',
    'identifier x@1:0',
    'identifier z@4:0',
    'end @4:1',
  ]);
});

test('an included token knows where it was included', () => {
  const [token] = lex('  #include a', { a: '#include b', b: 'x' });
  assert(token !== undefined && token.kind !== 'fault');
  const { file } = token.span.begin;
  assert.equal(file.name, 'b');
  assert.equal(file.includedFrom?.file.name, 'a');
  assert.equal(file.includedFrom?.file.includedFrom?.column, 2);
});

test('a text is included as often as it is named, a file of functions once', () => {
  const parts = { 'f.stan': 'f', 'g.stanfunctions': '#include h.stanfunctions\ng', 'h.stanfunctions': 'h' };
  const twice = (name: string): string => `#include ${name}\n#include ${name}\n`;
  assert.deepEqual(describe(twice('f.stan'), parts), ['identifier f@1:0', 'identifier f@1:0', 'end @3:0']);
  const found = describe(`${twice('g.stanfunctions')}#include h.stanfunctions\n`, parts);
  assert.deepEqual(found, ['identifier h@1:0', 'identifier g@2:0', 'end @4:0']);
});

test('text between tokens is kept: comments by line, includes, ends of separators', () => {
  const { remarks } = tokenize({ name: 'm', text: 'a /* b\n c */ + // d\n#include e\n, f' }, new Map([['e', '/**/']]));
  assert.deepEqual(
    remarks.map(({ span: { begin, end }, ...remark }) => ({ ...remark, at: [begin.line, begin.column, end.column] })),
    [
      { kind: 'blockComment', lines: [' b', ' c '], at: [1, 2, 5] },
      { kind: 'separator', at: [2, 6, 7] },
      { kind: 'lineComment', lines: [' d'], at: [2, 8, 12] },
      { kind: 'include', name: 'e', isRepeated: false, at: [3, 0, 10] },
      { kind: 'blockComment', lines: [''], at: [1, 0, 4] },
      { kind: 'separator', at: [4, 0, 1] },
    ],
  );
});

test('an unknown include, and one that includes itself', () => {
  assert.deepEqual(describe('a #include no.stan', {}), [
    'identifier a@1:0',
    "fault@model.stan:1:2 Could not find include file 'no.stan' in specified include paths.",
  ]);
  assert.deepEqual(describe('#include a', { a: '#include b', b: '\n#include a' }), [
    'fault@a:1:0 File b recursively included itself.',
  ]);
});

test('includes that multiply are rejected', () => {
  const parts = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`f${index}`, `#include f${index + 1}\n`.repeat(2)]),
  );
  assert.match(describe('#include f0', { ...parts, f40: '' }).join(), /includes more than 20000 files/);
});
