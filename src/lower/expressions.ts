import type { Typed, TypedExpression } from '../check/typed.js';
import { levelOf } from '../ir/builder.js';
import { composite, tupleOf } from '../ir/composite.js';
import { and, get, int, not, or, real, select } from '../ir/expressions.js';
import type { Block, Expr } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { SmallSet } from '../ir/small.js';
import type { Value } from '../ir/value.js';
import { visitExpression } from '../ir/walk.js';
import { REAL, type Type } from '../language/types.js';
import type { BinaryShape, ConditionalShape } from '../syntax/ast.js';
import { lowerCall } from './calls.js';
import { Cell } from './cell.js';
import { lowerCollection } from './collections.js';
import { readIndexed, readSlot } from './indexing.js';
import type { Lowering } from './lowering.js';
import { lowerOperator } from './operators.js';
import { unsupported } from './unsupported.js';
import { promoteValue, scalarValue } from './values.js';

/** The value of an expression, converted to the type that its context requires. */
export function lowerExpression(lowering: Lowering, e: TypedExpression): Value {
  const value = lowerBare(lowering, e);
  return e.promotedTo === undefined ? value : promoteValue(value, e.promotedTo);
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
      return lowering.expression(e.inner);
    case 'conditional':
      return lowerConditional(lowering, e, e.type);
    case 'binary':
      return lowerBinary(lowering, e, e.type, e.operatorFunction);
    case 'prefix':
    case 'transpose': {
      const name = e.operatorFunction ?? (e.kind === 'transpose' ? 'transpose' : 'minus');
      return lowerOperator(lowering, name, e.span, [lowering.expression(e.operand)], e.type);
    }
    case 'call':
      return lowerCall(lowering, e, e.type);
    case 'indexed':
      return readIndexed(lowering, e, e.type);
    case 'slot': {
      if (e.tuple.kind === 'indexed') return readSlot(lowering, e.tuple, e.type, e.slot);
      const tuple = lowering.expression(e.tuple);
      if (tuple.kind !== 'composite') throw new Error('Only a tuple has slots');
      return tuple.parts[e.slot - 1];
    }
    case 'arrayLiteral':
    case 'rowVectorLiteral':
      return lowerCollection(lowering, e, e.type);
    case 'tupleLiteral':
      return tupleOf(e.elements.map((element) => lowering.expression(element)));
  }
}

function lowerBinary(lowering: Lowering, e: BinaryShape<Typed>, type: Type, operator: string | undefined): Value {
  if (e.operator === '&&' || e.operator === '||') return lowerLogical(lowering, e, type);
  if (operator === undefined) return unsupported(e.operatorSpan, `The operator ${e.operator} is`);
  const left = lowering.expression(e.left);
  const right = lowering.expression(e.right);
  return lowerOperator(lowering, operator, e.span, [left, right], type);
}

/** The right operand is evaluated only if it determines the result, unless evaluating it is cheap and cannot fail. */
function lowerLogical(lowering: Lowering, e: BinaryShape<Typed>, type: Type): Value {
  const { builder } = lowering;
  const left = lowering.condition(e.left);
  const isAnd = e.operator === '&&';
  let right: Expr = int(0);
  const block = builder.capture(() => {
    right = lowering.condition(e.right);
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

/** Whether evaluating the roots unnecessarily is cheap and cannot produce a derivative that is not finite. */
function isLight(roots: readonly Expr[]): boolean {
  let nodes = 0;
  let light = true;
  const seen = new SmallSet<Expr>();
  const constants = new SmallSet<Expr>();
  for (const root of roots) {
    visitExpression(
      root,
      (node) => {
        if (node.kind !== 'const' || constants.add(node)) nodes++;
        if (node.kind === 'apply' && OPS[node.op].cost === 'expensive') light = false;
      },
      seen,
    );
  }
  return light && nodes <= 12;
}

/** The current sum of the terms of `target`, unaffected by terms that are added before the value is used. */
function targetNow({ builder }: Lowering): Expr {
  const now = builder.newLocal('real', 'target_now');
  builder.assign(now, { kind: 'target', type: 'real' });
  return get(now);
}

function lowerConditional(lowering: Lowering, e: ConditionalShape<Typed>, type: Type): Value {
  const { builder } = lowering;
  const condition = lowering.condition(e.condition);
  if (condition.kind === 'const') {
    return promoteValue(lowering.expression(condition.value !== 0 ? e.consequence : e.alternative), type);
  }
  const sides: Value[] = [];
  const blocks = [e.consequence, e.alternative].map((side) =>
    builder.capture(() => sides.push(promoteValue(lowering.expression(side), type))),
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
