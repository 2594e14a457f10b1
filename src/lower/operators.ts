import { levelOf } from '../ir/builder.js';
import { add, div, mul, neg, sub } from '../ir/exact.js';
import { compare, get, isConst, not, real, toReal } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { Type } from '../language/types.js';
import type { Span } from '../source/span.js';
import { buildCall } from './library-calls.js';
import type { Lowering } from './lowering.js';
import { scalarValue, truth } from './values.js';

const SCALAR_OPERATORS: Readonly<Record<string, (x: Expr, y: Expr) => Expr>> = {
  add,
  subtract: sub,
  multiply: mul,
  elt_multiply: mul,
  logical_eq: (x, y) => compare('eq', x, y),
  logical_neq: (x, y) => compare('ne', x, y),
  logical_lt: (x, y) => compare('lt', x, y),
  logical_lte: (x, y) => compare('le', x, y),
  logical_gt: (x, y) => compare('gt', x, y),
  logical_gte: (x, y) => compare('ge', x, y),
};

/** The meaning of an operator on values. */
export function lowerOperator(lowering: Lowering, name: string, span: Span, args: readonly Value[], type: Type): Value {
  const scalars = args.flatMap((arg) => (arg.kind === 'scalar' ? [arg.value] : []));
  if (scalars.length === args.length) {
    const isProduct = name === 'multiply' && type.kind === 'real' && !scalars.every(isConst);
    const [x, y] = isProduct ? scalars.map((factor) => unfoldedZero(lowering, factor)) : scalars;
    const direct = scalarOperator(name, x, y);
    if (direct !== null) return scalarValue(type, levelOf(args), type.kind === 'real' ? toReal(direct) : direct);
  }
  return buildCall(lowering, name, span, args, type);
}

/** A zero that is not folded, because its product with a non-finite value is NaN. */
function unfoldedZero({ builder }: Lowering, factor: Expr): Expr {
  if (!isConst(factor) || factor.value !== 0) return factor;
  const zero = builder.newLocal('real', 'zero');
  builder.assign(zero, real(factor.value));
  return get(zero);
}

function scalarOperator(name: string, x: Expr, y: Expr | undefined): Expr | null {
  if (y === undefined) {
    if (name === 'minus') return neg(x);
    if (name === 'plus') return x;
    return name === 'logical_negation' ? not(truth(x)) : null;
  }
  if ((name === 'divide' || name === 'elt_divide') && (x.type === 'real' || y.type === 'real')) return div(x, y);
  return SCALAR_OPERATORS[name]?.(x, y) ?? null;
}
