import { isActive, joinLevels, type Level } from '../language/levels.js';
import type { Argument } from '../language/overloads.js';
import { isDiscrete } from '../language/promotion.js';
import { type AutodiffLevel, sameType, type Type } from '../language/types.js';
import type { ExpressionAnnotation, TypedExpression } from './typed.js';

/**
 * The annotation of a value.
 * @param checked the level as Stan's checker reckons it
 * @param actual the level as Stan's generated code has it, where that may differ
 */
export function annotate(type: Type, checked: Level, actual: AutodiffLevel = summary(checked)): ExpressionAnnotation {
  const level = isDiscrete(type) ? 'data' : actual;
  return level === checked ? { type, level } : { type, level, checkedLevel: checked };
}

function summary(level: Level): AutodiffLevel {
  return isActive(level) ? 'autodiff' : 'data';
}

/** The level by which Stan's checker accepts or refuses a value. */
export function checkedLevel({ level, checkedLevel }: ExpressionAnnotation): Level {
  return checkedLevel ?? level;
}

/** The join of the checked levels; undefined if they are of tuples of different lengths. */
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

/** The expression, marked as converted to a type where it has another. */
export function promote(expression: TypedExpression, type: Type): TypedExpression {
  return sameType(expression.type, type) ? expression : { ...expression, promotedTo: type };
}

/** What overload resolution sees of an expression. */
export function asArgument(expression: TypedExpression): Argument {
  return { type: expression.type, level: checkedLevel(expression) };
}
