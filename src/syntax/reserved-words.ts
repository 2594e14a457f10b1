import { type Keyword, keywords, type TokenKind } from './token.js';

const NOT_TYPES: ReadonlySet<Keyword> = new Set<Keyword>([
  'functions',
  'data',
  'parameters',
  'model',
  'return',
  'if',
  'else',
  'while',
  'for',
  'in',
  'break',
  'continue',
  'void',
  'print',
  'reject',
  'fatal_error',
  'target',
  'jacobian',
  'profile',
  'offset',
  'multiplier',
  'lower',
  'upper',
]);

const WORDS: ReadonlyMap<TokenKind, 'word' | 'type'> = new Map(
  keywords.map((keyword) => [keyword, NOT_TYPES.has(keyword) ? 'word' : 'type']),
);

/** The class of a keyword that is used as a name; undefined if the token is not a keyword. */
export function reservedWord(kind: TokenKind): 'word' | 'type' | undefined {
  return WORDS.get(kind);
}
