import type { Diagnostic } from '../source/diagnostic.js';
import type { Span } from '../source/span.js';

/** Keywords that cannot be names, by stanc's rules: `T` is not among them. */
export const keywords = [
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
  'profile',
  'void',
  'int',
  'real',
  'complex',
  'vector',
  'row_vector',
  'matrix',
  'complex_vector',
  'complex_row_vector',
  'complex_matrix',
  'array',
  'tuple',
  'ordered',
  'positive_ordered',
  'simplex',
  'unit_vector',
  'sum_to_zero_vector',
  'sum_to_zero_matrix',
  'cholesky_factor_corr',
  'cholesky_factor_cov',
  'corr_matrix',
  'cov_matrix',
  'column_stochastic_matrix',
  'row_stochastic_matrix',
  'lower',
  'upper',
  'offset',
  'multiplier',
  'jacobian',
  'target',
  'print',
  'reject',
  'fatal_error',
] as const;

export type Keyword = (typeof keywords)[number];

/** Two words with blanks between them that form one token. */
type BlockTitle = 'transformed data' | 'transformed parameters' | 'generated quantities';

/** Longest first, so that the first match is the longest. */
export const punctuation = [
  '.*=',
  './=',
  '%/%',
  '.*',
  '.^',
  './',
  '||',
  '&&',
  '==',
  '!=',
  '<=',
  '>=',
  '+=',
  '-=',
  '*=',
  '/=',
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '<',
  '>',
  ',',
  ';',
  '|',
  '?',
  ':',
  '!',
  '-',
  '+',
  '^',
  "'",
  '*',
  '/',
  '%',
  '\\',
  '~',
  '=',
] as const;

export type Punctuation = (typeof punctuation)[number];

/** Tokens between two operands or two items of a list. */
export const separators = [
  ',',
  '|',
  '?',
  'else',
  '<',
  '>',
  '-',
  '+',
  '^',
  '*',
  '/',
  '%',
  '%/%',
  '\\',
  '.*',
  '.^',
  './',
  '||',
  '&&',
  '==',
  '!=',
  '<=',
  '>=',
] as const satisfies readonly (Punctuation | Keyword)[];

/**
 * `dotNumber` consists of `.` and digits: a real or the slot of a tuple. `fault` ends the tokens if the text cannot be read further. Its
 * error is only reported if the parser reaches it.
 */
type LiteralKind = 'identifier' | 'integer' | 'decimal' | 'dotNumber' | 'imaginary' | 'string';

export type TokenKind = Keyword | BlockTitle | Punctuation | LiteralKind | 'end';

export interface ProperToken {
  readonly kind: TokenKind;
  /** The text of the token in the source; strings include their quotes. */
  readonly text: string;
  readonly span: Span;
}

interface FaultToken {
  readonly kind: 'fault';
  readonly diagnostic: Diagnostic;
}

export type Token = ProperToken | FaultToken;
