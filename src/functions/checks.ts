import type { Builder } from '../ir/builder.js';
import { add, and, compare, int, isFiniteReal, isNan, not, real, toReal, ZERO } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';

/**
 * A condition on an argument, and Stan's text for it. `holds` receives the element and the corresponding elements of the other arguments.
 * `must` follows "but must be"; its `{0}`, `{1}`, … are replaced with `values`.
 */
export interface Requirement {
  readonly holds: (x: Expr, others: readonly Expr[]) => Expr;
  readonly must: string;
  readonly values?: (others: readonly Expr[]) => readonly Expr[];
  /** Replaces the default text after the function's name, `NAME is VALUE, but must be MUST`; `{0}` is the value. */
  readonly text?: string;
  /** Positions of the other arguments that `holds` reads. */
  readonly reads?: readonly number[];
}

const INFINITY = real(Number.POSITIVE_INFINITY);
const positiveFiniteReal = (x: Expr): Expr => and(compare('gt', x, ZERO), compare('lt', x, INFINITY));

export const notNan: Requirement = { holds: (x) => (x.type === 'int' ? int(1) : not(isNan(x))), must: 'not nan!' };
export const finite: Requirement = { holds: (x) => (x.type === 'int' ? int(1) : isFiniteReal(x)), must: 'finite!' };
export const positive: Requirement = { holds: (x) => compare('gt', x, zeroLike(x)), must: 'positive!' };
export const nonnegative: Requirement = { holds: (x) => compare('ge', x, zeroLike(x)), must: 'nonnegative!' };
export const positiveFinite: Requirement = {
  holds: (x) => (x.type === 'int' ? compare('gt', x, int(0)) : positiveFiniteReal(x)),
  must: 'positive finite!',
};

function zeroLike(x: Expr): Expr {
  return x.type === 'int' ? int(0) : ZERO;
}

/** Requires a value in the closed interval [low, high]. */
export function between(low: number, high: number): Requirement {
  return {
    holds: (x) => {
      const end = x.type === 'int' ? int : real;
      return and(compare('ge', x, end(low)), compare('le', x, end(high)));
    },
    must: `in the interval [${low}, ${high}]`,
  };
}

/** Requires a value in the closed interval from `low` to the argument at position `high`. */
export function betweenAnd(low: number, high: number): Requirement {
  return {
    holds: (x, others) => and(compare('ge', x, int(low)), compare('le', x, others[high])),
    must: `in the interval [${low}, {0}]`,
    values: (others) => [others[high]],
    reads: [high],
  };
}

export function greaterThan(argument: number): Requirement {
  return relation('gt', 'greater than', argument);
}

export function atLeast(argument: number): Requirement {
  return relation('ge', 'greater than or equal to', argument);
}

export function below(high: number): Requirement {
  return { holds: (x) => compare('lt', toReal(x), real(high)), must: `less than ${high.toFixed(6)}` };
}

export function above(low: number): Requirement {
  return { holds: (x) => compare('gt', toReal(x), real(low)), must: `greater than ${low.toFixed(6)}` };
}

function relation(op: 'gt' | 'ge', words: string, argument: number): Requirement {
  return {
    holds: (x, others) => compare(op, x, others[argument]),
    must: `${words} {0:f}`,
    values: (others) => [toReal(others[argument])],
    reads: [argument],
  };
}

export function atLeastConstant(low: number): Requirement {
  return {
    holds: (x) => compare('ge', x, x.type === 'int' ? int(low) : real(low)),
    must: `greater than or equal to ${low.toFixed(6)}`,
  };
}

export function atMostConstant(high: number): Requirement {
  return {
    holds: (x) => compare('le', x, x.type === 'int' ? int(high) : real(high)),
    must: `less than or equal to ${high.toFixed(6)}`,
  };
}

/**
 * Stops with Stan's message unless `x` satisfies `requirement`: `normal_lpdf: Scale parameter[2] is -1, but must be positive!`. `shown` is
 * the value in the message: the int if `x` is a converted int.
 */
export function require(
  builder: Builder,
  requirement: Requirement,
  x: Expr,
  words: { readonly function: string; readonly argument: string; readonly index?: Expr | null; readonly shown?: Expr },
  others: readonly Expr[] = [],
): void {
  const { index = null, shown = x } = words;
  const values = requirement.values?.(others) ?? [];
  if (requirement.text !== undefined) {
    builder.check(requirement.holds(x, others), `${words.function}: ${requirement.text}`, [shown, ...values]);
    return;
  }
  const shift = index === null ? 1 : 2;
  const must = requirement.must.replace(/\{(\d)/g, (_, k) => `{${Number(k) + shift}`);
  const place = index === null ? '' : '[{1}]';
  builder.check(
    requirement.holds(x, others),
    `${words.function}: ${words.argument}${place} is {0}, but must be ${must}`,
    index === null ? [shown, ...values] : [shown, add(index, int(1)), ...values],
  );
}
