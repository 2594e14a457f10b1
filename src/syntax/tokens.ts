import { type Diagnostic, errorAt } from '../source/diagnostic.js';
import { type Span, spanning } from '../source/span.js';
import type { Identifier } from './ast.js';
import type { ProperToken, Token, TokenKind } from './token.js';

/** Thrown inside the parser only: `parse` turns it into its result. */
export class SyntaxFault extends Error {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

/** A message about a construct, opened the way stanc opens it. */
export function illFormed(construct: string, expected: string): string {
  return `Ill-formed ${construct}. ${expected}`;
}

function isOperator(text: string): boolean {
  return /^(?:[-+*/%\\^?:]|\.[*/^]|%\/%|&&|\|\||[=!]=)$/.test(text);
}

function endsOperand(text: string): boolean {
  return /^(?:[\w.]+|[)\]}'])$/.test(text);
}

/** Deeper programs are refused rather than let exhaust the stack. */
const MAX_NESTING = 620;

/** The parser's view of the tokens: the next one, the last one taken, and faults at either. */
export class Tokens {
  readonly #tokens: readonly Token[];
  #index = 0;
  #nesting = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** The next token. A text that can't be read on becomes a fault here. */
  get next(): ProperToken {
    const token = this.#tokens[this.#index];
    if (token === undefined) throw new Error('read past the end of the tokens');
    if (token.kind === 'fault') throw new SyntaxFault(token.diagnostic);
    return token;
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

  /** How many tokens have been taken. */
  get index(): number {
    return this.#index;
  }

  /** The tokens from one index up to, not including, another, set as stanc's formatter would. */
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

  /** The next token can't stand here. */
  fail(message: string): never {
    return this.failAt(this.next.span, message);
  }

  /** The last token can't be continued rightly: where stanc shows the word itself, not what comes after. */
  failAtLast(message: string): never {
    return this.failAt(this.last.span, message);
  }

  /** What has been read can't stand; but stanc reads one token ahead, and a fault there comes first. */
  failAt(span: Span, message: string): never {
    void this.next;
    throw new SyntaxFault(errorAt('syntax', span, message));
  }

  /** From a begin up to the last token taken. */
  spanFrom(begin: { readonly span: Span } | Span): Span {
    return spanning('span' in begin ? begin.span : begin, this.last.span);
  }

  /** Runs a parser one level deeper. */
  nested<T>(parse: () => T): T {
    if (this.#nesting >= MAX_NESTING) {
      throw new SyntaxFault(errorAt('unsupported', this.next.span, 'The program is too deeply nested here.'));
    }
    this.#nesting++;
    const result = parse();
    this.#nesting--;
    return result;
  }
}
