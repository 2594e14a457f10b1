/** Fixes of common errors: of beginners, and in programs for versions before Stan 2.33. */

import { plainLetters } from '../derive/plain-letters.js';
import type { FunctionSignatures } from '../language/overloads.js';
import { nearestName } from '../language/suggestion.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { type Span, spanText } from '../source/span.js';
import { blockNames, type Expression, type Program } from '../syntax/ast.js';
import { tokenize } from '../syntax/lexer.js';
import { reservedWord } from '../syntax/reserved-words.js';
import { keywords } from '../syntax/token.js';
import { visitProgram } from '../syntax/walk.js';
import type { Fix } from './fix.js';

/** A fix with one edit, in the file of the error. */
function fix({ begin: { file } }: Span, title: string, from: number, to: number, text: string): Fix {
  return { title, edits: [{ at: { file: file.name, from, to }, text }] };
}

/** Fixes of syntax errors. */
export function syntaxFixes({ message, span }: Diagnostic): readonly Fix[] {
  const { file, offset } = span.begin;
  const { text } = file;
  const end = endOfCodeBefore(text, offset);
  const rest = text.slice(offset);
  const candidates: Fix[] = [];
  if (message.includes('old array syntax')) candidates.push(...newArrays(span));
  const arrow = text.lastIndexOf('<-', offset);
  if (arrow >= statementStart(text, offset)) candidates.push(fix(span, 'Assign with =', arrow, arrow + 2, '='));
  if (rest.startsWith('#')) candidates.push(fix(span, 'Begin the comment with //', offset, offset + 1, '//'));
  candidates.push(...plainName(span));
  const word = /^\w+/.exec(rest)?.[0] ?? '';
  const title = word.replaceAll('_', ' ');
  if (word !== title && blockNames.some((name) => name === title)) {
    candidates.push(fix(span, `Write ${title}`, offset, offset + word.length, title));
  }
  const operator = word === 'and' ? '&&' : word === 'or' ? '||' : undefined;
  if (operator !== undefined) candidates.push(fix(span, `Write ${operator}`, offset, offset + word.length, operator));
  if (text.slice(offset - 1, offset + 1) === '**') candidates.push(fix(span, 'Write ^', offset - 1, offset + 1, '^'));
  if (message.includes('";"') && candidates.length === 0) candidates.push(fix(span, 'Add ;', end, end, ';'));
  if (rest.trim() === '' && message.includes('"}"'))
    candidates.push(fix(span, 'Close the block with }', end, end, '\n}'));
  return candidates;
}

const NAME = /[\p{L}\p{M}\p{N}_]+/gu;

/** Replaces each occurrence of a name with letters that names in Stan cannot have. */
function plainName({ begin: { file, offset } }: Span): readonly Fix[] {
  const names = [...file.text.matchAll(NAME)].map(({ 0: name, index }) => ({
    name,
    from: index,
    to: index + name.length,
  }));
  const wrong = names.find(({ from, to }) => from <= offset && offset < to)?.name;
  if (wrong === undefined) return [];
  const plain = plainLetters(wrong);
  if (plain === wrong || !/^[A-Za-z]\w*$/.test(plain)) return [];
  const edits = names
    .filter(({ name }) => name === wrong)
    .map(({ from, to }) => ({ at: { file: file.name, from, to }, text: plain }));
  return [{ title: `Write ${plain}: names consist of a to z, A to Z, 0 to 9 and _`, edits }];
}

const ASSIGNMENTS: ReadonlySet<string> = new Set(['assign-to-read-only', 'assign-to-global', 'assign-function']);

/** Fixes of semantic errors in calls and assignments. */
export function semanticFixes({ code, span }: Diagnostic): readonly Fix[] {
  const { begin, end } = span;
  const text = spanText(span);
  const increment = /^increment_log_prob\s*\((.*)\)\s*;$/s.exec(text)?.[1];
  if (increment !== undefined) {
    return [fix(span, 'Write target +=', begin.offset, end.offset, `target += ${increment.trim()};`)];
  }
  if (/^get_lp\s*\(/.test(text)) return [fix(span, 'Write target()', begin.offset, begin.offset + 6, 'target')];
  const equals = ASSIGNMENTS.has(code) ? /^\s*(?==)/.exec(begin.file.text.slice(end.offset))?.[0] : undefined;
  if (equals !== undefined) {
    const at = end.offset + equals.length;
    return [fix(span, 'Write ~ for a distribution', at, at + 1, '~')];
  }
  const comma = code === 'bar-required' ? firstComma(text) : undefined;
  return comma === undefined
    ? []
    : [fix(span, 'Write | after the outcome', begin.offset + comma, begin.offset + comma + 1, ' |')];
}

/** New names of functions that Stan has renamed, where the old name is not similar. */
const RENAMED: ReadonlyMap<string, string> = new Map([['cov_exp_quad', 'gp_exp_quad_cov']]);

/** Known names that are similar to an unknown one, or replace it. */
export function misspellings({ code, span, suggestion }: Diagnostic, functions: FunctionSignatures): readonly Fix[] {
  const { begin } = span;
  const [written = ''] = /^\w*/.exec(spanText(span)) ?? [];
  const meant = RENAMED.get(written) ?? suggestion;
  const nearest = code === 'unknown-distribution' ? nearestDistribution(spanText(span), functions) : undefined;
  return [...new Set([meant, nearest])].flatMap((name) =>
    name === undefined ? [] : [fix(span, `Write ${name}`, begin.offset, begin.offset + written.length, name)],
  );
}

function nearestDistribution(name: string, functions: FunctionSignatures): string | undefined {
  const known = [...functions.names()].flatMap((each) => /^(\w+)_lp[dm]f$/.exec(each)?.[1] ?? []);
  return nearestName(name.toLowerCase(), known);
}

/**
 * Fixes of integer division, which discards the remainder: to a division of real numbers, or to an explicit integer
 * division.
 */
export function divisions({ code, span }: Diagnostic, tree: Program): readonly Fix[] {
  if (code !== 'int-division') return [];
  const { begin } = span;
  const found: Fix[] = [];
  const take = (node: Expression) => {
    const isIt = node.kind === 'binary' && node.operator === '/' && node.left.span.begin.offset === begin.offset;
    if (!isIt || node.span.begin.file.name !== begin.file.name) return;
    const { left, operatorSpan, right } = node;
    const literal = [left, right].find(({ kind }) => kind === 'int') ?? left;
    const at = literal.span.end.offset;
    const text = literal.kind === 'int' ? '.0' : ' * 1.0';
    found.push(fix(span, 'Divide as real numbers', at, at, text));
    found.push(fix(span, 'Round with %/%', operatorSpan.begin.offset, operatorSpan.end.offset, '%/%'));
  };
  visitProgram(tree, { expression: take, statement: () => undefined });
  return found;
}

const TYPES = keywords.filter((word) => reservedWord(word) === 'type').join('|');
/** Matches declarations such as `real<lower=0> x[N, K]` or `vector[3] y[N]`, without the definition that may follow. */
const OLD_VARIABLE = new RegExp(
  `\\b((?:${TYPES})\\b(?:\\s*<[^;{}]*>)?(?:\\s*\\[[^;{}\\]]*\\])?)(\\s+)(\\w+)\\s*(\\[[^;{}=]*\\])`,
  'g',
);
/** Matches parameters such as `real[,] x`. */
const OLD_ARGUMENT = new RegExp(`\\b(${TYPES})\\s*(\\[[,\\s]*\\])`, 'g');

function newArrays(span: Span): readonly Fix[] {
  const { file, offset } = span.begin;
  const variables = [...file.text.matchAll(OLD_VARIABLE)].map((match) => {
    const [, type = '', blank = '', name = '', sizes = ''] = match;
    return { match, text: `array${sizes} ${type}${blank}${name}` };
  });
  const types = [...file.text.matchAll(OLD_ARGUMENT)].map((match) => {
    const [, type = '', sizes = ''] = match;
    return { match, text: `array${sizes.replace(/\s/g, '')} ${type}` };
  });
  return [...variables, ...types].flatMap(({ match: { index, 0: old }, text }) =>
    index <= offset && offset < index + old.length
      ? [fix(span, `Write ${text.replace(/\s+/g, ' ')}`, index, index + old.length, text)]
      : [],
  );
}

/** The start of the statement around an offset, after comments. */
function statementStart(text: string, offset: number): number {
  return Math.max(...[';', '{', '}'].map((mark) => text.lastIndexOf(mark, offset - 1))) + 1;
}

/** The end of the last token before an offset. */
function endOfCodeBefore(text: string, offset: number): number {
  const { tokens } = tokenize({ name: '', text: text.slice(0, offset) }, new Map());
  const [last] = tokens
    .filter((token) => token.kind !== 'fault')
    .filter(({ kind }) => kind !== 'end')
    .slice(-1);
  return last?.span.end.offset ?? 0;
}

/** The offset of the first comma between the arguments of a call. */
function firstComma(call: string): number | undefined {
  let depth = 0;
  for (const [at, mark] of [...call].entries()) {
    if ('([{'.includes(mark)) depth++;
    if (')]}'.includes(mark)) depth--;
    if (mark === ',' && depth === 1) return at;
  }
  return undefined;
}
