import { isActive, joinLevels, type Level } from '../language/levels.js';
import type { Argument } from '../language/overloads.js';
import { isDiscrete } from '../language/promotion.js';
import { type AutodiffLevel, sameType, type Type } from '../language/types.js';
import type { ExpressionAnnotation, TypedExpression } from './typed.js';

/**
 * The annotation of a value.
 * @param checked the level by the rules of Stan's checker
 * @param actual the level in Stan's generated code, if it may differ
 */
export function annotate(type: Type, checked: Level, actual: AutodiffLevel = summary(checked)): ExpressionAnnotation {
  const level = isDiscrete(type) ? 'data' : actual;
  return level === checked ? { type, level } : { type, level, checkedLevel: checked };
}

function summary(level: Level): AutodiffLevel {
  return isActive(level) ? 'autodiff' : 'data';
}

/** The level with which Stan's checker accepts or rejects a value. */
export function checkedLevel({ level, checkedLevel }: ExpressionAnnotation): Level {
  return checkedLevel ?? level;
}

/** The join of the checked levels; undefined for tuples of different lengths. */
export function joinOf(expressions: readonly ExpressionAnnotation[]): Level | undefined {
  let joined: Level | undefined = 'data';
  for (const expression of expressions) {
    if (joined !== undefined) joined = joinLevels(joined, checkedLevel(expression));
  }
  return joined;
}

/** The join of the actual levels. */
export function actualJoin(expressions: readonly ExpressionAnnotation[]): AutodiffLevel {
  return expressions.some(({ level }) => level === 'autodiff') ? 'autodiff' : 'data';
}

/** The expression, marked as converted if its type differs. */
export function promote(expression: TypedExpression, type: Type): TypedExpression {
  return sameType(expression.type, type) ? expression : { ...expression, promotedTo: type };
}

/** The properties of an expression that overload resolution uses. */
export function asArgument(expression: TypedExpression): Argument {
  return { type: expression.type, level: checkedLevel(expression) };
}
