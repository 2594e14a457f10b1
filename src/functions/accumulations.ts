/** Reductions over the elements of a container: extremes, and logarithms of sums of exponentials. */
import type { Builder } from '../ir/builder.js';
import {
  abs,
  add,
  call2,
  compare,
  exp,
  get,
  isNan,
  log,
  log1p,
  or,
  real,
  select,
  sub,
  toReal,
} from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { unwindArray } from '../language/types.js';
import { reusable } from './shapes.js';

export function accumulate(
  builder: Builder,
  start: Expr,
  value: ContainerValue,
  step: (total: Expr, x: Expr) => Expr,
): Expr {
  const total = builder.newLocal(start.type, 'total');
  builder.assign(total, start);
  builder.elements(value, (x) => builder.assign(total, step(get(total), x)));
  return get(total);
}

export function isInt(value: ContainerValue): boolean {
  return unwindArray(value.type).element.kind === 'int';
}

export function extreme(builder: Builder, value: ContainerValue, better: 'lt' | 'gt', start: Expr): Expr {
  return accumulate(builder, start, value, (best, x) => {
    const replaces = compare(better, x, best);
    return select(x.type === 'real' ? or(replaces, isNan(x)) : replaces, x, best);
  });
}

export function maximumOf(builder: Builder, value: ContainerValue): Expr {
  return extreme(builder, value, 'gt', real(Number.NEGATIVE_INFINITY));
}

function finiteOr0(value: Expr): Expr {
  return select(compare('eq', abs(value), real(Number.POSITIVE_INFINITY)), real(0), value);
}

/**
 * The logarithm of the softmax, without loss of digits if the largest element is nearly 0: the sum of exponentials omits the terms that are
 * 1.
 */
export function logSharesOf(builder: Builder, x: ContainerValue): (k: Expr) => Expr {
  const largest = builder.bind(finiteOr0(maximumOf(builder, x)), 'largest');
  // `copysign` of a number with itself returns the number, without a derivative.
  const shift = builder.bind(call2('copysign', largest, largest), 'shift');
  const isLargest = (element: Expr): Expr => select(compare('eq', element, shift), real(1), real(0));
  const many = accumulate(builder, real(0), x, (sum, element) => add(sum, isLargest(element)));
  const others = accumulate(builder, real(0), x, (sum, element) =>
    add(sum, sub(exp(sub(element, shift)), isLargest(element))),
  );
  const excess = builder.bind(log1p(add(sub(many, real(1)), others)), 'excess');
  return (k) => sub(sub(x.flat(k), shift), excess);
}

/** A constant near the largest element, and the sum of exp(x - shift). */
export function shiftedTotal(builder: Builder, x: ContainerValue): { readonly shift: Expr; readonly total: Expr } {
  const finite = finiteOr0(maximumOf(builder, x));
  const shift = builder.bind(constantOf(builder, finite), 'shift');
  return { shift, total: accumulate(builder, real(0), x, (sum, element) => add(sum, exp(sub(element, shift)))) };
}

/** max + log(sum(exp(x - max))); negative infinity for an empty container. */
export function logSumExpOf(builder: Builder, value: Value): Expr {
  const { shift, total } = shiftedTotal(builder, reusable(builder, value));
  return add(log(total), shift);
}

/**
 * The value with derivative 0. The shift of a log-sum-exp cancels in the result, so differentiating it would only take time. `trunc` and
 * the remainder are exact and have no derivative.
 */
function constantOf(builder: Builder, value: Expr): Expr {
  const truncated = builder.bind({ kind: 'apply', type: 'real', op: 'trunc', args: [toReal(value)] }, 'whole');
  return truncated;
}
