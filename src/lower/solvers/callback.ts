import type { Typed, UserFunction } from '../../check/typed.js';
import type { Sink } from '../../functions/entry.js';
import { levelOf, scalar } from '../../ir/builder.js';
import { composite } from '../../ir/composite.js';
import { int, real } from '../../ir/expressions.js';
import type { Expr, PrintPart } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { declaredName } from '../../language/suffixes.js';
import type { AutodiffLevel } from '../../language/types.js';
import type { CallShape, Expression } from '../../syntax/ast.js';
import { libraryCall } from '../library-calls.js';

import type { Lowering } from '../lowering.js';
import type { GivenFunction } from '../scope.js';
import { callUser, callUserInto } from '../user-functions.js';
import { detached, NOTHING, promoteValue, withLevel } from '../values.js';

/** A function argument of a solver, with the arguments that the solver passes to it. */
export interface Callback {
  readonly level: AutodiffLevel;
  readonly shared: readonly Value[];
  /** Its value for arguments from the solver, which precede those passed on. */
  readonly call: (args: readonly Value[]) => Value;
  /** Like `call`, with constant arguments and a constant result, so that derivatives do not propagate. */
  readonly callDetached: (args: readonly Value[]) => Value;
  /** The arguments passed on, as constants; arguments that are parameters keep their level. */
  readonly constants: readonly Value[];
  /** Like `callDetached`, with the constants at the level of parameters, for derivatives with respect to them. */
  readonly callVarying: (args: readonly Value[]) => Value;
  /** Like `call`, with other values of the arguments passed on. */
  readonly callWith: (more: readonly Value[]) => (args: readonly Value[]) => Value;
}

/** The user function that an argument names; undefined for a function of the library. */
export function userFunction(argument: Expression<Typed>): UserFunction | undefined {
  return argument.kind === 'variable' && argument.symbol?.kind === 'function' ? argument.symbol.function : undefined;
}

/** Calls the function that an argument names, the user's or the library's. */
export function functionOf(
  lowering: Lowering,
  site: Pick<CallShape<Typed>, 'span'>,
  argument: Expression<Typed>,
): (args: readonly Value[], dropConstants: boolean) => Value {
  const { type } = argument;
  if (argument.kind !== 'variable' || type.kind !== 'function') throw new Error('Solvers are given functions by name');
  const user = userFunction(argument);
  if (user !== undefined) return (args, dropConstants) => callUser(lowering, site, user, args, dropConstants);
  const name = declaredName(argument.name);
  return (args, dropConstants) => {
    const promoted = args.map((value, k) => promoteValue(value, type.parameters[k].type));
    return libraryCall(lowering, site.span, name, promoted, type.result, dropConstants);
  };
}

/** Like `functionOf`, of a user function; the elements of the result are added to a sink. */
export function functionInto(
  lowering: Lowering,
  site: Pick<CallShape<Typed>, 'span'>,
  argument: Expression<Typed>,
): (args: readonly Value[], sink: Sink) => void {
  const user = userFunction(argument);
  if (user === undefined) throw new Error('Only results of user functions are added');
  return (args, sink) => callUserInto(lowering, site, user, args, false, sink);
}

/** `shared` has been lowered and is in memory, so that every call reads the same values. */
export function callbackOf(
  lowering: Lowering,
  site: Pick<CallShape<Typed>, 'span'>,
  argument: Expression<Typed>,
  shared: readonly Value[],
): Callback {
  const invoke = functionOf(lowering, site, argument);
  return passedOn(lowering, shared, (more) => (args) => invoke([...args, ...more], false));
}

/** A function whose calls include the arguments passed on. */
export function passedOn(
  lowering: Lowering,
  shared: readonly Value[],
  callWith: (more: readonly Value[]) => (args: readonly Value[]) => Value,
): Callback {
  const held = shared.map((value) => hold(lowering, value));
  const level = levelOf(held);
  const constants = level === 'data' ? held : held.map((value) => hold(lowering, detached(value)));
  const varying = constants.map((value, k) => withLevelsOf(value, held[k]));
  return {
    level,
    shared: held,
    call: callWith(held),
    callDetached: callWith(constants),
    constants: varying,
    callVarying: callWith(varying),
    callWith,
  };
}

/** A value with the levels of another value of the same type. */
function withLevelsOf(value: Value, other: Value): Value {
  if (value.kind !== 'composite' || other.kind !== 'composite') return withLevel(value, other.level);
  return composite(
    value.type,
    value.parts.map((part, k) => withLevelsOf(part, other.parts[k])),
  );
}

/** The arguments of a call after the first few, as values. */
export function lowerFrom(lowering: Lowering, call: Pick<CallShape<Typed>, 'arguments'>, first: number): Value[] {
  return call.arguments.slice(first).map((argument) => lowering.expression(argument));
}

/** A value that can be read repeatedly: scalars in locals, containers in memory. */
export function hold(lowering: Lowering, value: Value): Value {
  const { builder } = lowering;
  switch (value.kind) {
    case 'scalar':
      return { ...value, value: lowering.hold(value.value, 'shared') };
    case 'container':
      return builder.materialize(value, 'shared');
    case 'composite':
      return composite(
        value.type,
        value.parts.map((part) => hold(lowering, part)),
      );
  }
}

/** Two tolerances and the maximum number of steps, from the call or by default. */
export function heldTolerances(
  lowering: Lowering,
  given: readonly Value[] | null,
  [first, second, steps]: readonly [first: number, second: number, steps: number],
): readonly Value[] {
  if (given !== null) return given.map((value) => hold(lowering, value));
  return [scalar(real(first), 'data'), scalar(real(second), 'data'), scalar(int(steps), 'data')];
}

/** A constant argument of a method: whether derivatives at this level are needed. It allows unneeded code to be removed. */
export function variesHere(lowering: Lowering, level: AutodiffLevel): GivenFunction {
  return () => scalar(int(lowering.differentiates && level === 'autodiff' ? 1 : 0), 'data');
}

/** The parts of a message: texts and numbers. */
export function printed(...parts: readonly (string | Expr)[]): readonly PrintPart[] {
  return parts.map((part) => {
    return typeof part === 'string' ? { kind: 'text', text: part } : { kind: 'scalar', value: part };
  });
}

/** Stops with a message whose parts are texts and numbers. */
export function refuse({ builder }: Lowering, ...parts: readonly (string | Expr)[]): Value {
  builder.reject(printed(...parts), false);
  return NOTHING;
}
