/**
 * Parses model formulas in the notation of lme4 and brms (Bates and others, 2015, Fitting linear mixed-effects models using lme4, table 2):
 * `y ~ x + z`, `x:z`, `x*z`, `0 + x`, `offset(log(x))`, `(1 + x | g)`, `(1 + x || g)`, `(1 | a:b)`, `(1 | a/b)`.
 */
import { type FormulaFault, faultAt } from './faults.js';
import {
  type ColumnName,
  type Formula,
  type FormulaSpan,
  type GroupTerm,
  isSameTerm,
  type Offset,
  type Term,
} from './formula.js';

interface Token {
  readonly kind: 'name' | 'number' | 'symbol' | 'end';
  readonly text: string;
  readonly span: FormulaSpan;
}

/** A sum of terms. The intercept is undefined if the sum does not mention it. */
interface Sum {
  readonly intercept: boolean | undefined;
  readonly terms: readonly Term[];
  readonly groups: readonly GroupTerm[];
  readonly offsets: readonly Offset[];
}

const EMPTY: Sum = { intercept: undefined, terms: [], groups: [], offsets: [] };

/** Ends parsing. */
class Refusal extends Error {
  readonly fault: FormulaFault;

  constructor(fault: FormulaFault) {
    super(fault.key);
    this.fault = fault;
  }
}

/** The formula, or the first fault. */
export function parseFormula(text: string): Formula | { readonly fault: FormulaFault } {
  try {
    return new Parser(tokensOf(text)).formula();
  } catch (error) {
    if (error instanceof Refusal) return { fault: error.fault };
    throw error;
  }
}

/** Names of R's syntax, names in backticks, numbers, `||`, and other characters. */
const TOKEN = /\s+|[\p{L}_.][\p{L}\p{M}\p{N}_.]*|`((?:[^`\\]|\\.)*)`|\d+(?:\.\d*)?|\|\||./gsu;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const [found, quoted] = match;
    if (/^\s/.test(found)) continue;
    const span = { start: match.index, end: match.index + found.length };
    if (found === '`') throw new Refusal(faultAt(span, 'formulaExpected', { found: 'end', expected: 'backtick' }));
    if (quoted !== undefined) tokens.push({ kind: 'name', text: quoted.replace(/\\(.)/g, '$1'), span });
    else {
      const kind = /^\d/.test(found) ? 'number' : /^[\p{L}_.]/u.test(found) ? 'name' : 'symbol';
      tokens.push({ kind, text: found, span });
    }
  }
  return [...tokens, { kind: 'end', text: 'end', span: { start: text.length, end: text.length } }];
}

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  formula(): Formula {
    const outcome = this.#column();
    this.#expect('~', 'tilde');
    const { intercept = true, ...others } = this.#sum();
    if (this.#next.kind !== 'end') throw this.#unexpected('more');
    return { outcome, intercept, ...others };
  }

  get #next(): Token {
    return this.#tokens[this.#position];
  }

  #take(): Token {
    const token = this.#next;
    if (token.kind !== 'end') this.#position++;
    return token;
  }

  #isSymbol(text: string): boolean {
    return this.#next.kind === 'symbol' && this.#next.text === text;
  }

  #accept(text: string): boolean {
    const isNext = this.#isSymbol(text);
    if (isNext) this.#position++;
    return isNext;
  }

  #expect(text: string, expected: string): void {
    if (!this.#accept(text)) throw this.#unexpected(expected);
  }

  #unexpected(expected: string): Refusal {
    const { kind, span, text } = this.#next;
    if (kind === 'symbol' && /^[-^/%@$&=!<>]$/.test(text))
      return new Refusal(faultAt(span, 'formulaOperator', { operator: text }));
    return new Refusal(faultAt(span, 'formulaExpected', { found: text, expected }));
  }

  #sum(): Sum {
    let sum = EMPTY;
    let isFirst = true;
    do {
      const isRemoved = this.#accept('-');
      if (isFirst) this.#accept('+');
      sum = added(sum, isRemoved ? this.#removed() : this.#product());
      isFirst = false;
    } while (this.#accept('+') || this.#isSymbol('-'));
    return sum;
  }

  /** After a minus sign, only the intercept. */
  #removed(): Sum {
    const { span, text } = this.#take();
    if (text !== '1') throw new Refusal(faultAt(span, 'formulaOperator', { operator: '-' }));
    return { ...EMPTY, intercept: false };
  }

  /** Factors with `*`, which stands for the factors and their interactions. */
  #product(): Sum {
    let product = this.#interaction();
    while (this.#isSymbol('*')) {
      const { span } = this.#take();
      const other = this.#interaction();
      const terms = crossed(product, other, span);
      product = added(added(product, other), { ...EMPTY, terms });
    }
    return product;
  }

  #interaction(): Sum {
    let factor = this.#factor();
    while (this.#isSymbol(':')) {
      const { span } = this.#take();
      const other = this.#factor();
      factor = { ...factor, terms: crossed(factor, other, span) };
    }
    return factor;
  }

  #factor(): Sum {
    if (this.#next.kind === 'number') {
      const { span, text } = this.#take();
      if (text !== '0' && text !== '1') throw new Refusal(faultAt(span, 'formulaNumber', { number: text }));
      return { ...EMPTY, intercept: text === '1' };
    }
    if (this.#isSymbol('(')) return this.#parenthesis();
    if (this.#isCall('offset')) return { ...EMPTY, offsets: [this.#offset()] };
    return { ...EMPTY, terms: [[this.#column()]] };
  }

  #offset(): Offset {
    this.#position += 2;
    const isLog = this.#isCall('log');
    if (isLog) this.#position += 2;
    const column = this.#column();
    if (isLog) this.#expect(')', 'close');
    this.#expect(')', 'close');
    return { column, isLog };
  }

  #isCall(name: string): boolean {
    const after = this.#tokens[this.#position + 1];
    return this.#next.kind === 'name' && this.#next.text === name && after?.kind === 'symbol' && after.text === '(';
  }

  /** A sum in parentheses, or effects that vary between groups. */
  #parenthesis(): Sum {
    const { span } = this.#take();
    const sum = this.#sum();
    const isCorrelated = this.#isSymbol('|');
    if (!isCorrelated && !this.#isSymbol('||')) {
      this.#expect(')', sum.intercept === undefined ? 'close' : 'bar');
      return sum;
    }
    if (sum.groups.length > 0) throw new Refusal(faultAt(span, 'formulaGroupsInside'));
    if (sum.offsets.length > 0) throw new Refusal(faultAt(span, 'formulaOffsetInside'));
    this.#take();
    const nested = this.#nestedGroups();
    this.#expect(')', 'close');
    const { intercept = true, terms } = sum;
    return { ...EMPTY, groups: nested.map((group) => ({ intercept, terms, group, correlated: isCorrelated })) };
  }

  /** `a` and `a:b` for `a/b`. */
  #nestedGroups(): readonly Term[] {
    const levels: Term[] = [];
    do {
      const group = [...(levels.at(-1) ?? []), this.#column()];
      while (this.#accept(':')) group.push(this.#column());
      levels.push(group);
    } while (this.#accept('/'));
    return levels;
  }

  #column(): ColumnName {
    const token = this.#take();
    if (token.kind !== 'name') {
      if (token.kind !== 'end') this.#position--;
      throw this.#unexpected('column');
    }
    if (!this.#isSymbol('(')) return { name: token.text, isFactor: false, span: token.span };
    if (token.text !== 'factor') throw new Refusal(faultAt(token.span, 'formulaCall', { name: token.text }));
    this.#take();
    const inner = this.#column();
    this.#expect(')', 'close');
    return { ...inner, isFactor: true };
  }
}

/** Both sums, each term once. */
function added(first: Sum, second: Sum): Sum {
  const terms = [...first.terms];
  for (const term of second.terms) if (!terms.some((each) => isSameTerm(each, term))) terms.push(term);
  return {
    intercept: second.intercept ?? first.intercept,
    terms,
    groups: [...first.groups, ...second.groups],
    offsets: [...first.offsets, ...second.offsets],
  };
}

/** The interactions of each term of one sum with each of the other. */
function crossed(first: Sum, second: Sum, span: FormulaSpan): readonly Term[] {
  const isOffset = first.offsets.length > 0 || second.offsets.length > 0;
  if (isOffset) throw new Refusal(faultAt(span, 'formulaOffsetInside'));
  if (first.terms.length === 0 || second.terms.length === 0) throw new Refusal(faultAt(span, 'formulaGroupsInside'));
  return first.terms.flatMap((one) =>
    second.terms.map((other) => [
      ...one,
      ...other.filter(({ name, isFactor }) => !one.some((each) => each.name === name && each.isFactor === isFactor)),
    ]),
  );
}
