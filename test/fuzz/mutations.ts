import { tokenize } from '../../src/syntax/lexer.js';
import { parse } from '../../src/syntax/parse.js';
import { keywords, punctuation } from '../../src/syntax/token.js';
import type { Random } from './random.js';

/** Characters that may occur in a program but rarely do. */
const ODD = [
  '\0',
  '\t',
  '\r',
  '\r\n',
  '\f',
  '\u00a0',
  '\u2028',
  '\ufeff',
  'é',
  '√',
  '😀',
  '\ud800',
  '#',
  '"',
  '`',
  '$',
  '@',
];

/** Mostly one, because a program with several faults rarely passes the parser. */
function fewChanges(random: Random): number {
  return random.chance(0.7) ? 1 : 2 + random.below(3);
}

/** Changes a few characters. */
export function mutateBytes(text: string, random: Random): string {
  let result = text;
  for (let k = fewChanges(random); k > 0; k--) {
    const at = random.below(result.length + 1);
    const length = random.below(4);
    const inserted = random.weighted<() => string>([
      [3, () => ''],
      [3, () => String.fromCharCode(32 + random.below(95))],
      [2, () => random.pick(ODD)],
      [1, () => String.fromCharCode(random.below(65536))],
      [1, () => result.slice(at, at + random.below(40))],
      [1, () => random.pick(['/*', '*/', '//', '#include ', '1e999', '99999999999', '0.', '.', '1_000', '1i'])],
    ])();
    result = result.slice(0, at) + inserted + result.slice(at + (random.chance(0.5) ? length : 0));
  }
  return random.chance(0.05) ? result.slice(0, random.below(result.length + 1)) : result;
}

/** Omits, doubles, exchanges or replaces tokens. */
export function mutateTokens(text: string, random: Random): string {
  const words = wordsOf(text);
  if (words.length === 0) return mutateBytes(text, random);
  for (let k = fewChanges(random); k > 0; k--) {
    const at = random.below(words.length);
    const other = random.below(words.length);
    const replacement = random.weighted<() => string>([
      [8, () => random.pick(words.filter((word) => classOf(word) === classOf(words[at])))],
      [3, () => words[other]],
      [2, () => random.pick(punctuation)],
      [2, () => random.pick(keywords)],
      [1, () => random.pick(['0', '1', '2', '-1', '2147483647', '1.5', 'x', 'T', 'target()', '"text"', '3i'])],
    ])();
    switch (random.below(5)) {
      case 0:
        words.splice(at, 1);
        break;
      case 1:
        words.splice(at, 0, replacement);
        break;
      case 2:
        [words[at], words[other]] = [words[other], words[at]];
        break;
      default:
        words[at] = replacement;
    }
    if (words.length === 0) break;
  }
  return words.join(random.chance(0.5) ? ' ' : '\n');
}

/** An approximate class of words that may replace this one. */
function classOf(word: string): string {
  if (/^[\d.]/.test(word) && word !== '.') return 'number';
  if (/^[-+*/%^\\<>=!&|.~]+$/.test(word)) return 'operator';
  return /^\w/.test(word) ? 'name' : word;
}

function wordsOf(text: string): string[] {
  const { tokens } = tokenize({ name: 'string', text }, new Map());
  return tokens.flatMap((token) => (token.kind === 'fault' || token.kind === 'end' ? [] : [token.text]));
}

interface Subtree {
  readonly family: 'expression' | 'statement' | 'type' | 'index';
  readonly text: string;
  readonly begin: number;
  readonly end: number;
}

/** Omits subtrees, or replaces them by subtrees of the same type from this program or another. */
export function mutateSubtrees(text: string, donor: string, random: Random): string {
  let result = text;
  for (let k = random.below(2); k >= 0; k--) {
    const own = subtreesOf(result);
    if (own.length === 0) return mutateTokens(result, random);
    const place = random.pick(own);
    const source = random.chance(0.7) ? own : subtreesOf(donor);
    const alike = source.filter(({ family }) => family === place.family);
    const replacement = alike.length === 0 || random.chance(0.1) ? '' : random.pick(alike).text;
    const wrapped = place.family === 'expression' && random.chance(0.3) ? `(${replacement})` : replacement;
    result = result.slice(0, place.begin) + wrapped + result.slice(place.end);
  }
  return result;
}

const EXPRESSIONS: ReadonlySet<string> = new Set([
  'variable',
  'conditional',
  'binary',
  'prefix',
  'transpose',
  'call',
  'indexed',
  'slot',
  'arrayLiteral',
  'rowVectorLiteral',
  'tupleLiteral',
  'parenthesis',
  'targetValue',
  'imaginary',
]);
const STATEMENTS: ReadonlySet<string> = new Set([
  'declaration',
  'assignment',
  'callStatement',
  'target',
  'jacobian',
  'tilde',
  'break',
  'continue',
  'return',
  'print',
  'reject',
  'if',
  'while',
  'for',
  'forEach',
  'profile',
  'block',
]);
const TYPES: ReadonlySet<string> = new Set([
  'array',
  'tuple',
  'vector',
  'row_vector',
  'matrix',
  'complex',
  'complex_matrix',
]);
const INDEXES: ReadonlySet<string> = new Set(['all', 'single', 'from', 'to', 'between']);

function familyOf(kind: unknown): Subtree['family'] | undefined {
  if (typeof kind !== 'string') return undefined;
  if (EXPRESSIONS.has(kind)) return 'expression';
  if (STATEMENTS.has(kind)) return 'statement';
  if (TYPES.has(kind)) return 'type';
  return INDEXES.has(kind) ? 'index' : undefined;
}

/** The source of every subtree of a program that can be parsed. */
function subtreesOf(text: string): readonly Subtree[] {
  const parsed = parse({ name: 'string', text });
  if ('diagnostics' in parsed) return [];
  const found: Subtree[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('kind' in node && 'span' in node) {
      const family = familyOf(node.kind);
      const { begin, end } = node.span as { begin: { offset: number }; end: { offset: number } };
      if (family !== undefined)
        found.push({ family, text: text.slice(begin.offset, end.offset), begin: begin.offset, end: end.offset });
    }
    for (const [key, child] of Object.entries(node))
      if (key !== 'span' && key !== 'operatorSpan' && key !== 'remarks') visit(child);
  };
  visit(parsed.program);
  return found;
}
