import type {
  AssignmentOperator,
  AssignmentTarget,
  BlockStatement,
  Expression,
  Place,
  Printable,
  Statement,
  Truncation,
} from './ast.js';
import { type DeclarationPlace, parseDeclaration, startsDeclaration } from './declarations.js';
import {
  continueExpression,
  parseAccesses,
  parseArguments,
  parseArrayElements,
  parseCommon,
  parseExpression,
  parseTargetValue,
  startsExpression,
} from './expressions.js';
import type { ProperToken, TokenKind } from './token.js';
import { illFormed, type Tokens } from './tokens.js';

const MESSAGES = {
  globalBlock: illFormed('block', 'Expected top-level variable declaration, statement, or "}".'),
  localBlock: illFormed('block', 'Expected unconstrained variable declaration, statement, or "}".'),
  afterConsequence: illFormed('statement', 'Expected "else", a statement, or "}" to end the block.'),
  braces: illFormed(
    'phrase',
    'Expected either a list of statements followed by a "}" for a block, or a list of expressions expressions followed by a "}" for an array literal.',
  ),
  partial: illFormed(
    'phrase',
    'Expected a statement, but found a partial value before this point.\nDid you mean for this to be the start of an assignment or "~"-statement?',
  ),
  call: illFormed(
    'phrase',
    'Found a well-formed function application. Expected either a ";" or a valid continuation of the expression.',
  ),
  assignable: illFormed('assignment', 'Expected an assignable value but found a general expression.'),
  assigned: illFormed('assignment statement', 'Expected an expression followed by ";" next.'),
  afterAssigned: illFormed('assignment statement', 'Expected a ";" after the value being assigned.'),
  compound: illFormed('compound assignment statement', 'Expected an expression followed by ";" next.'),
  afterCompound: illFormed('compound assignment statement', 'Expected a ";" after the value being assigned.'),
  eltTimesValue: illFormed(
    'expression',
    'Found an incomplete binary expression.\nAre you missing the right hand side?',
  ),
  distribution: illFormed('"~"-statement', 'Expected an distribution name after "~".'),
  distributionParenthesis: illFormed(
    '"~"-statement',
    'Expected "(" after distribution name, followed by a comma separated list of expressions for arguments to the distribution, followed by ")".',
  ),
  distributionArguments: illFormed(
    '"~"-statement',
    'Expected a comma separated list of expressions for arguments to the distribution, followed by ")".',
  ),
  tildeEnd: illFormed(
    '"~"-statement',
    'Expected either ";" or a truncation with the format "T[" optional expression "," optional expression "];".',
  ),
  truncation: illFormed('truncation', 'Expected "T[" optional expression "," optional expression "];".'),
  truncationEnd: illFormed('statement', 'Expected ";" after truncated "~"-statement.'),
  target: illFormed('phrase', 'Expected either "+=" expression or "()" after "target".'),
  targetValue: illFormed('statement', 'Expected an expression followed by ";" after "target +=".'),
  jacobian: illFormed('statement', 'Expected an expression followed by ";" after "jacobian +=".'),
  break: illFormed('statement', 'Expected ";" after "break".'),
  continue: illFormed('statement', 'Expected ";" after "continue".'),
  return: illFormed('statement', 'Expected ";" or expression followed by ";" after "return".'),
  printables: illFormed(
    'statement',
    'Expected a comma separated list of either expressions or strings, followed by ");".',
  ),
  ifTest: illFormed('statement', 'Expected "(" expression ")" for the test of the if statement.'),
  ifTestEnd: illFormed(
    'statement',
    'Expected "(" expression ")" for the test of the if statement.\nA valid expression was found, but it was not followed by a closing parenthesis.',
  ),
  consequence: illFormed('statement', 'Expected a statement for the true branch of conditional.'),
  alternative: illFormed('statement', 'Expected a statement after "else".'),
  while: illFormed('statement', 'Expected "(" expression ")" statement after "while".'),
  whileTest: illFormed('expression', 'Expected an expression after "(" for the test of a "while" loop.'),
  whileBody: illFormed('statement', 'Expected a statement after ")" for the body of the "while" loop.'),
  for: illFormed('statement', 'Expected "(" after "for".'),
  forVariable: illFormed('statement', 'Expected (loop) identifier after "(".'),
  forIn: illFormed('statement', 'Expected "in" after loop identifier.'),
  forLower: illFormed('expression', 'Expected an expression followed by ")" or ":" after "for (" identifier "in".'),
  forUpper: illFormed(
    'expression',
    'Expected an expression followed by ")" after "for (" identifier "in" expression ":".',
  ),
  forBody: illFormed('statement', 'Expected a statement after ")" for the loop body of the "for" loop.'),
  profileName: illFormed('statement', 'Expected profile name as string in parenthesis'),
  profileParenthesis: illFormed('statement', 'Expected ")" after profile name.'),
  profileBrace: illFormed('statement', 'Expected "{" to begin profile block.'),
} as const;

/** Error texts for the parts of calls of `print`, `reject` and `fatal_error`. */
const OUTPUT = {
  print: {
    open: illFormed(
      'statement',
      'Expected "(" followed by a comma separated list of expressions or\nstrings followed by ");" after "print".',
    ),
    items: illFormed(
      'statement',
      'Expected a comma separated list of expressions or\nstrings followed by ");" after "print(".',
    ),
    end: illFormed('statement', 'Expected a ";" after "print(...)".'),
  },
  reject: sameForAll(
    'Expected a comma separated list of either expressions or strings followed by ");" after "reject(",.',
  ),
  fatal_error: sameForAll(
    'Expected a comma separated list of either expressions or strings followed by ");" after "fatal_error(".',
  ),
} as const;

function sameForAll(expected: string) {
  const message = illFormed('statement', expected);
  return { open: message, items: message, end: message };
}

const ASSIGNMENT_OPERATORS: ReadonlyMap<TokenKind, AssignmentOperator> = new Map(
  (['=', '+=', '-=', '*=', '/=', '.*=', './='] as const).map((operator) => [operator, operator]),
);

/** `{ … }` with local declarations and statements. */
export function parseBlock(tokens: Tokens): BlockStatement {
  return tokens.nested(() => {
    const { span } = tokens.take();
    return { kind: 'block', statements: parseStatements(tokens, 'local'), span: tokens.spanFrom(span) };
  });
}

/** Parses the statements of a block up to and including its `}`. */
export function parseStatements(tokens: Tokens, place: Exclude<DeclarationPlace, 'input'>): readonly Statement[] {
  const missing = place === 'global' ? MESSAGES.globalBlock : MESSAGES.localBlock;
  const statements: Statement[] = [];
  while (!tokens.takeIf('}')) statements.push(parseNext(tokens, statements.at(-1), place, missing));
  return statements;
}

function parseNext(
  tokens: Tokens,
  previous: Statement | undefined,
  place: Exclude<DeclarationPlace, 'input'>,
  missing: string,
): Statement {
  const couldBeElse = previous !== undefined && endsInIf(previous);
  return parseStatement(tokens, couldBeElse ? MESSAGES.afterConsequence : missing, place);
}

/** Whether an `else` could have followed. */
function endsInIf(statement: Statement): boolean {
  let last: Statement | undefined = statement;
  while (last !== undefined) {
    if (last.kind === 'if') {
      if (last.alternative === undefined) return true;
      last = last.alternative;
    } else if (last.kind === 'while' || last.kind === 'for' || last.kind === 'forEach') last = last.body;
    else return false;
  }
  return false;
}

function parseStatement(
  tokens: Tokens,
  missing: string,
  place: Exclude<DeclarationPlace, 'input'> = 'local',
): Statement {
  if (startsDeclaration(tokens.next.kind)) return parseDeclaration(tokens, place);
  return parseAction(tokens, missing);
}

/** A statement other than a declaration. */
function parseAction(tokens: Tokens, missing: string): Statement {
  return tokens.nested(() => {
    const phrase = parsePhrase(tokens, missing);
    return phrase.kind === 'statement' ? phrase.statement : finishStatement(tokens, phrase.value);
  });
}

/** The result of parsing a phrase that begins like a statement but may be an operand. */
type Phrase =
  | { readonly kind: 'statement'; readonly statement: Statement }
  | { readonly kind: 'operand'; readonly value: Expression };

function parsePhrase(tokens: Tokens, missing: string): Phrase {
  const first = tokens.next;
  if (first.kind === '{') return tokens.nested(() => parseBraces(tokens));
  if (first.kind === 'target') return parseTargetPhrase(tokens);
  if (startsExpression(first.kind)) return { kind: 'operand', value: parseStatementStart(tokens, first) };
  return { kind: 'statement', statement: parseKeywordStatement(tokens, first, missing) };
}

/** An operand with its indexes, or a whole expression that begins with a sign. */
function parseStatementStart(tokens: Tokens, first: ProperToken): Expression {
  const isSigned = first.kind === '-' || first.kind === '+' || first.kind === '!';
  return isSigned ? parseSignedStart(tokens) : parseCommon(tokens, MESSAGES.partial);
}

function parseSignedStart(tokens: Tokens): Expression {
  return parseExpression(tokens, MESSAGES.partial);
}

/**
 * Distinguishes a block, `{ a; b; }`, from a statement that begins with an array, `{a, b} ~ f()`, by the first item and the token after it.
 */
function parseBraces(tokens: Tokens): Phrase {
  const { span } = tokens.take();
  const finishBlock = (first: readonly Statement[]): Phrase => {
    const statements = [...first];
    while (!tokens.takeIf('}')) {
      statements.push(parseNext(tokens, statements.at(-1), 'local', MESSAGES.localBlock));
    }
    return { kind: 'statement', statement: { kind: 'block', statements, span: tokens.spanFrom(span) } };
  };
  if (tokens.at('}')) return finishBlock([]);
  if (startsDeclaration(tokens.next.kind)) return finishBlock([parseDeclaration(tokens, 'local')]);
  const phrase = parsePhrase(tokens, MESSAGES.braces);
  if (phrase.kind === 'statement') return finishBlock([phrase.statement]);
  const first = tokens.next;
  if (isStatementMark(first.kind, phrase.value)) return finishBlock([finishStatement(tokens, phrase.value)]);
  const value = continueExpression(tokens, phrase.value);
  if (!tokens.at(',') && !tokens.at('}')) return finishBlock([finishStatement(tokens, value)]);
  const array = parseArrayElements(tokens, span, value);
  return { kind: 'operand', value: parseAccesses(tokens, array) };
}

function isStatementMark(kind: TokenKind, value: Expression): boolean {
  return ASSIGNMENT_OPERATORS.has(kind) || kind === '~' || (kind === ';' && value.kind === 'call');
}

/** The rest of a statement that begins with a value. */
function finishStatement(tokens: Tokens, start: Expression): Statement {
  const { kind } = tokens.next;
  const operator = ASSIGNMENT_OPERATORS.get(kind);
  if (operator !== undefined && isCommon(start)) return parseAssignment(tokens, start, operator);
  const isCall = start.kind === 'call' && !start.hasBar;
  if (isCall && tokens.takeIf(';')) {
    const { function: name, arguments: args } = start;
    return { kind: 'callStatement', function: name, arguments: args, span: tokens.spanFrom(start) };
  }
  const variate = continueExpression(tokens, start);
  const isAlone = variate === start && isCall && !tokens.at('}') && !tokens.at(',');
  if (isAlone && !tokens.at('~')) tokens.fail(MESSAGES.call);
  return parseTilde(tokens, variate);
}

function isCommon(value: Expression): boolean {
  return (
    value.kind !== 'binary' && value.kind !== 'prefix' && value.kind !== 'transpose' && value.kind !== 'conditional'
  );
}

function parseAssignment(tokens: Tokens, start: Expression, operator: AssignmentOperator): Statement {
  const { span: operatorSpan } = tokens.take();
  const [missing, after] =
    operator === '='
      ? [MESSAGES.assigned, MESSAGES.afterAssigned]
      : [operator === '.*=' ? MESSAGES.eltTimesValue : MESSAGES.compound, MESSAGES.afterCompound];
  const value = parseExpression(tokens, missing);
  tokens.expect(';', after);
  const target = toTarget(start) ?? tokens.failAt(start.span, MESSAGES.assignable);
  return { kind: 'assignment', target, operator, operatorSpan, value, span: tokens.spanFrom(start) };
}

function toTarget(value: Expression): AssignmentTarget | undefined {
  if (value.kind !== 'tupleLiteral') return toPlace(value);
  const targets: AssignmentTarget[] = [];
  for (const element of value.elements) {
    const target = toTarget(element);
    if (target === undefined) return undefined;
    targets.push(target);
  }
  return { kind: 'tuplePattern', targets, span: value.span };
}

function toPlace(value: Expression): Place | undefined {
  const { span } = value;
  if (value.kind === 'variable') return value;
  if (value.kind === 'indexed') {
    const container = toPlace(value.container);
    return container && { kind: 'indexed', container, indices: value.indices, span };
  }
  if (value.kind === 'slot') {
    const tuple = toPlace(value.tuple);
    return tuple && { kind: 'slot', tuple, slot: value.slot, span };
  }
  return undefined;
}

function parseTilde(tokens: Tokens, variate: Expression): Statement {
  tokens.expect('~', MESSAGES.partial);
  const distribution = tokens.identifier(MESSAGES.distribution);
  tokens.expect('(', MESSAGES.distributionParenthesis);
  const args = parseArguments(tokens, MESSAGES.distributionArguments);
  const truncation = parseTruncation(tokens);
  tokens.expect(';', truncation === undefined ? MESSAGES.tildeEnd : MESSAGES.truncationEnd);
  const span = tokens.spanFrom(variate);
  return { kind: 'tilde', variate, distribution, arguments: args, ...(truncation && { truncation }), span };
}

function parseTruncation(tokens: Tokens): Truncation | undefined {
  const { kind, text, span } = tokens.next;
  if (kind !== 'identifier' || text !== 'T') return undefined;
  tokens.take();
  tokens.expect('[', MESSAGES.truncation);
  const lower = tokens.at(',') ? undefined : parseExpression(tokens, MESSAGES.truncation);
  tokens.expect(',', MESSAGES.truncation);
  const upper = tokens.at(']') ? undefined : parseExpression(tokens, MESSAGES.truncation);
  tokens.expect(']', MESSAGES.truncation);
  return { ...(lower && { lower }), ...(upper && { upper }), span: tokens.spanFrom(span) };
}

function parseTargetPhrase(tokens: Tokens): Phrase {
  const { span } = tokens.take();
  if (!tokens.takeIf('+=')) {
    return { kind: 'operand', value: parseAccesses(tokens, parseTargetValue(tokens, span, MESSAGES.target)) };
  }
  const value = parseExpression(tokens, MESSAGES.targetValue);
  tokens.expect(';', MESSAGES.targetValue);
  return { kind: 'statement', statement: { kind: 'target', value, span: tokens.spanFrom(span) } };
}

function parseKeywordStatement(tokens: Tokens, first: ProperToken, missing: string): Statement {
  switch (first.kind) {
    case ';':
      return { kind: 'empty', span: tokens.take().span };
    case 'jacobian': {
      tokens.take();
      tokens.expect('+=', MESSAGES.jacobian);
      const value = parseExpression(tokens, MESSAGES.jacobian);
      tokens.expect(';', MESSAGES.jacobian);
      return { kind: 'jacobian', value, span: tokens.spanFrom(first) };
    }
    case 'break':
    case 'continue':
      tokens.take();
      tokens.expect(';', MESSAGES[first.kind]);
      return { kind: first.kind, span: tokens.spanFrom(first) };
    case 'return': {
      tokens.take();
      if (tokens.takeIf(';')) return { kind: 'return', span: tokens.spanFrom(first) };
      const value = parseExpression(tokens, MESSAGES.return);
      tokens.expect(';', MESSAGES.return);
      return { kind: 'return', value, span: tokens.spanFrom(first) };
    }
    case 'print':
    case 'reject':
    case 'fatal_error':
      return parseOutput(tokens, first.kind);
    case 'if':
      return parseIf(tokens);
    case 'while':
      return parseWhile(tokens);
    case 'for':
      return parseFor(tokens);
    case 'profile':
      return parseProfile(tokens);
    default:
      return tokens.fail(missing);
  }
}

function parseOutput(tokens: Tokens, kind: 'print' | 'reject' | 'fatal_error'): Statement {
  const { span } = tokens.take();
  const messages = OUTPUT[kind];
  tokens.expect('(', messages.open);
  const items = [parsePrintable(tokens, messages.items, messages.items)];
  while (tokens.takeIf(',')) items.push(parsePrintable(tokens, MESSAGES.printables, MESSAGES.printables));
  tokens.expect(')', MESSAGES.printables);
  tokens.expect(';', messages.end);
  return { kind, items, span: tokens.spanFrom(span) };
}

function parsePrintable(tokens: Tokens, missing: string, afterText: string): Printable {
  const { kind, text, span } = tokens.next;
  if (kind === 'string') {
    tokens.take();
    if (!tokens.at(',') && !tokens.at(')')) tokens.fail(afterText);
    return { kind: 'text', text: text.slice(1, -1), span };
  }
  const value = parseExpression(tokens, missing);
  return { kind: 'value', value, span: value.span };
}

function parseIf(tokens: Tokens): Statement {
  const { span } = tokens.take();
  tokens.expect('(', MESSAGES.ifTest);
  const condition = parseExpression(tokens, MESSAGES.ifTest);
  tokens.expect(')', MESSAGES.ifTestEnd);
  const consequence = parseStatement(tokens, MESSAGES.consequence);
  if (!tokens.takeIf('else')) return { kind: 'if', condition, consequence, span: tokens.spanFrom(span) };
  const alternative = parseStatement(tokens, MESSAGES.alternative);
  return { kind: 'if', condition, consequence, alternative, span: tokens.spanFrom(span) };
}

function parseWhile(tokens: Tokens): Statement {
  const { span } = tokens.take();
  tokens.expect('(', MESSAGES.while);
  const condition = parseExpression(tokens, MESSAGES.whileTest);
  tokens.expect(')', MESSAGES.whileTest);
  const body = parseStatement(tokens, MESSAGES.whileBody);
  return { kind: 'while', condition, body, span: tokens.spanFrom(span) };
}

function parseFor(tokens: Tokens): Statement {
  const { span } = tokens.take();
  tokens.expect('(', MESSAGES.for);
  const variable = tokens.identifier(MESSAGES.forVariable);
  tokens.expect('in', MESSAGES.forIn);
  const lower = parseExpression(tokens, MESSAGES.forLower);
  const upper = tokens.takeIf(':') ? parseExpression(tokens, MESSAGES.forUpper) : undefined;
  tokens.expect(')', upper === undefined ? MESSAGES.forLower : MESSAGES.forUpper);
  const body = parseStatement(tokens, MESSAGES.forBody);
  const whole = tokens.spanFrom(span);
  return upper === undefined
    ? { kind: 'forEach', variable, container: lower, body, span: whole }
    : { kind: 'for', variable, lower, upper, body, span: whole };
}

function parseProfile(tokens: Tokens): Statement {
  const { span } = tokens.take();
  tokens.expect('(', MESSAGES.profileName);
  const { text } = tokens.expect('string', MESSAGES.profileName);
  tokens.expect(')', MESSAGES.profileParenthesis);
  tokens.expect('{', MESSAGES.profileBrace);
  const statements = parseStatements(tokens, 'local');
  return { kind: 'profile', name: text.slice(1, -1), statements, span: tokens.spanFrom(span) };
}
