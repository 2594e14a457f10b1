import { containerOf, scalarOf } from '../../functions/broadcast.js';
import { container } from '../../ir/builder.js';
import { get, int, real } from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { VECTOR } from '../../language/types.js';
import type { Span } from '../../source/span.js';
import { NoTangent, writeTangents } from '../../tangent/tangent.js';
import type { Lowering } from '../lowering.js';
import { unsupported } from '../unsupported.js';

/** A real function of a vector, and the place of the solver's call that it belongs to. */
export interface ScalarFunction {
  readonly call: (x: Value) => Value;
  readonly span: Span;
  /** What a message says of a derivative that cannot be taken. */
  readonly what: string;
}

/** Where derivatives are taken: a vector in memory of its own. */
export interface Point {
  readonly x: Ref;
  readonly size: Expr;
}

export function pointAt(lowering: Lowering, at: Value): Point {
  const { builder } = lowering;
  const given = containerOf(at);
  const [size] = given.sizes;
  const x = builder.allocate('real', [size], 'x');
  builder.fill(x, given);
  return { x, size };
}

/**
 * Emits the derivative of the function along one direction after the other: of none, its value. What is written is plain IR and has derivatives by all that it
 * reads.
 */
export function mixedDerivative(lowering: Lowering, f: ScalarFunction, at: Point, directions: readonly Ref[]): Expr {
  const { builder } = lowering;
  const { body, value } = captureMixed(lowering, f, at, directions);
  for (const statement of body) builder.emit(statement);
  return get(value);
}

/** Writes the gradient of such a derivative to `out`, or adds it. */
export function gradientOfMixed(
  lowering: Lowering,
  f: ScalarFunction,
  at: Point,
  directions: readonly Ref[],
  out: (i: Expr, value: Expr) => void,
): void {
  const { builder } = lowering;
  const axis = builder.allocate('real', [at.size], 'axis', 'zero');
  builder.for(int(0), at.size, (j) => {
    builder.store(axis, j, real(1));
    out(j, mixedDerivative(lowering, f, at, [...directions, axis]));
    builder.store(axis, j, real(0));
  });
}

function captureMixed(
  lowering: Lowering,
  f: ScalarFunction,
  { x, size }: Point,
  directions: readonly Ref[],
): { readonly body: Block; readonly value: Local } {
  const { builder } = lowering;
  let value = builder.newLocal('real', 'value');
  let body = builder.capture(() => {
    const outer = lowering.isInJacobian;
    lowering.isInJacobian = true;
    builder.assign(value, scalarOf(f.call(container(VECTOR, 'autodiff', x, [size]))));
    lowering.isInJacobian = outer;
  });
  try {
    for (const direction of directions) {
      const [inner, of, along] = [body, value, builder.newLocal('real', 'along')];
      body = builder.capture(() => {
        const tangents = writeTangents(builder, inner, new Map([[x, direction]]));
        builder.assign(along, tangents.scalar(of));
      });
      value = along;
    }
  } catch (error) {
    if (!(error instanceof NoTangent)) throw error;
    unsupported(f.span, `${f.what} that has ${error.what}, which need derivatives of higher order, is`);
  }
  return { body, value };
}
