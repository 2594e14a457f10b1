/** Semantic tokens: classifies each token by the declaration to which its name refers, which the lexer does not know. */

import type { DeclaredName, Stretch } from '../derive/symbols.js';
import { highlight, type Styled } from './highlight.js';

export type TokenType =
  | 'block'
  | 'keyword'
  | 'type'
  | 'number'
  | 'string'
  | 'comment'
  | 'include'
  | 'function'
  | 'variable'
  | 'argument'
  | 'operator';

export interface SemanticToken {
  /** UTF-16 offsets, the end exclusive. */
  readonly from: number;
  readonly to: number;
  readonly type: TokenType;
  readonly isDeclaration: boolean;
  /** Whether it is declared in data or transformed data, and so is constant during sampling. */
  readonly isReadonly: boolean;
  /** Whether it belongs to Stan's library. */
  readonly isLibrary: boolean;
}

const TYPES: Readonly<Record<Styled['style'], TokenType | undefined>> = {
  block: 'block',
  keyword: 'keyword',
  type: 'type',
  number: 'number',
  string: 'string',
  comment: 'comment',
  include: 'include',
  function: 'function',
  distribution: 'function',
  name: 'variable',
  operator: 'operator',
  bracket: undefined,
  fault: undefined,
};

/** The declaration to which a name refers. */
export interface Meaning {
  readonly at: Stretch;
  readonly declared: DeclaredName;
  readonly isDeclaration: boolean;
}

/**
 * The tokens of a text, without brackets and errors.
 * @param meanings the names of this text that refer to declarations of the program
 * @param isLibrary whether the library has a function of a name
 */
export function semanticTokens(
  text: string,
  meanings: readonly Meaning[],
  isLibrary: (name: string) => boolean,
): readonly SemanticToken[] {
  const byOffset = new Map(meanings.map((meaning) => [meaning.at.from, meaning]));
  return highlight(text).flatMap((styled) => {
    const type = TYPES[styled.style];
    return type === undefined || styled.from >= styled.to
      ? []
      : [tokenOf(styled, type, byOffset.get(styled.from), () => isLibrary(text.slice(styled.from, styled.to)))];
  });
}

const CONSTANT: ReadonlySet<string> = new Set(['data', 'transformed data']);

function tokenOf(
  { from, to, style }: Styled,
  type: TokenType,
  meaning: Meaning | undefined,
  isLibrary: () => boolean,
): SemanticToken {
  if (meaning === undefined) {
    const isCalled = style === 'function' || style === 'distribution';
    return { from, to, type, isDeclaration: false, isReadonly: false, isLibrary: isCalled && isLibrary() };
  }
  const { isDeclaration, declared } = meaning;
  const { kind, block } = declared;
  const isReadonly = kind === 'variable' && CONSTANT.has(block);
  const found = kind === 'function' ? 'function' : kind === 'argument' ? 'argument' : 'variable';
  return { from, to, type: found, isDeclaration, isReadonly, isLibrary: false };
}
