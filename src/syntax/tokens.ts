import { type Diagnostic, errorAt, type Message } from '../source/diagnostic.js';
import { type Span, spanning } from '../source/span.js';
import type { Identifier } from './ast.js';
import type { ProperToken, Token, TokenKind } from './token.js';

/** Thrown only inside the parser; `parse` converts it to its result. */
export class SyntaxFault extends Error {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

/** A message about a construct, with stanc's opening phrase. */
export function illFormed(construct: string, expected: string): string {
  return `Ill-formed ${construct}. ${expected}`;
}

function isOperator(text: string): boolean {
  return /^(?:[-+*/%\\^?:]|\.[*/^]|%\/%|&&|\|\||[=!]=)$/.test(text);
}

function endsOperand(text: string): boolean {
  return /^(?:[\w.]+|[)\]}'])$/.test(text);
}

/** Maximum nesting of a program, so that the stack suffices. */
const MAX_NESTING = 620;

/**
 * The maximum number of types in a tuple type, including those of the tuples inside it. Each slot that is not a tuple becomes a separate
 * variable, and nested tuples that double at each level soon exhaust memory.
 */
export const MOST_TUPLE_TYPES = 1000;

export const TUPLE_TOO_LARGE: Message = {
  code: 'tuple-too-large',
  text: `A tuple may have at most ${MOST_TUPLE_TYPES} slots, including those of nested tuples.`,
};

/** The message for a program that is nested too deeply at a location. */
export const NESTED_TOO_DEEPLY: Message = { code: 'nested-too-deeply', text: 'The program is nested too deeply here.' };

/** The parser's view of the tokens: the next token, the last token taken, and errors at either of them. */
export class Tokens {
  readonly #rest: Iterator<Token>;
  /** The tokens read so far. */
  readonly #tokens: Token[] = [];
  #index = 0;
  #nesting = 0;
  /** The number of open tuple types, and of the types that the outermost of them has so far. */
  #openTuples = 0;
  #tupleTypes = 0;

  /** Reads tokens on demand, so a program with an error is not read to its end. */
  constructor(tokens: Iterable<Token>) {
    this.#rest = tokens[Symbol.iterator]();
  }

  /** The next token. Reports an error if the text cannot be read further. */
  get next(): ProperToken {
    const token = this.#tokens[this.#index] ?? this.#read();
    if (token.kind === 'fault') throw new SyntaxFault(token.diagnostic);
    return token;
  }

  #read(): Token {
    const read = this.#rest.next();
    if (read.done === true) throw new Error('read past the end of the tokens');
    this.#tokens.push(read.value);
    return read.value;
  }

  at(kind: TokenKind): boolean {
    return this.next.kind === kind;
  }

  /** The last token taken. */
  get last(): ProperToken {
    const token = this.#tokens[this.#index - 1];
    if (token === undefined || token.kind === 'fault') throw new Error('no token taken yet');
    return token;
  }

  /** The number of tokens taken. */
  get index(): number {
    return this.#index;
  }

  /** The tokens from one index to another, exclusive, formatted as by stanc. */
  phrase(from: number, to: number): string {
    let phrase = '';
    let previous = '';
    for (const token of this.#tokens.slice(from, to)) {
      if (token.kind === 'fault') break;
      if (previous === ',' || (isOperator(token.text) && endsOperand(previous))) phrase += ' ';
      phrase += token.text;
      if (isOperator(token.text) && endsOperand(previous)) phrase += ' ';
      previous = token.text;
    }
    return phrase;
  }

  take(): ProperToken {
    const token = this.next;
    if (token.kind !== 'end') this.#index++;
    return token;
  }

  takeIf(kind: TokenKind): boolean {
    if (!this.at(kind)) return false;
    this.take();
    return true;
  }

  /** Takes a token of this kind or fails with `message`. */
  expect(kind: TokenKind, message: string): ProperToken {
    return this.at(kind) ? this.take() : this.fail(message);
  }

  identifier(message: string): Identifier {
    const { text, span } = this.expect('identifier', message);
    return { name: text, span };
  }

  /** The next token is not allowed here. */
  fail(message: string): never {
    return this.failAt(this.next.span, message);
  }

  /** Reports an error at the last token, if stanc shows this token and not the next one. */
  failAtLast(message: string): never {
    return this.failAt(this.last.span, message);
  }

  /** Reports an error at a span that has been read. Like stanc, which reads one token ahead, first reports an invalid next token. */
  failAt(span: Span, message: string): never {
    void this.next;
    throw new SyntaxFault(errorAt('syntax', span, { code: 'syntax', text: message }));
  }

  /** The span from `begin` to the last token taken. */
  spanFrom(begin: { readonly span: Span } | Span): Span {
    return spanning('span' in begin ? begin.span : begin, this.last.span);
  }

  /** Runs the parser of a tuple type, which calls `slot` before the type of each slot. */
  tupleType<T>(parse: () => T): T {
    if (this.#openTuples === 0) this.#tupleTypes = 0;
    this.#openTuples++;
    const result = this.nested(parse);
    this.#openTuples--;
    return result;
  }

  slot(): void {
    this.#tupleTypes++;
    if (this.#tupleTypes <= MOST_TUPLE_TYPES) return;
    throw new SyntaxFault(errorAt('unsupported', this.next.span, TUPLE_TOO_LARGE));
  }

  /** Runs a parser one level deeper. */
  nested<T>(parse: () => T): T {
    if (this.#nesting >= MAX_NESTING) {
      throw new SyntaxFault(errorAt('unsupported', this.next.span, NESTED_TOO_DEEPLY));
    }
    this.#nesting++;
    const result = parse();
    this.#nesting--;
    return result;
  }
}
