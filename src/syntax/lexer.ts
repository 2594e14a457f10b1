import { type Diagnostic, errorAt } from '../source/diagnostic.js';
import { utf8Length } from '../source/render.js';
import { isFunctionFile, type Position, type SourceFile, type Span } from '../source/span.js';
import type { Include, Remark } from './ast.js';
import { keywords, punctuation, separators, type Token, type TokenKind } from './token.js';

/** Texts that `#include` can insert, by the name in the directive. */
export type Includes = ReadonlyMap<string, string>;

/** Maximum number of tokens of a program with its includes. */
const MAX_TOKENS = 4_000_000;
const MAX_INCLUDES = 20_000;

const DIGITS = '[0-9]+(?:_[0-9]+)*';
const EXPONENT = `[eE][+-]?${DIGITS}`;
const BLANKS = /[ \t\f]+/y;
const NEWLINE = /\r*\n|\r/y;
const LINE_COMMENT = /\/\/[^\r\n]*/y;
const WORD = /[a-zA-Z][a-zA-Z0-9_]*/y;
const BLOCK_TITLE = /transformed[ \t\f]+(?:data|parameters)|generated[ \t\f]+quantities/y;
const NUMBER = new RegExp(`(?:${DIGITS}(?:\\.(?:${DIGITS})?)?(?:${EXPONENT})?|\\.${DIGITS}(?:${EXPONENT})?)(i?)`, 'y');
const STRING = /"[^"\r\n]*"/y;
const QUOTED_INCLUDE = /#include[ \t\f\r\n]+(?:"([^"\r\n]*)"|<([^>\r\n]*)>)/y;
const BARE_INCLUDE = /#include[ \t\f\r\n]+([^ \t\f\r\n]*)/y;
const PUNCTUATION = new RegExp(punctuation.map((text) => text.replace(/[\^$.*+?()[\]{}|\\/]/g, '\\$&')).join('|'), 'y');

const KEYWORDS: ReadonlySet<string> = new Set(keywords);
const PUNCTUATIONS: ReadonlySet<string> = new Set(punctuation);
const SEPARATORS: ReadonlySet<string> = new Set(separators);

function isKeyword(word: string): word is (typeof keywords)[number] {
  return KEYWORDS.has(word);
}

function isPunctuation(text: string): text is (typeof punctuation)[number] {
  return PUNCTUATIONS.has(text);
}

export interface Lexed {
  /** The last token is `end`, or `fault` if the text cannot be read further. */
  readonly tokens: readonly Token[];
  readonly remarks: readonly Remark[];
}

/**
 * The tokens of a program with its includes expanded, and the remarks between them. Lexical rules are those of stanc 2.40, including its
 * line ends and blanks.
 */
export function tokenize(source: SourceFile, includes: Includes): Lexed {
  const remarks: Remark[] = [];
  return { tokens: [...readTokens(source, includes, remarks)], remarks };
}

/** The text without a byte order mark, which some editors add. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** Reads the tokens on demand. `remarks` receives the items between them. */
export function* readTokens(source: SourceFile, includes: Includes, remarks: Remark[]): Generator<Token, void> {
  let count = 0;
  const open: Scanner[] = [new Scanner(source, remarks)];
  const includedFunctions = new Set<string>();
  let includeCount = 0;
  for (let scanner = open.at(-1); scanner !== undefined; scanner = open.at(-1)) {
    const lexeme = scanner.next();
    if (lexeme.kind === 'include') {
      const isRepeated = includedFunctions.has(lexeme.name);
      if (isFunctionFile(lexeme.name)) includedFunctions.add(lexeme.name);
      remarks.push({ ...lexeme, isRepeated });
      const fault = refuseInclude(lexeme.name, lexeme.span, includes, ++includeCount);
      if (fault !== undefined) {
        yield { kind: 'fault', diagnostic: fault };
        return;
      }
      const text = isRepeated ? '' : withoutMark(includes.get(lexeme.name) ?? '');
      open.push(new Scanner({ name: lexeme.name, text, includedFrom: lexeme.span.begin }, remarks));
    } else if (lexeme.kind === 'end' && open.length > 1) {
      open.pop();
    } else {
      yield lexeme;
      if (lexeme.kind === 'end' || lexeme.kind === 'fault') return;
      if (++count > MAX_TOKENS) {
        const text = `The program has more than ${MAX_TOKENS} tokens.`;
        const diagnostic = errorAt('unsupported', lexeme.span, { code: 'too-many-tokens', text });
        yield { kind: 'fault', diagnostic };
        return;
      }
    }
  }
}

function refuseInclude(name: string, span: Span, includes: Includes, count: number): Diagnostic | undefined {
  if (!includes.has(name)) {
    const known = includes.size === 0 ? 'None' : [...includes.keys()].join(', ');
    const text = `Could not find include file '${name}' in specified include paths.\nKnown include files: ${known}`;
    return errorAt('include', span, { code: 'include-not-found', text });
  }
  const current = span.begin.file;
  for (let from = current.includedFrom; from !== undefined; from = from.file.includedFrom) {
    if (from.file.name === current.name && from.file.includedFrom !== undefined) {
      return errorAt('include', span, {
        code: 'recursive-include',
        text: `File ${name} recursively included itself.`,
      });
    }
  }
  return count > MAX_INCLUDES
    ? errorAt('unsupported', span, {
        code: 'too-many-includes',
        text: `The program includes more than ${MAX_INCLUDES} files.`,
      })
    : undefined;
}

type Lexeme = Token | Omit<Include, 'isRepeated'>;

/** Reads one text from start to end, and records remarks between its tokens. */
class Scanner {
  readonly #file: SourceFile;
  readonly #remarks: Remark[];
  readonly #isAscii: boolean;
  #offset = 0;
  #line = 1;
  #column = 0;

  constructor(file: SourceFile, remarks: Remark[]) {
    this.#file = file;
    this.#remarks = remarks;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
    this.#isAscii = /^[\x00-\x7f]*$/.test(file.text);
  }

  next(): Lexeme {
    const fault = this.#skipBlanks();
    if (fault !== undefined) return fault;
    const { text } = this.#file;
    if (this.#offset >= text.length) return this.#take('end', 0);
    const first = text.charAt(this.#offset);
    if (/[a-zA-Z]/.test(first)) return this.#word();
    if (first === '"') {
      const string = this.#match(STRING)?.[0];
      return string === undefined ? this.#invalidCharacter() : this.#take('string', string.length);
    }
    if (first === '#') return this.#include();
    const number = this.#match(NUMBER)?.[0];
    if (number !== undefined) return this.#take(numberKind(number), number.length);
    const mark = this.#match(PUNCTUATION)?.[0];
    return mark !== undefined && isPunctuation(mark) ? this.#take(mark, mark.length) : this.#invalidCharacter();
  }

  #word(): Token {
    const title = this.#match(BLOCK_TITLE)?.[0];
    if (title !== undefined) return this.#take(blockTitle(title), title.length);
    const word = this.#match(WORD)?.[0] ?? '';
    return this.#take(isKeyword(word) ? word : 'identifier', word.length);
  }

  /** A quoted name may contain blanks, but the longest match is used, so `"a"b` is a bare name. */
  #include(): Lexeme {
    const quoted = this.#match(QUOTED_INCLUDE);
    const bare = this.#match(BARE_INCLUDE);
    if (bare === undefined) return this.#invalidCharacter();
    if (quoted !== undefined && quoted[0].length >= bare[0].length) {
      return { kind: 'include', name: quoted[1] ?? quoted[2] ?? '', span: this.#span(quoted[0].length) };
    }
    return { kind: 'include', name: bare[1] ?? '', span: this.#span(bare[0].length) };
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#offset;
    return pattern.exec(this.#file.text) ?? undefined;
  }

  #position(): Position {
    return { file: this.#file, offset: this.#offset, line: this.#line, column: this.#column };
  }

  #advance(length: number): void {
    const end = this.#offset + length;
    this.#column += this.#isAscii ? length : utf8Length(this.#file.text.slice(this.#offset, end));
    this.#offset = end;
  }

  #span(length: number): Span {
    const begin = this.#position();
    this.#advance(length);
    return { begin, end: this.#position() };
  }

  #take(kind: TokenKind, length: number): Token {
    const text = this.#file.text.slice(this.#offset, this.#offset + length);
    const span = this.#span(length);
    if (SEPARATORS.has(kind)) this.#remarks.push({ kind: 'separator', span });
    return { kind, text, span };
  }

  #skipBlanks(): Token | undefined {
    for (;;) {
      const blank = this.#match(BLANKS);
      if (blank !== undefined) {
        this.#advance(blank[0].length);
      } else if (this.#file.text.startsWith('//', this.#offset)) {
        const text = this.#match(LINE_COMMENT)?.[0] ?? '';
        this.#remarks.push({ kind: 'lineComment', lines: [text.slice(2)], span: this.#span(text.length) });
      } else if (this.#file.text.startsWith('/*', this.#offset)) {
        const fault = this.#skipBlockComment();
        if (fault !== undefined) return fault;
      } else if (!this.#skipNewline()) {
        return undefined;
      }
    }
  }

  #skipNewline(): boolean {
    const newline = this.#match(NEWLINE);
    if (newline === undefined) return false;
    this.#offset += newline[0].length;
    this.#line += 1;
    this.#column = 0;
    return true;
  }

  #skipBlockComment(): Token | undefined {
    const begin = this.#position();
    const lines: string[] = [];
    this.#advance(2);
    const { text } = this.#file;
    const found = text.indexOf('*/', this.#offset);
    const end = found < 0 ? text.length : found;
    do {
      let stop = this.#offset;
      while (stop < end && text[stop] !== '\n' && text[stop] !== '\r') stop++;
      lines.push(text.slice(this.#offset, stop));
      this.#advance(stop - this.#offset);
    } while (this.#offset < end && this.#skipNewline());
    if (found < 0) {
      const message = { code: 'unexpected-end', text: 'Unexpected end of input.' };
      return { kind: 'fault', diagnostic: errorAt('lexing', this.#span(0), message) };
    }
    this.#advance(2);
    this.#remarks.push({ kind: 'blockComment', lines, span: { begin, end: this.#position() } });
    return undefined;
  }

  /** stanc points at the first byte of the invalid character. */
  #invalidCharacter(): Token {
    const begin = this.#position();
    const length = (this.#file.text.codePointAt(this.#offset) ?? 0) > 0xffff ? 2 : 1;
    const end = { ...begin, offset: begin.offset + length, column: begin.column + 1 };
    const message = { code: 'invalid-character', text: 'Invalid character found.' };
    return { kind: 'fault', diagnostic: errorAt('lexing', { begin, end }, message) };
  }
}

function blockTitle(text: string): TokenKind {
  if (text.startsWith('generated')) return 'generated quantities';
  return text.endsWith('data') ? 'transformed data' : 'transformed parameters';
}

function numberKind(text: string): TokenKind {
  if (text.endsWith('i')) return 'imaginary';
  if (/^[0-9_]+$/.test(text)) return 'integer';
  return /^\.[0-9_]+$/.test(text) ? 'dotNumber' : 'decimal';
}
