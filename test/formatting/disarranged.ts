import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Program } from '../../src/syntax/ast.js';
import { format } from '../../src/syntax/format.js';
import { tokenize } from '../../src/syntax/lexer.js';
import { parse } from '../../src/syntax/parse.js';
import { SHOWN } from '../passes/programs.js';
import { MODEL_CASES, type ModelCase, readCases } from '../reference/stan.js';
import { shapeOf } from './shape.js';

/** Programs of all types: those of the passes' tests, and the reference models. */
export const programs = [
  ...Object.values(SHOWN).map(({ program }) => program),
  ...readCases<ModelCase>(MODEL_CASES).map(({ files }) => files['model.stan']),
];

function read(text: string): Program {
  const parsed = parse({ name: 'model.stan', text });
  if ('diagnostics' in parsed) throw new Error(`${parsed.diagnostics[0]?.message}\n${text}`);
  return parsed.program;
}

/** The words of all comments, in no particular order. */
function commentWords(text: string): readonly string[] {
  const { remarks } = tokenize({ name: 'model.stan', text }, new Map());
  const lines = remarks.flatMap((remark) => ('lines' in remark ? remark.lines : []));
  return lines
    .flatMap((line) => line.replace(' ^^^:', ' ').split(/\s+/))
    .filter((word) => word !== '')
    .sort();
}

/** Asserts that the formatted program has the same tree and the same comments, and that formatting it again changes nothing. */
export function assertFormats(text: string): void {
  const program = read(text);
  const formatted = format(program);
  const again = read(formatted);
  assert.equal(shapeOf(again), shapeOf(program), text);
  assert.equal(format(again), formatted, text);
  assert.deepEqual(commentWords(formatted), commentWords(text), text);
}

/** Text that can occur between any two tokens. */
const BETWEEN = [
  ' ',
  '\n',
  '\n\n',
  '\t',
  '/* block */',
  '/* one\n  two */',
  '// line\n',
  '\n// own line\n',
  '/**/',
  '/* block */ // line\n',
  '// line\n/* block */',
  '/* one */ /* two */\n',
];

/** A program with different white space, and with comments in a few places. */
export const disarranged = fc
  .tuple(
    fc.constantFrom(...programs),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...BETWEEN)), { maxLength: 12 }),
    fc.constantFrom('\n', ' '),
  )
  .map(([text, insertions, blank]) => {
    const { tokens, remarks } = tokenize({ name: 'model.stan', text }, new Map());
    const hasComments = remarks.some(({ kind }) => kind !== 'separator');
    const texts = tokens.flatMap((token) => (token.kind === 'fault' ? [] : [token.text]));
    const between = new Map(insertions.map(([place, inserted]) => [place % texts.length, inserted]));
    if (hasComments && between.size === 0) return text;
    return texts.map((word, index) => `${between.get(index) ?? ''}${word}`).join(blank);
  });
