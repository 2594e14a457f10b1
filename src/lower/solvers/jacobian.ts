import type { Typed } from '../../check/typed.js';
import { containerOf } from '../../functions/broadcast.js';
import { NoTangent } from '../../gradient/forward/missing-derivatives.js';
import { writeSeveralTangents } from '../../gradient/forward/tangents.js';
import { container } from '../../ir/builder.js';
import { add, compare, int, mul, real } from '../../ir/expressions.js';
import type { Block, Expr, Ref } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { visitStatements } from '../../ir/walk.js';
import { MATRIX, VECTOR } from '../../language/types.js';
import type { CallShape } from '../../syntax/ast.js';
import type { Lowering } from '../lowering.js';
import { unsupported } from '../unsupported.js';

/** Runs `write` with values of parameters at their own level, so that its output can be differentiated forward. */
export function withDerivatives<T>(lowering: Lowering, write: () => T): T {
  return lowering.within({ isInJacobian: true }, write);
}

/** Statements that assign the value of a function of the vector `x` to `result`, to be differentiated forward with respect to `x`. */
export function captureVector(lowering: Lowering, f: (x: Value) => Value, x: Ref, size: Expr, result: Ref): Block {
  const { builder } = lowering;
  return builder.capture(() => {
    const value = withDerivatives(lowering, () => containerOf(f(container(VECTOR, 'autodiff', x, [size]))));
    builder.allocateRef(result, [size]);
    builder.fill(result, value);
  });
}

/** The number of columns of a Jacobian that one evaluation of the function computes. */
const COLUMNS_TOGETHER = 4;

/**
 * The matrix of derivatives of a function of a vector, by forward differentiation, a few columns at a time. The function's other arguments
 * count as constants, and so does the matrix.
 */
export function jacobianOf(lowering: Lowering, site: CallShape<Typed>, f: (x: Value) => Value, at: Value): Value {
  const { builder } = lowering;
  const given = containerOf(at);
  const size = given.sizes[0];
  const x = builder.allocate('real', [size], 'x');
  builder.fill(x, given);
  const result = builder.allocate('real', [size, size], 'jacobian', 'zero');
  const value = builder.newRef('real', 1, 'value');
  const body = captureVector(lowering, f, x, size, value);
  const together = hasCalls(body) ? 1 : COLUMNS_TOGETHER;
  const directions = Array.from({ length: together }, () => builder.allocate('real', [size], 'direction', 'zero'));
  const seeds = directions.map((direction) => new Map([[x, direction]]));
  const writeColumns = (first: Expr): void => {
    const eachColumn = (write: (k: number, j: Expr) => void): void => {
      for (let k = 0; k < together; k++) {
        const j = add(first, int(k));
        if (k === 0) write(k, j);
        else builder.if(compare('lt', j, size), () => write(k, j));
      }
    };
    eachColumn((k, j) => builder.store(directions[k], j, real(1)));
    try {
      const tangents = writeSeveralTangents(builder, body, seeds, lowering.tangents);
      eachColumn((k, j) =>
        builder.each(size, (i) => builder.store(result, add(mul(j, size), i), tangents.element(value, i, k))),
      );
    } catch (error) {
      if (!(error instanceof NoTangent)) throw error;
      unsupported(site.span, `A solver that requires the Jacobian of a function with ${error.what} is`);
    }
    eachColumn((k, j) => builder.store(directions[k], j, real(0)));
  };
  // `size` iterations instead of one per group of columns, so that the loop can be unrolled: most do nothing.
  builder.each(size, (block) => {
    const first = mul(block, int(together));
    builder.if(compare('lt', first, size), () => writeColumns(first));
  });
  return container(MATRIX, 'data', result, [size, size]);
}

function hasCalls(block: Block): boolean {
  let found = false;
  visitStatements(block, ({ kind }) => {
    if (kind === 'call') found = true;
  });
  return found;
}
