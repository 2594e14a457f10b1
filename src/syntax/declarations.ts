import { spanning } from '../source/span.js';
import type {
  Declaration,
  DeclaredVariable,
  Expression,
  Identifier,
  MatrixTypeName,
  NamedConstraint,
  ScalarTypeName,
  SizedType,
  VectorTypeName,
} from './ast.js';
import { parseConstraint } from './constraints.js';
import { failUnlessClosing, parseExpression, parseExpressions } from './expressions.js';
import { reservedWord } from './reserved-words.js';
import type { TokenKind } from './token.js';
import { illFormed, type Tokens } from './tokens.js';

/**
 * The context of a declaration. `input`: `data` and `parameters`, with constraints and without initial values; `global`: the top level of
 * other blocks except `model`, with both; `local`: everywhere else, with initial values only.
 */
export type DeclarationPlace = 'input' | 'global' | 'local';

export const INVALID_TYPE = `Invalid type in declaration. Valid types:
  int, real, vector, row_vector, matrix,
  unit_vector, simplex, sum_to_zero_vector, ordered, positive_ordered,
  corr_matrix, cov_matrix, cholesky_factor_corr, cholesky_factor_cov,
  sum_to_zero_matrix, row_stochastic_matrix, column_stochastic_matrix,
  tuple(...)
optionally preceded by a single array[...]`;

const TYPE_TABLE = `  See the complete table of types at:
  https://mc-stan.org/docs/reference-manual/types.html#variable-declaration.section`;

const MESSAGES = {
  invalidType: INVALID_TYPE,
  dataSpecifier: illFormed(
    'declaration',
    'The "data" specifier is only valid in function arguments, not declarations.',
  ),
  arraySizes: illFormed('type', 'Expected "[" array sizes "]" followed by type after "array".'),
  arraySize: illFormed('type', 'Expected expressions for size of array.'),
  arrayElement: illFormed('type', 'Expected a non-array type after "array" declaration.'),
  localArrayElement: illFormed(
    'type',
    `Expected an unconstrained, non-array type after "array" declaration.\n  For example, this means a type like "matrix", not "corr_matrix".\n${TYPE_TABLE}`,
  ),
  tuple: illFormed('type', 'Expected a comma separated list of types between "(" and ")" to declare tuple variable.'),
  tupleIncomplete: illFormed(
    'type',
    'Incomplete type specification, expected further types followed by ")" to complete tuple.',
  ),
  tupleComma: illFormed('type', 'Expected "," followed by further types and ")" to complete tuple.'),
  tupleEnd: illFormed('type', 'Expected either ")" or "," followed by\nfurther types and ")" to complete tuple.'),
  constraintOrName: illFormed(
    'declaration',
    'Expected "<" constraint ">" or identifier next as part of top-level variable declaration.',
  ),
  localConstraint: illFormed(
    'type',
    'Did not expect "<". Constrained types are not supported in local (or model block) variable declarations.',
  ),
  afterComma: illFormed(
    'declaration',
    'Expected a new identifier after comma in declaration.\nAll variables declared must be of the same type, and any initializing assignment must follow the identifier before the next comma.',
  ),
  inputAssignment: illFormed(
    'declaration',
    'Cannot assign to variables in the "data" or "parameters" blocks.\nExpected ";" after variable declaration.',
  ),
  value: illFormed('declaration', 'Expected an expression followed by ";" after "=".'),
  afterValue: illFormed(
    'declaration',
    'Expected a ";" to complete the definition or a "," to start a new declaration of the same type.',
  ),
  oldArray: illFormed(
    'declaration',
    `Expected ";" after variable declaration.
  It looks like you are trying to use the old array syntax.
  Please use the new syntax, see:
  https://mc-stan.org/docs/reference-manual/types.html#array-data-types.section`,
  ),
} as const;

/** The error for a missing name after a type. */
const NAME_MISSING: Readonly<Record<DeclarationPlace, string>> = {
  input: illFormed('declaration', 'Expected identifier after type in variable declaration.'),
  global: illFormed(
    'declaration',
    'Expected an identifier and optional assignment after type in variable declaration.',
  ),
  local: illFormed('declaration', 'Expected an identifier after type in local (or model block) variable declaration.'),
};

/** The error for a declaration that neither ends nor continues after its first name. */
const END_MISSING: Readonly<Record<DeclarationPlace, string>> = {
  input: illFormed('declaration', 'Expected ";" after variable declaration.'),
  global: illFormed('declaration', 'Expected ";" or plain assignment after variable declaration.'),
  local: illFormed('declaration', 'Expected ";" or plain assignment after variable declaration.'),
};

/** Types whose names imply a constraint, with their shape and size. */
const NAMED: ReadonlyMap<
  TokenKind,
  {
    readonly constraint: NamedConstraint;
    readonly shape: 'vector' | 'matrix';
    readonly sizes: 'one' | 'two' | 'either';
  }
> = new Map(
  (
    [
      ['ordered', 'vector', 'one'],
      ['positive_ordered', 'vector', 'one'],
      ['simplex', 'vector', 'one'],
      ['unit_vector', 'vector', 'one'],
      ['sum_to_zero_vector', 'vector', 'one'],
      ['cholesky_factor_corr', 'matrix', 'one'],
      ['corr_matrix', 'matrix', 'one'],
      ['cov_matrix', 'matrix', 'one'],
      ['cholesky_factor_cov', 'matrix', 'either'],
      ['sum_to_zero_matrix', 'matrix', 'two'],
      ['column_stochastic_matrix', 'matrix', 'two'],
      ['row_stochastic_matrix', 'matrix', 'two'],
    ] as const
  ).map(([constraint, shape, sizes]) => [constraint, { constraint, shape, sizes }] as const),
);

/** The shape of a type whose name implies a constraint; undefined for other words. */
export function namedShape(kind: TokenKind): 'vector' | 'matrix' | undefined {
  return NAMED.get(kind)?.shape;
}

function isScalar(kind: TokenKind): kind is ScalarTypeName {
  return kind === 'int' || kind === 'real' || kind === 'complex';
}

function isVector(kind: TokenKind): kind is VectorTypeName {
  return kind === 'vector' || kind === 'row_vector' || kind === 'complex_vector' || kind === 'complex_row_vector';
}

function isMatrix(kind: TokenKind): kind is MatrixTypeName {
  return kind === 'matrix' || kind === 'complex_matrix';
}

/** Whether a declaration begins with this token. A declaration that begins with `data` is invalid. */
export function startsDeclaration(kind: TokenKind): boolean {
  return (
    isScalar(kind) ||
    isVector(kind) ||
    isMatrix(kind) ||
    NAMED.has(kind) ||
    kind === 'array' ||
    kind === 'tuple' ||
    kind === 'data'
  );
}

/** `TYPE name = value, name, …;` */
export function parseDeclaration(tokens: Tokens, place: DeclarationPlace): Declaration {
  const first = tokens.next;
  const start = tokens.index;
  if (tokens.takeIf('data')) tokens.failAtLast(MESSAGES.dataSpecifier);
  const type = parseSizedType(tokens, place, MESSAGES.invalidType);
  const name = parseDeclaredName(tokens, NAME_MISSING[place]);
  if (tokens.at('[') && type.kind !== 'array' && type.kind !== 'tuple')
    failAtOldArray(tokens, tokens.phrase(start, tokens.index - 1), name);
  const variables = [parseInitialValue(tokens, name, place, END_MISSING[place])];
  while (tokens.takeIf(',')) {
    const missing = variables.length === 1 || place === 'input' ? MESSAGES.afterComma : END_MISSING[place];
    const next = parseDeclaredName(tokens, missing, true);
    variables.push(parseInitialValue(tokens, next, place, MESSAGES.afterComma));
  }
  tokens.expect(';', MESSAGES.afterComma);
  return { kind: 'declaration', type, variables, isGlobal: place !== 'local', span: tokens.spanFrom(first) };
}

/** A name to declare; a keyword is reported by name. */
export function parseDeclaredName(tokens: Tokens, missing: string, isAfterComma = false): Identifier {
  const { kind, text, span } = tokens.next;
  if (kind === 'identifier') return tokens.identifier(missing);
  const word = reservedWord(kind);
  if (word === undefined) return tokens.fail(missing);
  tokens.take();
  if (isAfterComma && word === 'type') {
    const problem = `Found a type ("${text}") where an identifier was expected.\nAll variables declared in a comma-separated list must be of the same type.`;
    return tokens.failAt(span, illFormed('identifier', problem));
  }
  const problem = `Expected a new identifier but found reserved keyword "${text}".`;
  return tokens.failAt(span, illFormed('identifier', problem));
}

function parseInitialValue(
  tokens: Tokens,
  name: Identifier,
  place: DeclarationPlace,
  missing: string,
): DeclaredVariable {
  if (tokens.takeIf('=')) {
    if (place === 'input') tokens.failAtLast(MESSAGES.inputAssignment);
    const initialValue = parseExpression(tokens, MESSAGES.value);
    if (!tokens.at(',') && !tokens.at(';')) tokens.fail(MESSAGES.afterValue);
    return { name, initialValue, span: spanning(name.span, initialValue.span) };
  }
  if (!tokens.at(',') && !tokens.at(';')) tokens.fail(missing);
  return { name, span: name.span };
}

/** `real x[3]`, as arrays were written before Stan 2.33. */
function failAtOldArray(tokens: Tokens, type: string, name: Identifier): never {
  tokens.take();
  const start = tokens.index;
  const { span } = tokens.next;
  parseExpressions(tokens, MESSAGES.oldArray);
  const sizes = tokens.phrase(start, tokens.index);
  const sizesSpan = tokens.spanFrom(span);
  failUnlessClosing(tokens);
  tokens.expect(']', MESSAGES.oldArray);
  const expected = `";" expected after variable declaration.
  It looks like you are trying to use the old array syntax.
  Please use the new syntax:
  array[${sizes}] ${type} ${name.name};`;
  return tokens.failAt(sizesSpan, illFormed('declaration', expected));
}

/** Parses any type, including arrays and tuples. */
function parseSizedType(tokens: Tokens, place: DeclarationPlace, missing: string): SizedType {
  if (tokens.at('array')) return parseArrayType(tokens, place);
  if (tokens.at('tuple')) return tokens.tupleType(() => parseTupleType(tokens, place));
  return parseElementType(tokens, place, missing);
}

function parseArrayType(tokens: Tokens, place: DeclarationPlace): SizedType {
  const { span } = tokens.take();
  tokens.expect('[', MESSAGES.arraySizes);
  const sizes = parseExpressions(tokens, MESSAGES.arraySize);
  failUnlessClosing(tokens);
  tokens.expect(']', MESSAGES.arraySizes);
  const missing = place === 'local' ? MESSAGES.localArrayElement : MESSAGES.arrayElement;
  const element = tokens.at('tuple')
    ? tokens.tupleType(() => parseTupleType(tokens, place))
    : parseElementType(tokens, place, missing);
  return { kind: 'array', sizes, element, span: tokens.spanFrom(span) };
}

function parseSlot(tokens: Tokens, place: DeclarationPlace, missing: string): SizedType {
  tokens.slot();
  return parseSizedType(tokens, place, missing);
}

function parseTupleType(tokens: Tokens, place: DeclarationPlace): SizedType {
  const { span } = tokens.take();
  tokens.expect('(', MESSAGES.tuple);
  const elements = [parseSlot(tokens, place, MESSAGES.tuple)];
  tokens.expect(',', MESSAGES.tupleComma);
  if (!tokens.at(')')) {
    elements.push(parseSlot(tokens, place, MESSAGES.tupleIncomplete));
    while (tokens.takeIf(',')) elements.push(parseSlot(tokens, place, MESSAGES.tupleIncomplete));
  }
  tokens.expect(')', MESSAGES.tupleEnd);
  return { kind: 'tuple', elements, span: tokens.spanFrom(span) };
}

/** Parses a type that can be the element type of an array. */
function parseElementType(tokens: Tokens, place: DeclarationPlace, missing: string): SizedType {
  const { kind, span } = tokens.next;
  if (isScalar(kind)) return parseScalarType(tokens, kind, place);
  if (isVector(kind)) {
    tokens.take();
    const message = illFormed('type', `Expected "[" expression "]" for ${kind.replace('complex_', '')} size.`);
    const constraint = parseTypeConstraint(tokens, kind, place);
    tokens.expect('[', message);
    const size = parseExpression(tokens, message);
    tokens.expect(']', message);
    return { kind, size, constraint, span: tokens.spanFrom(span) };
  }
  if (isMatrix(kind)) {
    tokens.take();
    const message = illFormed('type', 'Expected "[" expression "," expression "]" for matrix sizes.');
    const constraint = parseTypeConstraint(tokens, kind, place);
    const [rows, columns] = parseTwoSizes(tokens, message);
    return { kind, rows, columns, constraint, span: tokens.spanFrom(span) };
  }
  return parseNamedType(tokens, place, missing);
}

function parseScalarType(tokens: Tokens, kind: ScalarTypeName, place: DeclarationPlace): SizedType {
  const { span } = tokens.take();
  const next = tokens.next.kind;
  const isFollower = next === 'identifier' || next === ',' || next === ')' || reservedWord(next) !== undefined;
  if (!isFollower && next !== '<') tokens.fail(missingAfterScalar(kind, place));
  const constraint = parseTypeConstraint(tokens, kind, place);
  return { kind, constraint, span: tokens.spanFrom(span) };
}

function missingAfterScalar(kind: ScalarTypeName, place: DeclarationPlace): string {
  if (place === 'local') return kind === 'real' ? NAME_MISSING.local : MESSAGES.localConstraint;
  return kind === 'complex' ? NAME_MISSING.input : MESSAGES.constraintOrName;
}

function parseTypeConstraint(tokens: Tokens, kind: TokenKind, place: DeclarationPlace) {
  if (!tokens.at('<')) return { kind: 'none' } as const;
  if (place === 'local') {
    tokens.take();
    tokens.failAtLast(MESSAGES.localConstraint);
  }
  return parseConstraint(tokens, kind === 'int');
}

function parseTwoSizes(tokens: Tokens, message: string): readonly [Expression, Expression] {
  tokens.expect('[', message);
  const rows = parseExpression(tokens, message);
  tokens.expect(',', message);
  const columns = parseExpression(tokens, message);
  tokens.expect(']', message);
  return [rows, columns];
}

function parseNamedType(tokens: Tokens, place: DeclarationPlace, missing: string): SizedType {
  const { kind, span } = tokens.next;
  const named = NAMED.get(kind);
  if (named === undefined) return tokens.fail(missing);
  tokens.take();
  if (place === 'local') {
    const problem = `Constrained types are not supported in local (or model block) variable declarations.\n  Use "${named.shape}" instead.`;
    tokens.failAtLast(illFormed('type', problem));
  }
  const one = '"[" expression "]"';
  const two = '"[" expression "," expression "]"';
  const sizes = { one, two, either: `${one} or ${two}` }[named.sizes];
  const message = illFormed('type', `Expected ${sizes} for size of ${kind}.`);
  const constraint = { kind: named.constraint };
  if (named.sizes === 'two') {
    const [rows, columns] = parseTwoSizes(tokens, message);
    return { kind: 'matrix', rows, columns, constraint, span: tokens.spanFrom(span) };
  }
  tokens.expect('[', message);
  const size = parseExpression(tokens, message);
  const columns = named.sizes === 'either' && tokens.takeIf(',') ? parseExpression(tokens, message) : size;
  tokens.expect(']', message);
  return named.shape === 'vector'
    ? { kind: 'vector', size, constraint, span: tokens.spanFrom(span) }
    : { kind: 'matrix', rows: size, columns, constraint, span: tokens.spanFrom(span) };
}
