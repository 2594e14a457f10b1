import {
  isLaplace,
  isReduceSum,
  SLICE_ELEMENTS,
  type VariadicFunction,
  variadicFunction,
} from '../language/higher-order.js';
import type { Argument } from '../language/overloads.js';
import {
  arrayOf,
  type FunctionParameter,
  type FunctionType,
  INT,
  REAL,
  sameType,
  unwindArray,
} from '../language/types.js';
import type { Span } from '../source/span.js';
import type { Identifier } from '../syntax/ast.js';
import { asArgument } from './annotate.js';
import {
  asCallback,
  type Candidate,
  candidatesOf,
  chooseCandidate,
  type Fit,
  isName,
  placeOf,
  promoteAll,
} from './callbacks.js';
import { type Context, refuse } from './environment.js';
import { checkLaplace } from './laplace.js';
import * as messages from './messages.js';
import { type FunctionFault, type Mismatch, mismatchOf, typeFault } from './mismatch.js';
import type { ResolvedCall } from './resolved-call.js';
import type { TypedExpression } from './typed.js';

/** Types a call of a function that passes any number of arguments to its callback; see `isVariadicName`. */
export function checkHigherOrder(
  context: Context,
  span: Span,
  identifier: Identifier,
  args: readonly TypedExpression[],
): ResolvedCall {
  const { name } = identifier;
  if (isLaplace(name)) return checkLaplace(context, span, identifier, args);
  if (isReduceSum(name)) return checkReduceSum(context, span, name, args);
  const shape = variadicFunction(name);
  if (shape === undefined) throw new Error(`${name} is not a variadic function`);
  return checkVariadic(context, span, name, shape, args);
}

/** The required signature of a callback. */
interface CallbackRule extends Omit<VariadicFunction, 'result'> {
  readonly allowsDensity: boolean;
}

/** The reason why a callback does not fit: the parameters that a call with it would have, and the arguments that do not match them. */
interface Misfit {
  readonly expected: readonly FunctionParameter[];
  readonly mismatch: Mismatch;
}

function checkVariadic(
  context: Context,
  span: Span,
  name: string,
  shape: VariadicFunction,
  args: readonly TypedExpression[],
): ResolvedCall {
  const rule: CallbackRule = { ...shape, allowsDensity: false };
  return resolve(context, span, name, args, shape, () => rule);
}

function checkReduceSum(context: Context, span: Span, name: string, args: readonly TypedExpression[]): ResolvedCall {
  if (isName(args[0]) && args.length > 1) {
    const { element, depth } = unwindArray(args[1].type);
    if (depth === 0) refuse(args[1].span, messages.reduceSumNotArray(element));
    if (!SLICE_ELEMENTS.some((type) => sameType(type, element))) {
      refuse(args[1].span, messages.reduceSumSlice(SLICE_ELEMENTS, element));
    }
    return resolve(context, span, name, args, { callbackResult: REAL, result: REAL }, ({ type }) =>
      reduceSumRule(type.kind === 'function' ? type.parameters[0] : undefined),
    );
  }
  const misfit = misfitOf(reduceSumRule(undefined), args.map(asArgument));
  return refuseMisfit(span, name, args, REAL, misfit);
}

/** The slice has the type of the callback's first parameter. */
function reduceSumRule(slice: FunctionParameter = { type: arrayOf(REAL), level: 'autodiff' }): CallbackRule {
  return {
    controls: [slice, { type: INT, level: 'autodiff' }],
    callbackParameters: [slice, { type: INT, level: 'data' }, { type: INT, level: 'data' }],
    callbackResult: REAL,
    allowsDensity: true,
  };
}

function resolve(
  context: Context,
  span: Span,
  name: string,
  args: readonly TypedExpression[],
  { callbackResult, result }: Pick<VariadicFunction, 'callbackResult' | 'result'>,
  ruleFor: (candidate: Candidate) => CallbackRule,
): ResolvedCall {
  const [callback, ...rest] = args;
  if (!isName(callback)) {
    const misfit = misfitOf(ruleFor({ type: REAL }), args.map(asArgument));
    return refuseMisfit(span, name, args, callbackResult, misfit);
  }
  const given = rest.map(asArgument);
  const outcome = chooseCandidate(
    span,
    callback,
    candidatesOf(context, callback),
    (candidate) => fitOf(ruleFor(candidate), candidate, given),
    given,
  );
  if ('fault' in outcome) return refuseMisfit(span, name, args, callbackResult, outcome.fault);
  return {
    callee: { kind: 'higherOrder', name, result },
    arguments: [asCallback(context, callback, outcome), ...promoteAll(rest, outcome.parameters)],
    result,
  };
}

function fitOf(rule: CallbackRule, candidate: Candidate, given: readonly Argument[]): Fit | { readonly fault: Misfit } {
  const args = [{ type: candidate.type, level: 'autodiff' as const }, ...given];
  const outcome = callParameters(rule, args);
  if ('mismatch' in outcome) return { fault: outcome };
  const mismatch = mismatchOf(outcome.parameters, args);
  if (mismatch !== undefined) return { fault: { expected: outcome.parameters, mismatch } };
  return { candidate, type: outcome.type, parameters: outcome.parameters.slice(1) };
}

function misfitOf(rule: CallbackRule, args: readonly Argument[]): Misfit {
  const outcome = callParameters(rule, args);
  if ('mismatch' in outcome) return outcome;
  const mismatch = mismatchOf(outcome.parameters, args) ?? { kind: 'count', expected: 0, found: args.length };
  return { expected: outcome.parameters, mismatch };
}

/** The parameters of the call if its first argument is a valid callback. */
function callParameters(
  rule: CallbackRule,
  args: readonly Argument[],
): { readonly type: FunctionType; readonly parameters: readonly FunctionParameter[] } | Misfit {
  if (args.length === 0) return { expected: [], mismatch: { kind: 'count', expected: rule.controls.length, found: 0 } };
  const minimal: FunctionType = { kind: 'function', parameters: rule.callbackParameters, result: rule.callbackResult };
  const expected: readonly FunctionParameter[] = [{ type: minimal, level: 'autodiff' }, ...rule.controls];
  const { type } = args[0];
  const misfit = (detail?: FunctionFault): Misfit => ({
    expected,
    mismatch: {
      kind: 'argument',
      position: 1,
      fault: { kind: 'type', expected: minimal, found: type, ...(detail && { detail }) },
    },
  });
  if (type.kind !== 'function' || type.result.kind === 'void') return misfit();
  const suffix = type.suffix ?? 'plain';
  const isDensity = suffix === 'lpdf' || suffix === 'lpmf';
  if (suffix !== 'plain' && !(rule.allowsDensity && isDensity)) {
    return misfit({ kind: 'suffix', expected: 'plain', found: suffix });
  }
  const own = type.parameters.slice(0, rule.callbackParameters.length);
  const mismatch = mismatchOf(own, rule.callbackParameters, 1);
  if (mismatch !== undefined) return misfit({ kind: 'input', mismatch });
  if (typeFault(type.result, rule.callbackResult, 1) !== undefined) {
    return misfit({ kind: 'result', expected: rule.callbackResult, found: type.result });
  }
  return {
    type,
    parameters: [
      { type, level: 'autodiff' },
      ...rule.controls,
      ...type.parameters.slice(rule.callbackParameters.length),
    ],
  };
}

function refuseMisfit(
  span: Span,
  name: string,
  args: readonly TypedExpression[],
  callbackResult: VariadicFunction['callbackResult'],
  { expected, mismatch }: Misfit,
): never {
  const types = args.map(({ type }) => type);
  refuse(
    placeOf(mismatch, args) ?? span,
    messages.illTypedArguments(name, types, [
      { signature: { parameters: expected, result: callbackResult }, mismatch },
    ]),
  );
}
