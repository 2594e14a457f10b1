import { type IndexShape, indexedType } from '../language/indexing.js';
import { levelOfType } from '../language/levels.js';
import {
  INFIX,
  type OperatorFunction,
  operatorSignatures,
  PREFIX,
  resolveOperator,
  TRANSPOSE,
} from '../language/operators.js';
import { commonType, isFunctionType, isRealScalar } from '../language/promotion.js';
import { declaredName, suffixOf } from '../language/suffixes.js';
import {
  COMPLEX,
  COMPLEX_MATRIX,
  COMPLEX_ROW_VECTOR,
  INT,
  LIBRARY_FUNCTION,
  MATRIX,
  REAL,
  ROW_VECTOR,
  sameType,
  showType,
  type Type,
  tupleTypesIn,
} from '../language/types.js';
import type { Span } from '../source/span.js';
import type {
  BinaryShape,
  CollectionShape,
  ConditionalShape,
  Expression,
  Index,
  LiteralShape,
  PrefixShape,
  SlotShape,
  TransposeShape,
  Untyped,
  VariableShape,
} from '../syntax/ast.js';
import { MOST_TUPLE_TYPES, TUPLE_TOO_LARGE } from '../syntax/tokens.js';
import { partsOfIndex } from '../syntax/walk.js';
import { actualJoin, annotate, asArgument, checkedLevel, joinOf, promote } from './annotate.js';
import { checkCall } from './calls.js';
import { type Context, isActiveBlock, levelOfVariable, refuse } from './environment.js';
import * as messages from './messages.js';
import { checkName, checkUnnormalized } from './names.js';
import { warnOfOperator } from './operator-warnings.js';
import type { ExpressionAnnotation, Typed, TypedExpression, UserFunction } from './typed.js';

/** Types an expression. Rejects the same expressions as stanc. */
export function checkExpression(context: Context, node: Expression): TypedExpression {
  switch (node.kind) {
    case 'variable':
      checkName(node.name, node.span);
      return { ...node, ...checkVariable(context, node) };
    case 'int':
    case 'real':
    case 'imaginary':
      return { ...node, ...checkLiteral(node) };
    case 'targetValue':
      return { ...node, ...checkTargetValue(context, node.span) };
    case 'conditional':
      return checkConditional(context, node);
    case 'binary':
      return checkBinary(context, node);
    case 'prefix':
      return checkPrefix(context, node);
    case 'transpose':
      return checkTranspose(context, node);
    case 'call':
      return checkCall(
        context,
        node,
        node.arguments.map((argument) => checkExpression(context, argument)),
      );
    case 'indexed': {
      const indices = node.indices.map((index) => checkIndex(context, index));
      const container = checkExpression(context, node.container);
      return { ...node, container, indices, ...indexedAnnotation(node.span, container, indices) };
    }
    case 'slot':
      return checkSlot(context, node);
    case 'arrayLiteral':
    case 'rowVectorLiteral':
    case 'tupleLiteral':
      return checkCollection(context, node);
    case 'parenthesis': {
      const inner = checkExpression(context, node.inner);
      return { ...node, inner, ...annotate(inner.type, checkedLevel(inner), inner.level) };
    }
  }
}

export function checkInt(context: Context, node: Expression, what: string): TypedExpression {
  const expression = checkExpression(context, node);
  if (expression.type.kind !== 'int') refuse(expression.span, messages.intExpected(what, expression.type));
  return expression;
}

export function checkIntOrReal(context: Context, node: Expression, what: string): TypedExpression {
  const expression = checkExpression(context, node);
  if (!isRealScalar(expression.type)) refuse(expression.span, messages.intOrRealExpected(what, expression.type));
  return expression;
}

/** The meaning of a name that is used as a value. */
export function checkVariable(context: Context, { name, span }: VariableShape): ExpressionAnnotation {
  const { environment, block, enclosing } = context;
  const declared = declaredName(name);
  const variable = environment.variable(declared);
  const functions = environment.functions(declared);
  if (!environment.isKnown(declared)) refuse(span, messages.nameUnknown(name, environment.nearest(name)));
  checkUnnormalized(context, name, span);
  if (variable === undefined && functions.length === 0) {
    return { ...annotate(LIBRARY_FUNCTION, 'data'), symbol: { kind: 'function' } };
  }
  if (variable !== undefined && context.isSize && NOT_FOR_SIZES.has(variable.block)) {
    refuse(span, messages.sizeNotData(variable.block));
  }
  if (variable === undefined) {
    environment.use(enclosing, { kind: 'user', function: functions[0] }, span);
    return functionAnnotation(context, name, functions[0]);
  }
  const actual = block === 'generated quantities' ? 'data' : variable.level;
  return { ...annotate(variable.type, levelOfVariable(variable, context), actual), symbol: variable };
}

const NOT_FOR_SIZES: ReadonlySet<string> = new Set(['parameters', 'transformed parameters', 'generated quantities']);

/** A user function passed as an argument. */
function functionAnnotation(context: Context, name: string, userFunction: UserFunction): ExpressionAnnotation {
  const { parameters, result } = userFunction;
  const type: Type = { kind: 'function', parameters, result, suffix: suffixOf(name) };
  const level = context.block === 'generated quantities' ? 'data' : 'autodiff';
  return { ...annotate(type, level), symbol: { kind: 'function', function: userFunction } };
}

function checkLiteral({ kind, text, span }: LiteralShape): ExpressionAnnotation {
  if (kind === 'real') return annotate(REAL, 'data');
  if (kind === 'imaginary') return annotate(COMPLEX, 'data');
  if (!(Number(text) < 2 ** 31)) refuse(span, messages.intTooLarge());
  return annotate(INT, 'data');
}

function checkTargetValue(context: Context, span: Span): ExpressionAnnotation {
  const { block, enclosing } = context;
  if (enclosing?.suffix !== 'lp' && block !== 'model' && block !== 'transformed parameters') {
    refuse(span, messages.targetNotAllowed());
  }
  return annotate(REAL, isActiveBlock(block) ? 'autodiff' : 'data');
}

function checkConditional(context: Context, node: ConditionalShape<Untyped>): TypedExpression {
  const condition = checkExpression(context, node.condition);
  const consequence = checkExpression(context, node.consequence);
  const alternative = checkExpression(context, node.alternative);
  const type = commonType(consequence.type, alternative.type);
  const level = joinOf([condition, consequence, alternative]);
  if (condition.type.kind !== 'int' || type === undefined || level === undefined || isFunctionType(type)) {
    refuse(node.span, messages.badConditional(condition.type, consequence.type, alternative.type));
  }
  return {
    ...node,
    condition,
    consequence: promote(consequence, type),
    alternative: promote(alternative, type),
    ...annotate(type, level),
  };
}

function checkBinary(context: Context, node: BinaryShape<Untyped>): TypedExpression {
  const left = checkExpression(context, node.left);
  const right = checkExpression(context, node.right);
  warnOfOperator(context.environment, node, left.type, right.type);
  const functions = INFIX[node.operator];
  const level = joinOf([left, right]);
  const signature = resolveOperator(functions, [asArgument(left), asArgument(right)]);
  if (signature === undefined || level === undefined) {
    refuse(node.span, messages.badInfix(node.operator, listOf(functions), left.type, right.type));
  }
  const [leftParameter, rightParameter] = signature.parameters;
  return {
    ...node,
    left: promote(left, leftParameter.type),
    right: promote(right, rightParameter.type),
    ...annotate(signature.result, level, actualJoin([left, right])),
    operatorFunction: signature.name,
  };
}

function checkPrefix(context: Context, node: PrefixShape<Untyped>): TypedExpression {
  const operand = checkExpression(context, node.operand);
  const functions = PREFIX[node.operator];
  const signature = resolveOperator(functions, [asArgument(operand)]);
  if (signature === undefined) {
    refuse(node.span, messages.badPrefix(node.operator, listOf(functions), operand.type));
  }
  return {
    ...node,
    operand: promote(operand, signature.parameters[0].type),
    ...annotate(signature.result, checkedLevel(operand), operand.level),
    operatorFunction: signature.name,
  };
}

function checkTranspose(context: Context, node: TransposeShape<Untyped>): TypedExpression {
  const operand = checkExpression(context, node.operand);
  const signature = resolveOperator(TRANSPOSE, [asArgument(operand)]);
  if (signature === undefined) refuse(node.span, messages.badPostfix("'", listOf(TRANSPOSE), operand.type));
  return {
    ...node,
    operand,
    ...annotate(signature.result, checkedLevel(operand), operand.level),
    operatorFunction: signature.name,
  };
}

function listOf(functions: readonly OperatorFunction[]): string {
  return functions
    .map((name) =>
      operatorSignatures(name).map(
        (signature) =>
          `\n${showType({ kind: 'function', parameters: signature.parameters, result: signature.result })}`,
      ),
    )
    .map((lines) => lines.join(''))
    .join('\n');
}

export function checkIndex(context: Context, node: Index): Index<Typed> {
  switch (node.kind) {
    case 'all':
      return node;
    case 'single': {
      const index = checkExpression(context, node.index);
      if (index.type.kind !== 'int' && !sameType(index.type, INTS)) {
        refuse(index.span, messages.indexExpected(index.type));
      }
      return { ...node, index };
    }
    case 'from':
      return { ...node, lower: checkInt(context, node.lower, 'Range bound') };
    case 'to':
      return { ...node, upper: checkInt(context, node.upper, 'Range bound') };
    case 'between': {
      const lower = checkInt(context, node.lower, 'Range bound');
      return { ...node, lower, upper: checkInt(context, node.upper, 'Range bound') };
    }
  }
}

const INTS: Type = { kind: 'array', element: INT };

export function indexShape(index: Index<Typed>): IndexShape {
  return index.kind === 'single' && index.index.type.kind === 'int' ? 'single' : 'multi';
}

/** The annotation of `container[indices]`, as a value or an assignment target. */
export function indexedAnnotation(
  span: Span,
  container: ExpressionAnnotation,
  indices: readonly Index<Typed>[],
): ExpressionAnnotation {
  const type = indexedType(container.type, indices.map(indexShape));
  if (type === undefined) refuse(span, messages.notIndexable(container.type, indices.length));
  const level = joinOf([container, ...indices.flatMap((index) => partsOfIndex(index))]);
  return annotate(type, levelOfType(level ?? 'autodiff', type), container.level);
}

function checkSlot(context: Context, node: SlotShape<Untyped>): TypedExpression {
  const tuple = checkExpression(context, node.tuple);
  return { ...node, tuple, ...slotAnnotation(node.span, tuple, node.slot) };
}

/** The annotation of `tuple.slot`, as a value or an assignment target. */
export function slotAnnotation(span: Span, tuple: ExpressionAnnotation, slot: number): ExpressionAnnotation {
  const { type } = tuple;
  if (type.kind !== 'tuple') refuse(span, messages.notATuple(type));
  const element = type.elements[slot - 1];
  if (element === undefined) refuse(span, messages.slotOutOfRange(type.elements.length, slot));
  const levels = checkedLevel(tuple);
  return annotate(element, typeof levels === 'string' ? levelOfType(levels, element) : levels[slot - 1]);
}

function checkCollection(context: Context, node: CollectionShape<Untyped>): TypedExpression {
  const elements = node.elements.map((element) => checkExpression(context, element));
  switch (node.kind) {
    case 'arrayLiteral':
      return arrayLiteral(node, elements);
    case 'rowVectorLiteral':
      return rowVectorLiteral(node, elements);
    case 'tupleLiteral': {
      const type: Type = { kind: 'tuple', elements: elements.map((element) => element.type) };
      if (tupleTypesIn(type) > MOST_TUPLE_TYPES) refuse(node.span, TUPLE_TOO_LARGE, 'unsupported');
      return { ...node, elements, ...annotate(type, elements.map(checkedLevel), actualJoin(elements)) };
    }
  }
}

function arrayLiteral(node: CollectionShape<Untyped>, elements: readonly TypedExpression[]): TypedExpression {
  const element = commonOf(elements[0].type, elements, (common, { span, type }) =>
    refuse(span, messages.mixedArray(common, type)),
  );
  return collection(node, elements, element, { kind: 'array', element });
}

function rowVectorLiteral(node: CollectionShape<Untyped>, elements: readonly TypedExpression[]): TypedExpression {
  const first = elements[0]?.type.kind;
  if (first === 'row_vector' || first === 'complex_row_vector') {
    const row = commonOf(elements[0].type, elements, (_, { span, type }) => refuse(span, messages.badMatrix(type)));
    return collection(node, elements, row, row.kind === 'complex_row_vector' ? COMPLEX_MATRIX : MATRIX);
  }
  const scalar = commonOf(REAL, elements, (_, { span, type }) => refuse(span, messages.badRowVector(type)));
  return collection(node, elements, scalar, scalar.kind === 'complex' ? COMPLEX_ROW_VECTOR : ROW_VECTOR);
}

function commonOf(
  start: Type,
  elements: readonly TypedExpression[],
  mismatch: (common: Type, element: TypedExpression) => never,
): Type {
  return elements.reduce((common, element) => commonType(common, element.type) ?? mismatch(common, element), start);
}

function collection(
  node: CollectionShape<Untyped>,
  elements: readonly TypedExpression[],
  element: Type,
  type: Type,
): TypedExpression {
  return {
    ...node,
    elements: elements.map((expression) => promote(expression, element)),
    ...annotate(type, levelOfType(joinOf(elements) ?? 'autodiff', type), actualJoin(elements)),
  };
}
