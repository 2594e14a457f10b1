import type { CallAnnotation, Typed, TypedExpression } from '../check/typed.js';
import { scalarOf } from '../functions/broadcast.js';
import type { Sink } from '../functions/entry.js';
import type { Value } from '../ir/value.js';
import { isLaplace } from '../language/higher-order.js';
import { REAL, type Type } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { CallShape, Identifier } from '../syntax/ast.js';
import { lowerHigherOrder } from './higher-order.js';
import { dropsConstants, entryOf, libraryCall } from './library-calls.js';
import type { Lowering } from './lowering.js';
import { sumOfTerms } from './sinks.js';
import { lowerLaplace } from './solvers/laplace.js';
import { addMapRect } from './solvers/map-rect.js';
import { callUser, callUserInto } from './user-functions.js';
import { scalarValue } from './values.js';

/** A call, as an expression or a statement. */
export interface CallSite extends CallAnnotation {
  readonly function: Identifier;
  readonly arguments: readonly TypedExpression[];
  readonly span: Span;
}

export function lowerCall(lowering: Lowering, call: CallShape<Typed>, type: Type): Value {
  const { callee } = call;
  switch (callee.kind) {
    case 'user':
      return callUser(lowering, call, callee.function, argumentsOf(lowering, call), dropsConstants(lowering, call));
    case 'higherOrder':
      return lowerHigherOrder(lowering, call, callee.name, type);
    case 'library': {
      const jobs = summedJobs(lowering, call);
      if (jobs !== null) return jobs;
      return libraryCall(
        lowering,
        call.span,
        callee.signature.name,
        argumentsOf(lowering, call),
        type,
        dropsConstants(lowering, call),
      );
    }
  }
}

/** The value of `sum(map_rect(…))`, computed without storing the results of the jobs; null for other calls. */
function summedJobs(lowering: Lowering, call: CallShape<Typed>): Value | null {
  const [argument] = call.arguments;
  if (call.function.name !== 'sum' || argument.kind !== 'call') return null;
  const { callee } = argument;
  if (callee.kind !== 'higherOrder' || callee.name !== 'map_rect') return null;
  const value = sumOfTerms(lowering, (sink) => addMapRect(lowering, argument, sink));
  return scalarValue(REAL, lowering.level(argument.level), value);
}

export function argumentsOf(lowering: Lowering, call: { readonly arguments: readonly TypedExpression[] }): Value[] {
  return call.arguments.map((argument) => lowering.expression(argument));
}

/** Adds the value of a call to a sink, to which densities and user functions add their terms one by one. */
export function addCall(lowering: Lowering, call: CallSite, type: Type, sink: Sink): boolean {
  const { callee } = call;
  const dropConstants = dropsConstants(lowering, call);
  if (callee.kind === 'user' && type.kind === 'real') {
    callUserInto(lowering, call, callee.function, argumentsOf(lowering, call), dropConstants, sink);
    return true;
  }
  if (callee.kind === 'higherOrder' && callee.name === 'map_rect') {
    addMapRect(lowering, call, sink);
    return true;
  }
  if (callee.kind === 'higherOrder' && isLaplace(callee.name)) {
    sink.add(lowering.builder, scalarOf(lowerLaplace(lowering, call, callee.name)), 'always');
    return true;
  }
  if (callee.kind !== 'library') return false;
  const { name } = callee.signature;
  const entry = entryOf(lowering, name, call.span);
  if (entry.addTo === undefined) return false;
  entry.addTo(lowering.builder, argumentsOf(lowering, call), sink, {
    name,
    result: type,
    dropConstants,
    jacobian: null,
  });
  return true;
}
