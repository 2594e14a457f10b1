import { containerOf, scalarOf } from '../../functions/broadcast.js';
import { NoTangent } from '../../gradient/forward/missing-derivatives.js';
import { writeTangents } from '../../gradient/forward/tangents.js';
import { plainGradient } from '../../gradient/plain.js';
import { container } from '../../ir/builder.js';
import { add, get, load, real } from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { VECTOR } from '../../language/types.js';
import type { Span } from '../../source/span.js';
import type { Lowering } from '../lowering.js';
import { unsupported } from '../unsupported.js';
import { withDerivatives } from './jacobian.js';

/** A real function of a vector, and the location of the solver's call. */
export interface ScalarFunction {
  readonly call: (x: Value) => Value;
  readonly span: Span;
  /** The subject of the message about a missing derivative. */
  readonly what: string;
}

/** Where derivatives are taken: a vector in separate memory. */
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
 * Emits the value of the function, its derivative along the first direction, the derivative of that along the second direction, and so on.
 * The result is ordinary IR, which can be differentiated with respect to everything that it reads.
 */
export function mixedDerivatives(
  lowering: Lowering,
  f: ScalarFunction,
  at: Point,
  directions: readonly Ref[],
): readonly Expr[] {
  const { body, values } = captureMixed(lowering, f, at, directions, true);
  for (const statement of body) lowering.builder.emit(statement);
  return values.map(get);
}

/**
 * Adds the gradient of the last of these derivatives to `out`: by reverse mode, or, if reverse mode is not possible in place, by one more
 * direction per element.
 */
export function addGradient(
  lowering: Lowering,
  f: ScalarFunction,
  at: Point,
  directions: readonly Ref[],
  out: Ref,
): void {
  const { builder } = lowering;
  const { body, values } = captureMixed(lowering, f, at, directions, true);
  const reverse = plainGradient(builder.names, body, values[directions.length], at.x, out);
  if (reverse !== null) {
    for (const statement of reverse) builder.emit(statement);
    return;
  }
  const axis = builder.allocate('real', [at.size], 'axis', 'zero');
  builder.each(at.size, (j) => {
    builder.store(axis, j, real(1));
    const along = captureMixed(lowering, f, at, [...directions, axis], false);
    for (const statement of along.body) builder.emit(statement);
    builder.store(out, j, add(load(out, j), get(along.values[directions.length + 1])));
    builder.store(axis, j, real(0));
  });
}

/**
 * The value and the derivatives along the first direction, the first two directions, and so on are locals that the body sets. `again`:
 * whether the last derivative is itself differentiated.
 */
function captureMixed(
  lowering: Lowering,
  f: ScalarFunction,
  { x, size }: Point,
  directions: readonly Ref[],
  again: boolean,
): { readonly body: Block; readonly values: readonly Local[] } {
  const { builder } = lowering;
  const values = [builder.newLocal('real', 'value')];
  let body = builder.capture(() => {
    const value = withDerivatives(lowering, () => f.call(container(VECTOR, 'autodiff', x, [size])));
    builder.assign(values[0], scalarOf(value));
  });
  try {
    for (const [k, direction] of directions.entries()) {
      const [inner, along] = [body, builder.newLocal('real', 'along')];
      body = builder.capture(() => {
        const tangents = writeTangents(builder, inner, new Map([[x, direction]]), lowering.tangents);
        builder.assign(along, tangents.scalar(values[k]));
      });
      values.push(along);
      if (again && k === directions.length - 1) lowering.tangents.differentiateAgain(body, f.span);
    }
  } catch (error) {
    if (!(error instanceof NoTangent)) throw error;
    unsupported(f.span, `${f.what} with ${error.what}, whose higher derivatives are required, is`);
  }
  return { body, values };
}
