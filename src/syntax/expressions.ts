import type { Span } from '../source/span.js';
import type { BinaryOperator, Expression, Identifier, Index, PrefixOperator } from './ast.js';
import type { TokenKind } from './token.js';
import { illFormed, type Tokens } from './tokens.js';

/** Precedence and associativity of Stan's binary operators, weakest first. Source: Stan Reference Manual, "Operators". */
const BINARY: ReadonlyMap<TokenKind, { readonly operator: BinaryOperator; readonly strength: number }> = new Map(
  (
    [
      ['||'],
      ['&&'],
      ['==', '!='],
      ['<', '<=', '>', '>='],
      ['+', '-'],
      ['*', '/', '%', '.*', './'],
      ['%/%', '\\'],
    ] as const
  ).flatMap((row, index) => row.map((operator) => [operator, { operator, strength: index + 2 }] as const)),
);
const TERNARY = 1;
const FIRST_ARITHMETIC = 6;
const PREFIX = 9;
const POWER = 10;

/** Tokens other than operators that can follow a complete expression somewhere in the grammar. */
const FOLLOWERS: ReadonlySet<TokenKind> = new Set<TokenKind>(['~', ';', ')', ']', '}', '?', ':', ',', '|']);

const MESSAGES = {
  trailing: illFormed(
    'expression',
    'Unexpected input after the conclusion of a valid expression.\nYou may be missing a "," between expressions, an operator, or a terminating "}", ")", "]", or ";".',
  ),
  binary: illFormed('expression', 'Found an incomplete binary expression.\nAre you missing the right hand side?'),
  ternary: illFormed(
    'expression',
    'Found an incomplete ternary expression, should be "(condition) ? (true branch) : (false branch)".\nDid you forget to add a colon or a false branch?\nFor example, this returns 3.0:\n  1 ? 3.0 : 0.0',
  ),
  afterSign: illFormed('expression', 'Found an expression. Expected an infix or postfix operator or "["'),
  list: illFormed('expression', 'Expected a comma separated list of expressions.'),
  bracket: illFormed('expression', 'Expected a comma separated list of expressions, followed by "]".'),
  bracketStart: illFormed('expression', 'Expected a comma separated list of expressions followed by "]" after "[".'),
  brace: illFormed('expression', 'Expected an expression after "{" in array expression.'),
  parenthesis: illFormed(
    'expression',
    'Expected an expression or comma separated list of expressions followed by ")" after "(".',
  ),
  inParenthesis: illFormed(
    'phrase',
    'Found "(" followed by expression. Expected a "[", "," or ")" or an infix or postfix operator.',
  ),
  call: illFormed('function application', 'Expected a comma separated list of expressions followed by ")" after "(".'),
  conditional: illFormed(
    'conditional distribution evaluation',
    'Expected a comma separated list of expressions followed by ")" after "|".',
  ),
  target: illFormed('expression', 'Expected "()" after "target".'),
  index: illFormed('index', 'Expected index after indices followed by ",".'),
  from: illFormed('index', 'Expected an expression or "]" or "," after ":".'),
  colon: illFormed('expression', 'Expected an expression or "]" or "," after ":".'),
  afterColon: illFormed(
    'phrase',
    'Found ":" expression. Expected either an infix or postfix operator, or "," or "[" or "]" next.',
  ),
  constraint: illFormed('constraint', 'Expected an expression (not containing binary logical operators).'),
} as const;

/** Names of functions whose calls with one argument count as conditional. */
const CONDITIONAL_SUFFIX = /_(?:lpdf|lupdf|lupmf|lpmf|cdf|lcdf|lccdf)$/;

/** The largest slot number that stanc can read. */
const MAX_SLOT = 4611686018427387903n;

/** The operator before an operand, if any. */
type Owner = 'none' | 'binary' | PrefixOperator;

/** `constraint` expressions exclude comparisons, logical operators and ternaries outside of brackets. */
type Mode = 'general' | 'constraint';

/** Whether an expression can begin with this token. */
export function startsExpression(kind: TokenKind): boolean {
  switch (kind) {
    case 'identifier':
    case 'integer':
    case 'decimal':
    case 'dotNumber':
    case 'imaginary':
    case 'target':
    case '(':
    case '[':
    case '{':
    case '!':
    case '-':
    case '+':
      return true;
    default:
      return false;
  }
}

/** Parses an expression. `missing` is the error if the next token cannot begin an expression. */
export function parseExpression(tokens: Tokens, missing: string): Expression {
  return tokens.nested(() => parseBinary(tokens, TERNARY, missing, 'none', 'general'));
}

/** The bound of a constraint, `real<lower=bound>`. */
export function parseBound(tokens: Tokens, missing: string): Expression {
  return tokens.nested(() => parseBinary(tokens, FIRST_ARITHMETIC, missing, 'none', 'constraint'));
}

/** Continues an expression whose first operand, with its indexes and slots, has been read. */
export function continueExpression(tokens: Tokens, first: Expression): Expression {
  return parseOperators(tokens, parseTransposes(tokens, first), TERNARY, 'general');
}

function parseBinary(tokens: Tokens, strength: number, missing: string, owner: Owner, mode: Mode): Expression {
  return parseOperators(tokens, parseOperand(tokens, missing, owner, mode), strength, mode);
}

function parseOperators(tokens: Tokens, first: Expression, strength: number, mode: Mode): Expression {
  let left = first;
  const incomplete = mode === 'general' ? MESSAGES.binary : MESSAGES.constraint;
  for (;;) {
    const { kind, span: operatorSpan } = tokens.next;
    const binary = BINARY.get(kind);
    if ((kind === '^' || kind === '.^') && POWER >= strength) {
      tokens.take();
      const right = tokens.nested(() =>
        parseBinary(tokens, POWER, kind === '^' ? incomplete : MESSAGES.binary, 'binary', mode),
      );
      left = { kind: 'binary', operator: kind, operatorSpan, left, right, span: tokens.spanFrom(left) };
    } else if (binary !== undefined && binary.strength >= strength) {
      tokens.take();
      const missing = kind === '%/%' ? MESSAGES.binary : incomplete;
      const right = tokens.nested(() => parseBinary(tokens, binary.strength + 1, missing, 'binary', mode));
      left = { kind: 'binary', operator: binary.operator, operatorSpan, left, right, span: tokens.spanFrom(left) };
    } else if (kind === '?' && TERNARY >= strength) {
      left = tokens.nested(() => parseTernary(tokens, left));
    } else {
      return left;
    }
  }
}

function parseTernary(tokens: Tokens, condition: Expression): Expression {
  tokens.take();
  const consequence = parseExpression(tokens, MESSAGES.ternary);
  tokens.expect(':', MESSAGES.ternary);
  const alternative = parseBinary(tokens, TERNARY, MESSAGES.ternary, 'binary', 'general');
  return { kind: 'conditional', condition, consequence, alternative, span: tokens.spanFrom(condition) };
}

function parseOperand(tokens: Tokens, missing: string, owner: Owner, mode: Mode): Expression {
  const { kind, span } = tokens.next;
  if (kind === '!' || kind === '-' || kind === '+') {
    tokens.take();
    const expected =
      mode === 'general' ? illFormed('expression', `Expected an expression after "${kind}".`) : MESSAGES.constraint;
    const operand = tokens.nested(() => parseBinary(tokens, PREFIX + 1, expected, kind, mode));
    return { kind: 'prefix', operator: kind, operand, span: tokens.spanFrom(span) };
  }
  const operand = parseTransposes(tokens, parseCommon(tokens, missing));
  failUnlessFollowed(tokens, operand, owner, mode);
  return operand;
}

function parseTransposes(tokens: Tokens, first: Expression): Expression {
  let operand = first;
  while (tokens.takeIf("'")) operand = { kind: 'transpose', operand, span: tokens.spanFrom(first) };
  return operand;
}

/** Reports a next token that cannot follow any expression; after `'` the surrounding construct has a better message. */
function failUnlessFollowed(tokens: Tokens, operand: Expression, owner: Owner, mode: Mode): void {
  const { kind } = tokens.next;
  if (mode === 'constraint') {
    const binary = BINARY.get(kind);
    const isOperator = kind === '^' || kind === '.^' || (binary !== undefined && binary.strength >= FIRST_ARITHMETIC);
    if (isOperator || kind === '>' || kind === ',') return;
    if (operand.kind === 'transpose') return;
    const isKnown = binary !== undefined || FOLLOWERS.has(kind);
    tokens.fail(operand.kind === 'variable' && !isKnown ? MESSAGES.trailing : MESSAGES.constraint);
  }
  if (BINARY.has(kind) || kind === '^' || kind === '.^' || FOLLOWERS.has(kind)) return;
  if (operand.kind !== 'transpose' || owner === 'binary') tokens.fail(MESSAGES.trailing);
  if (owner === '-' || owner === '+') tokens.fail(MESSAGES.afterSign);
  if (owner === '!') tokens.fail(illFormed('expression', 'Expected an expression after "!".'));
}

/** An operand without operators: a literal, name, call or bracketed expression, with its indexes and slots. */
export function parseCommon(tokens: Tokens, missing: string): Expression {
  return parseAccesses(tokens, parseAtom(tokens, missing));
}

/** The indexes and tuple slots after an operand. */
export function parseAccesses(tokens: Tokens, first: Expression): Expression {
  let operand = first;
  for (;;) {
    if (tokens.at('[')) {
      const indices = parseIndices(tokens);
      operand = { kind: 'indexed', container: operand, indices, span: tokens.spanFrom(first) };
    } else if (tokens.at('dotNumber')) {
      const slot = parseSlot(tokens);
      operand = { kind: 'slot', tuple: operand, slot, span: tokens.spanFrom(first) };
    } else {
      return operand;
    }
  }
}

function parseSlot(tokens: Tokens): number {
  const { text, span } = tokens.take();
  const digits = text.slice(1);
  const slot = digits.length > 40 ? MAX_SLOT + 1n : BigInt(digits.replaceAll('_', ''));
  if (slot > MAX_SLOT) {
    const begin = { ...span.begin, offset: span.begin.offset + 1, column: span.begin.column + 1 };
    const problem = `Failed to parse integer from string "${digits}" in tuple index.\nThe index is likely too large.`;
    tokens.failAt({ begin, end: span.end }, illFormed('index', problem));
  }
  return Number(slot);
}

function parseAtom(tokens: Tokens, missing: string): Expression {
  const { kind, text, span } = tokens.next;
  switch (kind) {
    case 'identifier': {
      tokens.take();
      if (tokens.at('(')) return parseCall(tokens, { name: text, span });
      return { kind: 'variable', name: text, span };
    }
    case 'integer':
      tokens.take();
      return { kind: 'int', text: text.replaceAll('_', ''), span };
    case 'decimal':
    case 'dotNumber':
      tokens.take();
      return { kind: 'real', text: text.replaceAll('_', ''), span };
    case 'imaginary':
      tokens.take();
      return { kind: 'imaginary', text: text.slice(0, -1).replaceAll('_', ''), span };
    case 'target':
      tokens.take();
      return parseTargetValue(tokens, span, MESSAGES.target);
    case '(':
      return parseParenthesis(tokens);
    case '[':
      return parseRowVector(tokens);
    case '{':
      tokens.take();
      return parseArrayElements(tokens, span, parseExpression(tokens, MESSAGES.brace));
    default:
      return tokens.fail(missing);
  }
}

/** The `()` of `target()`. */
export function parseTargetValue(tokens: Tokens, begin: Span, missing: string): Expression {
  tokens.expect('(', missing);
  tokens.expect(')', MESSAGES.target);
  return { kind: 'targetValue', span: tokens.spanFrom(begin) };
}

/** The rest of `{first, …}`. */
export function parseArrayElements(tokens: Tokens, begin: Span, first: Expression): Expression {
  const elements = parseMore(tokens, first);
  tokens.expect('}', MESSAGES.trailing);
  return { kind: 'arrayLiteral', elements, span: tokens.spanFrom(begin) };
}

function parseRowVector(tokens: Tokens): Expression {
  const { span } = tokens.take();
  const elements = tokens.at(']') ? [] : parseMore(tokens, parseExpression(tokens, MESSAGES.bracketStart));
  failUnlessClosing(tokens);
  tokens.expect(']', MESSAGES.bracket);
  return { kind: 'rowVectorLiteral', elements, span: tokens.spanFrom(span) };
}

function parseParenthesis(tokens: Tokens): Expression {
  const { span } = tokens.take();
  const first = parseExpression(tokens, MESSAGES.parenthesis);
  if (!tokens.takeIf(',')) {
    tokens.expect(')', MESSAGES.inParenthesis);
    return { kind: 'parenthesis', inner: first, span: tokens.spanFrom(span) };
  }
  const rest = tokens.at(')') ? [] : parseMore(tokens, parseExpression(tokens, MESSAGES.parenthesis));
  if (rest.length > 0) failUnlessClosing(tokens);
  tokens.expect(')', MESSAGES.inParenthesis);
  return { kind: 'tupleLiteral', elements: [first, ...rest], span: tokens.spanFrom(span) };
}

/** A call, starting at its `(`. */
function parseCall(tokens: Tokens, name: Identifier): Expression {
  tokens.take();
  const call = (args: readonly Expression[], hasBar: boolean): Expression => {
    tokens.expect(')', hasBar ? MESSAGES.conditional : MESSAGES.call);
    const isOneDensityArgument = args.length === 1 && CONDITIONAL_SUFFIX.test(name.name);
    return {
      kind: 'call',
      function: name,
      arguments: args,
      isConditional: hasBar || isOneDensityArgument,
      hasBar,
      span: tokens.spanFrom(name),
    };
  };
  if (tokens.at(')')) return call([], false);
  const first = parseExpression(tokens, MESSAGES.call);
  if (tokens.takeIf('|')) {
    const given = tokens.at(')') ? [] : parseMore(tokens, parseExpression(tokens, MESSAGES.conditional));
    if (given.length > 0) failUnlessClosing(tokens);
    return call([first, ...given], true);
  }
  const args = parseMore(tokens, first);
  if (args.length > 1) failUnlessClosing(tokens);
  return call(args, false);
}

/** The arguments of `f(a, b)`, after `(` up to and including `)`. */
export function parseArguments(tokens: Tokens, message: string): readonly Expression[] {
  if (tokens.takeIf(')')) return [];
  const args = parseMore(tokens, parseExpression(tokens, message));
  failUnlessClosing(tokens);
  tokens.expect(')', message);
  return args;
}

/** Parses a list of one or more expressions, as between `array[` and `]`. */
export function parseExpressions(tokens: Tokens, missing: string): readonly Expression[] {
  return parseMore(tokens, parseExpression(tokens, missing));
}

function parseMore(tokens: Tokens, first: Expression): readonly Expression[] {
  const elements = [first];
  while (tokens.takeIf(',')) elements.push(parseExpression(tokens, MESSAGES.list));
  return elements;
}

/** Fails unless a closing bracket of any type follows. As in stanc, it need not match the opening bracket. */
export function failUnlessClosing(tokens: Tokens): void {
  const { kind } = tokens.next;
  if (kind !== ')' && kind !== ']' && kind !== '}') tokens.fail(MESSAGES.trailing);
}

function parseIndices(tokens: Tokens): readonly Index[] {
  tokens.take();
  const indices = [parseIndex(tokens, MESSAGES.bracket)];
  while (tokens.takeIf(',')) indices.push(parseIndex(tokens, MESSAGES.index));
  tokens.expect(']', MESSAGES.bracket);
  return indices;
}

function atIndexEnd(tokens: Tokens): boolean {
  return tokens.at(',') || tokens.at(']');
}

function parseIndex(tokens: Tokens, missing: string): Index {
  const { span } = tokens.next;
  if (atIndexEnd(tokens)) return { kind: 'all', span: { begin: span.begin, end: span.begin } };
  if (tokens.takeIf(':')) {
    if (atIndexEnd(tokens)) return { kind: 'all', span };
    const upper = parseExpression(tokens, MESSAGES.colon);
    if (!atIndexEnd(tokens)) tokens.fail(MESSAGES.afterColon);
    return { kind: 'to', upper, span: tokens.spanFrom(span) };
  }
  const lower = parseExpression(tokens, missing);
  if (!tokens.takeIf(':')) return { kind: 'single', index: lower, span: lower.span };
  if (atIndexEnd(tokens)) return { kind: 'from', lower, span: tokens.spanFrom(lower) };
  const upper = parseExpression(tokens, MESSAGES.from);
  if (!atIndexEnd(tokens)) tokens.fail(MESSAGES.from);
  return { kind: 'between', lower, upper, span: tokens.spanFrom(lower) };
}
