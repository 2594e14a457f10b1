/** Syntax highlighting, token by token, with the compiler's lexer. */
import { blockNames, type Remark } from '../syntax/ast.js';
import { tokenize } from '../syntax/lexer.js';
import { reservedWord } from '../syntax/reserved-words.js';
import type { ProperToken, Token } from '../syntax/token.js';

type Style =
  | 'block'
  | 'keyword'
  | 'type'
  | 'number'
  | 'string'
  | 'comment'
  | 'include'
  | 'function'
  | 'distribution'
  | 'name'
  | 'operator'
  | 'bracket'
  | 'fault';

/** A range of the text: UTF-16 offsets, the end exclusive. */
export interface Styled {
  readonly from: number;
  readonly to: number;
  readonly style: Style;
}

/**
 * Maximum number of lexical errors, at which highlighting stops. Each error takes time proportional to the remaining
 * text.
 */
const MOST_FAULTS = 1000;

/** All tokens and comments, in the order of the text. Continues after lexical errors. */
export function highlight(text: string): readonly Styled[] {
  const styled: Styled[] = [];
  for (let start = 0, faults = 0; start < text.length && faults < MOST_FAULTS; faults++) {
    const { tokens, remarks } = tokenize({ name: '', text: text.slice(start) }, new Map());
    styled.push(...commentsOf(remarks, start), ...tokens.flatMap((token, k) => styledToken(token, tokens, k, start)));
    const last = tokens.at(-1);
    if (last?.kind !== 'fault') break;
    const { kind, span } = last.diagnostic;
    const end = Math.max(span.end.offset, span.begin.offset + 1);
    // An unterminated comment extends to the end of the text.
    const isOpenComment = kind === 'lexing' && span.begin.offset >= text.length - start;
    if (isOpenComment) {
      const open = text.lastIndexOf('/*');
      styled.push({ from: Math.max(start, open), to: text.length, style: 'comment' });
      break;
    }
    styled.push({ from: start + span.begin.offset, to: start + end, style: kind === 'include' ? 'include' : 'fault' });
    start += end;
  }
  return styled.sort((a, b) => a.from - b.from);
}

function commentsOf(remarks: readonly Remark[], start: number): Styled[] {
  return remarks
    .filter(({ kind }) => kind === 'lineComment' || kind === 'blockComment')
    .map(({ span }) => ({ from: start + span.begin.offset, to: start + span.end.offset, style: 'comment' }));
}

function styledToken(token: Token, tokens: readonly Token[], place: number, start: number): Styled[] {
  if (token.kind === 'fault' || token.kind === 'end') return [];
  const { begin, end } = token.span;
  return [{ from: start + begin.offset, to: start + end.offset, style: styleOf(token, tokens, place) }];
}

const BLOCKS: ReadonlySet<string> = new Set(blockNames);

function styleOf(token: ProperToken, tokens: readonly Token[], place: number): Style {
  const { kind } = token;
  if (BLOCKS.has(kind)) return tokens[place + 1]?.kind === '{' ? 'block' : 'type';
  switch (kind) {
    case 'identifier':
      if (tokens[place - 1]?.kind === '~') return 'distribution';
      return tokens[place + 1]?.kind === '(' ? 'function' : 'name';
    case 'integer':
    case 'decimal':
    case 'dotNumber':
    case 'imaginary':
      return 'number';
    case 'string':
      return 'string';
    case '{':
    case '}':
    case '(':
    case ')':
    case '[':
    case ']':
    case ',':
    case ';':
      return 'bracket';
    default: {
      const word = reservedWord(kind);
      if (word === undefined) return 'operator';
      return word === 'type' ? 'type' : 'keyword';
    }
  }
}
