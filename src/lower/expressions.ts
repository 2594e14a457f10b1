import type { Typed } from '../check/typed.js';
import type { FunctionEntry } from '../functions/entry.js';
import { levelOf } from '../ir/builder.js';
import { composite, tupleOf } from '../ir/composite.js';
import { add, and, compare, div, get, int, mul, neg, not, or, real, select, sub, toReal } from '../ir/expressions.js';
import type { Block, Expr } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import type { Value } from '../ir/value.js';
import { visitExpression } from '../ir/walk.js';
import { REAL, type Type } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { BinaryShape, ConditionalShape, Expression } from '../syntax/ast.js';
import { lowerCall } from './calls.js';
import { Cell } from './cell.js';
import { lowerCollection } from './collections.js';
import { readIndexed } from './indexing.js';
import type { Lowering } from './lowering.js';
import { unsupported } from './unsupported.js';
import { promoteValue, scalarValue } from './values.js';

export type TypedExpression = Expression<Typed>;

/** The value of an expression, converted to the type that is wanted where it stands. */
export function lowerExpression(lowering: Lowering, e: TypedExpression): Value {
  const value = lowerBare(lowering, e);
  return e.promotedTo === undefined ? value : promoteValue(value, e.promotedTo);
}

/** An expression that is known to be a scalar. */
export function lowerScalar(lowering: Lowering, e: TypedExpression): Expr {
  const value = lowerExpression(lowering, e);
  if (value.kind !== 'scalar') throw new Error(`Expected a scalar, found a ${value.kind}`);
  return value.value;
}

/** A condition: an int or real that is not zero, or a comparison, as a truth value. */
export function lowerCondition(lowering: Lowering, e: TypedExpression): Expr {
  return truth(lowerScalar(lowering, e));
}

const TRUTH_VALUES: ReadonlySet<string> = new Set([
  ...['lt', 'le', 'gt', 'ge', 'eq', 'ne'].flatMap((op) => [op, `${op}_int`]),
  'and',
  'or',
  'not',
]);

function truth(x: Expr): Expr {
  if (x.kind === 'apply' && TRUTH_VALUES.has(x.op)) return x;
  return compare('ne', x, x.type === 'int' ? int(0) : real(0));
}

function lowerBare(lowering: Lowering, e: TypedExpression): Value {
  switch (e.kind) {
    case 'variable':
      if (e.symbol?.kind !== 'variable') return unsupported(e.span, 'Functions as values are');
      return lowering.binding(e.symbol).value;
    case 'int':
      return scalarValue(e.type, 'data', int(Number(e.text)));
    case 'real':
      return scalarValue(e.type, 'data', real(Number(e.text)));
    case 'imaginary':
      return composite(e.type, [scalarValue(REAL, 'data', real(0)), scalarValue(REAL, 'data', real(Number(e.text)))]);
    case 'targetValue':
      return scalarValue(e.type, lowering.level('autodiff'), targetNow(lowering));
    case 'parenthesis':
      return lowerExpression(lowering, e.inner);
    case 'conditional':
      return lowerConditional(lowering, e, e.type);
    case 'binary':
      return lowerBinary(lowering, e, e.type, e.operatorFunction);
    case 'prefix':
    case 'transpose': {
      const name = e.operatorFunction ?? (e.kind === 'transpose' ? 'transpose' : 'minus');
      return lowerOperator(lowering, name, e.span, [lowerExpression(lowering, e.operand)], e.type);
    }
    case 'call':
      return lowerCall(lowering, e, e.type);
    case 'indexed':
      return readIndexed(lowering, e, e.type);
    case 'slot': {
      const tuple = lowerExpression(lowering, e.tuple);
      if (tuple.kind !== 'composite') throw new Error('Only a tuple has slots');
      return tuple.parts[e.slot - 1];
    }
    case 'arrayLiteral':
    case 'rowVectorLiteral':
      return lowerCollection(lowering, e, e.type);
    case 'tupleLiteral':
      return tupleOf(e.elements.map((element) => lowerExpression(lowering, element)));
  }
}

/** The library's entry of a name, for calls that the language itself makes. */
export function entryOf(lowering: Lowering, name: string, span: Span): FunctionEntry {
  return lowering.table.entry(name) ?? unsupported(span, `The function ${name} is`);
}

/** A call of a library function on values. */
export function buildCall(
  lowering: Lowering,
  name: string,
  span: Span,
  args: readonly Value[],
  result: Type,
  dropConstants = false,
): Value {
  const { builder, jacobian } = lowering;
  return entryOf(lowering, name, span).build(builder, args, { name, result, dropConstants, jacobian });
}

const SCALAR_OPERATORS: Readonly<Record<string, (x: Expr, y: Expr) => Expr>> = {
  add,
  subtract: sub,
  multiply: product,
  elt_multiply: product,
  logical_eq: (x, y) => compare('eq', x, y),
  logical_neq: (x, y) => compare('ne', x, y),
  logical_lt: (x, y) => compare('lt', x, y),
  logical_lte: (x, y) => compare('le', x, y),
  logical_gt: (x, y) => compare('gt', x, y),
  logical_gte: (x, y) => compare('ge', x, y),
};

/** A product by a literal zero stays one: it is not zero where the other factor is not finite. */
function product(x: Expr, y: Expr): Expr {
  const folded = mul(x, y);
  const isZero = folded.kind === 'const' && folded.type === 'real' && folded.value === 0;
  if (!isZero || (x.kind === 'const' && y.kind === 'const')) return folded;
  return { kind: 'apply', type: 'real', op: 'mul', args: [toReal(x), toReal(y)] };
}

/** What an operator stands for, on values. */
export function lowerOperator(lowering: Lowering, name: string, span: Span, args: readonly Value[], type: Type): Value {
  const scalars = args.flatMap((arg) => (arg.kind === 'scalar' ? [arg.value] : []));
  if (scalars.length === args.length) {
    const isProduct = name === 'multiply' && type.kind === 'real';
    const [x, y] = isProduct ? scalars.map((factor) => unfoldedZero(lowering, factor)) : scalars;
    const direct = scalarOperator(name, x, y);
    if (direct !== null) return scalarValue(type, levelOf(args), type.kind === 'real' ? toReal(direct) : direct);
  }
  return buildCall(lowering, name, span, args, type);
}

/** A zero of the program's text, not folded away: times what is not finite it is not a number. */
function unfoldedZero({ builder }: Lowering, factor: Expr): Expr {
  if (factor.kind !== 'const' || factor.value !== 0) return factor;
  const zero = builder.newLocal('real', 'zero');
  builder.assign(zero, real(0));
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

function lowerBinary(lowering: Lowering, e: BinaryShape<Typed>, type: Type, operator: string | undefined): Value {
  if (e.operator === '&&' || e.operator === '||') return lowerLogical(lowering, e, type);
  if (operator === undefined) return unsupported(e.operatorSpan, `The operator ${e.operator} is`);
  const left = lowerExpression(lowering, e.left);
  const right = lowerExpression(lowering, e.right);
  return lowerOperator(lowering, operator, e.span, [left, right], type);
}

/** The right operand is evaluated only where it decides, if evaluating it could fail or cost much. */
function lowerLogical(lowering: Lowering, e: BinaryShape<Typed>, type: Type): Value {
  const { builder } = lowering;
  const left = lowerCondition(lowering, e.left);
  const isAnd = e.operator === '&&';
  let right: Expr = int(0);
  const block = builder.capture(() => {
    right = lowerCondition(lowering, e.right);
  });
  if (block.length === 0 && isLight([right])) {
    return scalarValue(type, 'data', isAnd ? and(left, right) : or(left, right));
  }
  const result = builder.newLocal('int', 'holds');
  const whole = isAnd ? left : not(left);
  builder.assign(result, int(isAnd ? 0 : 1));
  builder.if(whole, () => {
    emitAll(lowering, block);
    builder.assign(result, right);
  });
  return scalarValue(type, 'data', get(result));
}

function emitAll(lowering: Lowering, block: Block): void {
  for (const statement of block) lowering.builder.emit(statement);
}

/** Evaluating it where it is not wanted costs little and cannot give a derivative that is not finite. */
function isLight(roots: readonly Expr[]): boolean {
  let nodes = 0;
  let light = true;
  const seen = new Set<Expr>();
  for (const root of roots) {
    visitExpression(
      root,
      (node) => {
        nodes++;
        if (node.kind === 'apply' && OPS[node.op].cost === 'expensive') light = false;
      },
      seen,
    );
  }
  return light && nodes <= 12;
}

/** What has been added to `target` so far, whatever is added before the value is used. */
function targetNow({ builder }: Lowering): Expr {
  const now = builder.newLocal('real', 'target_now');
  builder.assign(now, { kind: 'target', type: 'real' });
  return get(now);
}

function lowerConditional(lowering: Lowering, e: ConditionalShape<Typed>, type: Type): Value {
  const { builder } = lowering;
  const condition = lowerCondition(lowering, e.condition);
  if (condition.kind === 'const') {
    return promoteValue(lowerExpression(lowering, condition.value !== 0 ? e.consequence : e.alternative), type);
  }
  const sides: Value[] = [];
  const blocks = [e.consequence, e.alternative].map((side) =>
    builder.capture(() => sides.push(promoteValue(lowerExpression(lowering, side), type))),
  );
  const [then, otherwise] = sides;
  const level = levelOf(sides);
  if (then.kind === 'scalar' && otherwise.kind === 'scalar') {
    if (blocks.every((block) => block.length === 0) && isLight([then.value, otherwise.value])) {
      return scalarValue(type, level, select(condition, then.value, otherwise.value));
    }
  }
  const result = new Cell(builder, type, 'chosen');
  const [takeThen, takeOtherwise] = blocks.map((block, k) => () => {
    emitAll(lowering, block);
    result.assign(sides[k]);
  });
  builder.if(condition, takeThen, takeOtherwise);
  return result.value(level);
}
