import type { Typed } from '../../check/typed.js';
import { containerOf } from '../../functions/broadcast.js';
import { container } from '../../ir/builder.js';
import { add, mul, real } from '../../ir/expressions.js';
import type { Block, Expr, Ref } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { MATRIX, VECTOR } from '../../language/types.js';
import type { CallShape } from '../../syntax/ast.js';
import { NoTangent, writeTangents } from '../../tangent/tangent.js';
import type { Lowering } from '../lowering.js';
import { unsupported } from '../unsupported.js';

/** Runs `write` with values of parameters at their own level, so that what it writes can be differentiated forward. */
export function withDerivatives<T>(lowering: Lowering, write: () => T): T {
  return lowering.within({ isInJacobian: true }, write);
}

/** Statements that give `result` the value of a function of the vector `x`, both of a size, to be differentiated forward by `x`. */
export function captureVector(lowering: Lowering, f: (x: Value) => Value, x: Ref, size: Expr, result: Ref): Block {
  const { builder } = lowering;
  return builder.capture(() => {
    const value = withDerivatives(lowering, () => containerOf(f(container(VECTOR, 'autodiff', x, [size]))));
    builder.allocateRef(result, [size]);
    builder.fill(result, value);
  });
}

/**
 * The matrix of derivatives of a function of a vector, by forward differentiation, one column at a time. The function's other
 * arguments are constants, and so is the matrix.
 */
export function jacobianOf(lowering: Lowering, site: CallShape<Typed>, f: (x: Value) => Value, at: Value): Value {
  const { builder } = lowering;
  const given = containerOf(at);
  const size = given.sizes[0];
  const x = builder.allocate('real', [size], 'x');
  builder.fill(x, given);
  const direction = builder.allocate('real', [size], 'direction', 'zero');
  const result = builder.allocate('real', [size, size], 'jacobian', 'zero');
  builder.each(size, (j) => {
    builder.store(direction, j, real(1));
    const column = builder.newRef('real', 1, 'column');
    const body = captureVector(lowering, f, x, size, column);
    try {
      const tangents = writeTangents(builder, body, new Map([[x, direction]]), lowering.tangents);
      builder.each(size, (i) => builder.store(result, add(mul(j, size), i), tangents.element(column, i)));
    } catch (error) {
      if (!(error instanceof NoTangent)) throw error;
      unsupported(site.span, `A solver whose function has ${error.what}, which need a Jacobian, is`);
    }
    builder.store(direction, j, real(0));
  });
  return container(MATRIX, 'data', result, [size, size]);
}
