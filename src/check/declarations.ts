import { containsInt, isComplex, isRealScalar, promotionCost } from '../language/promotion.js';
import { sameType, type Type } from '../language/types.js';
import type { Constraint, Declaration, DeclaredVariable, Expression, SizedType, Untyped } from '../syntax/ast.js';
import { promote } from './annotate.js';
import { type Context, isActiveBlock, refuse } from './environment.js';
import { checkExpression, checkInt } from './expressions.js';
import * as messages from './messages.js';
import { checkFreshVariable, checkName, variableNames } from './names.js';
import type { TypedExpression } from './typed.js';
import { type Typed, unsizedTypeOf } from './typed.js';

/** Types a declaration and adds its variables to the scope. */
export function checkDeclaration(context: Context, node: Declaration<Untyped>): Declaration<Typed> {
  const complete = checkSizes({ ...context, isSize: node.isGlobal }, node.type);
  const unsized = unsizedTypeOf(node.type);
  const type = complete(context, unsized);
  const variables = node.variables.map((variable) => checkVariable(context, node, variable, unsized));
  if (node.isGlobal) checkGlobalType(context, node, type, unsized);
  return { ...node, type, variables };
}

/** Checks that an int's bounds are ints, that complex numbers have no constraints, and that parameters are not ints. */
function checkGlobalType(
  { block }: Context,
  { span }: Declaration<Untyped>,
  type: SizedType<Typed>,
  unsized: Type,
): void {
  if (type.kind === 'int' && hasRealBound(type.constraint)) refuse(span, messages.realBoundOfInt());
  if (isComplex(unsized) && isConstrained(type)) refuse(span, messages.complexConstraint());
  if ((block === 'parameters' || block === 'transformed parameters') && containsInt(unsized)) {
    refuse(span, messages.intParameter(block === 'transformed parameters'));
  }
}

function hasRealBound(constraint: Constraint<Typed>): boolean {
  switch (constraint.kind) {
    case 'lower':
      return constraint.lower.type.kind === 'real';
    case 'upper':
      return constraint.upper.type.kind === 'real';
    case 'lower_upper':
      return constraint.lower.type.kind === 'real' || constraint.upper.type.kind === 'real';
    default:
      return false;
  }
}

function isConstrained(type: SizedType<Typed>): boolean {
  if (type.kind === 'array') return isConstrained(type.element);
  return type.kind !== 'tuple' && type.constraint.kind !== 'none';
}

function checkVariable(
  context: Context,
  node: Declaration<Untyped>,
  { span, name, initialValue }: DeclaredVariable<Untyped>,
  type: Type,
): DeclaredVariable<Typed> {
  const { environment, block } = context;
  checkName(name.name, name.span);
  checkFreshVariable(environment, name);
  environment.declare(name, type, block, node.isGlobal ? 'global' : 'local', isActiveBlock(block));
  if (initialValue === undefined) return { span, name };
  if (variableNames(initialValue).includes(name.name)) environment.warn(node.span, messages.declaredAsItself());
  const value = checkExpression(context, initialValue);
  if (promotionCost(type, value.type) === undefined) refuse(node.span, messages.badAssignment(type, value.type));
  return { span, name, initialValue: promote(value, type) };
}

/** Types the constraints of a type whose sizes have been typed. `whole` is the type that a bound may have if it is not a scalar. */
type Completion = (context: Context, whole: Type) => SizedType<Typed>;

/** Stan checks all sizes of a declaration before any constraint. */
function checkSizes(context: Context, node: SizedType<Untyped>): Completion {
  switch (node.kind) {
    case 'int':
    case 'real':
    case 'complex':
      return (inner, whole) => ({ ...node, constraint: checkConstraint(inner, node.constraint, whole) });
    case 'vector':
    case 'row_vector':
    case 'complex_vector':
    case 'complex_row_vector': {
      const size = checkInt(context, node.size, SIZE_NAMES[node.kind]);
      return (inner, whole) => ({ ...node, size, constraint: checkConstraint(inner, node.constraint, whole) });
    }
    case 'matrix':
    case 'complex_matrix': {
      const what = node.kind === 'matrix' ? 'Matrix' : 'Complex matrix';
      const rows = checkInt(context, node.rows, `${what} row size`);
      const columns = node.columns === node.rows ? rows : checkInt(context, node.columns, `${what} column size`);
      return (inner, whole) => ({ ...node, rows, columns, constraint: checkConstraint(inner, node.constraint, whole) });
    }
    case 'array': {
      const complete = checkSizes(context, node.element);
      const sizes = node.sizes.toReversed().map((size) => checkInt(context, size, 'Array sizes'));
      return (inner, whole) => ({ ...node, element: complete(inner, whole), sizes: sizes.toReversed() });
    }
    case 'tuple': {
      const completions = node.elements.map((element) => checkSizes(context, element));
      return (inner) => ({
        ...node,
        elements: completions.map((complete, i) => complete(inner, unsizedTypeOf(node.elements[i]))),
      });
    }
  }
}

const SIZE_NAMES = {
  vector: 'Vector sizes',
  row_vector: 'Row vector sizes',
  complex_vector: 'complex vector sizes',
  complex_row_vector: 'complex row vector sizes',
} as const;

/** Stan checks upper bounds and multipliers before lower bounds and offsets. */
function checkConstraint(context: Context, node: Constraint<Untyped>, whole: Type): Constraint<Typed> {
  const check = (expression: Expression, what: string) => checkBound(context, expression, what, whole);
  switch (node.kind) {
    case 'lower':
      return { ...node, lower: check(node.lower, 'Lower bound') };
    case 'upper':
      return { ...node, upper: check(node.upper, 'Upper bound') };
    case 'lower_upper': {
      const upper = check(node.upper, 'Upper bound');
      return { ...node, lower: check(node.lower, 'Lower bound'), upper };
    }
    case 'offset':
      return { ...node, offset: check(node.offset, 'Offset') };
    case 'multiplier':
      return { ...node, multiplier: check(node.multiplier, 'Multiplier') };
    case 'offset_multiplier': {
      const multiplier = check(node.multiplier, 'Multiplier');
      return { ...node, offset: check(node.offset, 'Offset'), multiplier };
    }
    default:
      return node;
  }
}

/** A bound is an int or a real, or has the type of the declared variable. */
function checkBound(context: Context, node: Expression, what: string, whole: Type): TypedExpression {
  const bound = checkExpression(context, node);
  if (!isRealScalar(bound.type) && !sameType(bound.type, whole)) {
    refuse(bound.span, messages.scalarOrTypeExpected(what, whole, bound.type));
  }
  return bound;
}
