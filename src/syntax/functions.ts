import type { FunctionDefinition, Parameter, ReturnType, UnsizedType } from './ast.js';
import { namedShape, parseDeclaredName, startsDeclaration } from './declarations.js';
import { reservedWord } from './reserved-words.js';
import { parseBlock } from './statements.js';
import type { TokenKind } from './token.js';
import { illFormed, type Tokens } from './tokens.js';

const TYPE_TABLE = `  See the complete table of types at:
  https://mc-stan.org/docs/reference-manual/types.html#variable-declaration.section`;

const MESSAGES = {
  name: illFormed('function', 'Expected an identifier after the type.'),
  parenthesis: illFormed('function', 'Expected "(" after function name.'),
  parameter: illFormed(
    'function argument',
    `Expected an argument declaration (unsized and unconstrained type followed by identifier).\n  For example, this means a type like "matrix", not "corr_matrix" or "matrix[3,4]".\n${TYPE_TABLE}`,
  ),
  dataParameter: illFormed('function argument', 'Expected a type after the "data" specifier.'),
  afterParameter: illFormed('function argument', 'Expected "," or ")" after function argument declaration.'),
  body: illFormed(
    'function',
    'Expected either "{" statement "}" for a function definition or ";" for a function forward declaration.',
  ),
  constraint: illFormed('type', 'Did not expect "<". Functions do not support type constraints.'),
  sized: illFormed(
    'type',
    `Expected an unsized type in function signature.
  For example, this means a type like "matrix", not "matrix[3,4]".
  If you are trying to use the old array syntax, you will need to use
  the new syntax, see:
  https://mc-stan.org/docs/reference-manual/types.html#array-data-types.section`,
  ),
  arraySizes: illFormed('type', 'Expected "[" array sizes "]" followed by type after "array".'),
  commas: illFormed('type', 'Expected "[" (list of commas) "]" in an unsized type in a function signature.'),
  element: illFormed(
    'type',
    `Expected an unconstrained, non-array type after "array" declaration.\n  For example, this means a type like "matrix", not "corr_matrix" or "matrix[3,4]".\n${TYPE_TABLE}`,
  ),
  tuple: illFormed('type', 'Expected a comma separated list of types between "(" and ")" to declare tuple variable.'),
} as const;

/** Whether a function definition begins with this token. */
export function startsFunction(kind: TokenKind): boolean {
  return kind === 'void' || (startsDeclaration(kind) && kind !== 'data');
}

/** `real f(data real x, array[] int y) { … }`, or `;` instead of a body. */
export function parseFunction(tokens: Tokens): FunctionDefinition {
  const first = tokens.next;
  const returnType = parseReturnType(tokens);
  const name = parseDeclaredName(tokens, MESSAGES.name);
  tokens.expect('(', MESSAGES.parenthesis);
  const parameters = parseParameters(tokens);
  const head = { kind: 'function', returnType, name, parameters } as const;
  if (tokens.takeIf(';')) return { ...head, span: tokens.spanFrom(first) };
  if (!tokens.at('{')) tokens.fail(MESSAGES.body);
  const body = parseBlock(tokens);
  return { ...head, body, span: tokens.spanFrom(first) };
}

function parseReturnType(tokens: Tokens): ReturnType {
  const { kind, span } = tokens.next;
  if (kind !== 'void') return parseUnsizedType(tokens, MESSAGES.parameter);
  tokens.take();
  return { kind, span };
}

function parseParameters(tokens: Tokens): readonly Parameter[] {
  if (tokens.takeIf(')')) return [];
  const parameters = [parseParameter(tokens)];
  while (tokens.takeIf(',')) parameters.push(parseParameter(tokens));
  tokens.expect(')', MESSAGES.afterParameter);
  return parameters;
}

function parseParameter(tokens: Tokens): Parameter {
  const first = tokens.next;
  const dataOnly = tokens.takeIf('data');
  const type = parseUnsizedType(tokens, dataOnly ? MESSAGES.dataParameter : MESSAGES.parameter);
  const name = parseDeclaredName(tokens, MESSAGES.name);
  return { name, type, dataOnly, span: tokens.spanFrom(first) };
}

function parseUnsizedType(tokens: Tokens, missing: string): UnsizedType {
  const first = tokens.next;
  if (tokens.at('tuple')) return tokens.tupleType(() => parseUnsizedTuple(tokens));
  if (!tokens.takeIf('array')) {
    const type = parseBasicType(tokens, missing);
    if (tokens.takeIf('[')) tokens.failAtLast(MESSAGES.sized);
    failUnlessTypeEnds(tokens, MESSAGES.name);
    return type;
  }
  tokens.expect('[', MESSAGES.arraySizes);
  let dimensions = 1;
  while (tokens.takeIf(',')) dimensions++;
  tokens.expect(']', MESSAGES.commas);
  const element = tokens.at('tuple') ? tokens.tupleType(() => parseUnsizedTuple(tokens)) : parseArrayElement(tokens);
  return { kind: 'array', dimensions, element, span: tokens.spanFrom(first) };
}

function parseArrayElement(tokens: Tokens): UnsizedType {
  const type = parseBasicType(tokens, MESSAGES.element);
  failUnlessTypeEnds(tokens, MESSAGES.constraint);
  return type;
}

/** Fails unless a name, the next type or the end of a tuple follows a type. As in stanc, the following token determines the error. */
function failUnlessTypeEnds(tokens: Tokens, message: string): void {
  const { kind } = tokens.next;
  const isEnd = kind === 'identifier' || kind === ',' || kind === ')' || reservedWord(kind) !== undefined;
  if (!isEnd) tokens.fail(message);
}

function parseUnsizedSlot(tokens: Tokens): UnsizedType {
  tokens.slot();
  return parseUnsizedType(tokens, MESSAGES.tuple);
}

function parseUnsizedTuple(tokens: Tokens): UnsizedType {
  const { span } = tokens.take();
  tokens.expect('(', MESSAGES.tuple);
  const elements = [parseUnsizedSlot(tokens)];
  tokens.expect(',', MESSAGES.tuple);
  if (!tokens.at(')')) {
    elements.push(parseUnsizedSlot(tokens));
    while (tokens.takeIf(',')) elements.push(parseUnsizedSlot(tokens));
  }
  tokens.expect(')', MESSAGES.tuple);
  return { kind: 'tuple', elements, span: tokens.spanFrom(span) };
}

function parseBasicType(tokens: Tokens, missing: string): UnsizedType {
  const { kind, span } = tokens.next;
  const shape = namedShape(kind);
  if (shape !== undefined) {
    tokens.take();
    const problem = `Functions do not enforce type constraints.\n  Use "${shape}" instead.`;
    return tokens.failAtLast(illFormed('type', problem));
  }
  switch (kind) {
    case 'int':
    case 'real':
    case 'complex':
    case 'vector':
    case 'row_vector':
    case 'matrix':
    case 'complex_vector':
    case 'complex_row_vector':
    case 'complex_matrix':
      tokens.take();
      if (tokens.takeIf('<')) tokens.failAtLast(MESSAGES.constraint);
      return { kind, span };
    default:
      return tokens.fail(missing);
  }
}
