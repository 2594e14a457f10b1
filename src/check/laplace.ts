import { LAPLACE_CONTROLS, laplaceLikelihood } from '../language/higher-order.js';
import { isActive } from '../language/levels.js';
import type { Argument } from '../language/overloads.js';
import { declaredName } from '../language/suffixes.js';
import { type FunctionParameter, MATRIX, REAL, sameType, type Type, VECTOR } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { Identifier } from '../syntax/ast.js';
import { asArgument, checkedLevel, promote } from './annotate.js';
import {
  asCallback,
  candidatesOf,
  chooseCandidate,
  type Fit,
  isName,
  placeOf,
  promoteAll,
  type TypedName,
} from './callbacks.js';
import { type Context, refuse } from './environment.js';
import * as messages from './messages.js';
import { type FunctionFault, type Mismatch, mismatchOf } from './mismatch.js';
import { describeFault } from './mismatch-text.js';
import type { ResolvedCall } from './resolved-call.js';
import type { TypedExpression } from './typed.js';

/**
 * Types a call of an embedded Laplace approximation: a likelihood with its arguments (a callback and a tuple, or those of
 * a built-in likelihood), the Hessian's block size, a covariance callback and a tuple, and for `_tol` a tuple of controls.
 */
export function checkLaplace(
  context: Context,
  span: Span,
  { name }: Identifier,
  args: readonly TypedExpression[],
): ResolvedCall {
  const given = args.map(asArgument);
  const likelihood = checkLikelihood(context, span, name, args, given);
  const [blockSize, covariance, covarianceArguments, ...controls] = args.slice(likelihood.length);
  checkBlockSize(name, blockSize, likelihood.at(-1), span);
  if (covarianceArguments !== undefined) checkDataOfSolution(name, covarianceArguments);
  if (!isName(covariance) || covarianceArguments === undefined) {
    refuse(span, messages.laplaceUsage(name, given, false));
  }
  const [callback, tuple] = checkForwarding(context, name, covariance, covarianceArguments, [], MATRIX);
  checkControls(span, name, controls);
  const result = resultOf(name);
  return {
    callee: { kind: 'higherOrder', name: declaredName(name), result },
    arguments: [...likelihood, blockSize, callback, tuple, ...controls],
    result,
  };
}

function resultOf(name: string): Type {
  if (name.endsWith('_rng')) return VECTOR;
  return isSolution(name) ? { kind: 'tuple', elements: [VECTOR, MATRIX] } : REAL;
}

/** Whether a function returns the mode of the latent values with the Cholesky factor of their covariance: `laplace_latent_solve`. */
function isSolution(name: string): boolean {
  return name.includes('_solve');
}

/** `laplace_latent_solve` has no derivatives: the arguments of its callbacks must be data, as all values in generated quantities are. */
function checkDataOfSolution(name: string, tuple: TypedExpression): void {
  if (!isSolution(name) || !isActive(checkedLevel(tuple))) return;
  const elements = tuple.kind === 'tupleLiteral' ? tuple.elements : [];
  const { span } = elements.find((element) => isActive(checkedLevel(element))) ?? tuple;
  refuse(span, messages.laplaceSolveNotData(name));
}

function checkLikelihood(
  context: Context,
  span: Span,
  name: string,
  args: readonly TypedExpression[],
  given: readonly Argument[],
): readonly TypedExpression[] {
  const parameters = laplaceLikelihood(name);
  if (parameters.length > 0) {
    const own = args.slice(0, parameters.length);
    const mismatch = mismatchOf(parameters, own.map(asArgument));
    if (mismatch !== undefined) {
      refuse(placeOf(mismatch, args) ?? span, messages.laplaceLikelihood(name, parameters, describeInput(mismatch)));
    }
    return promoteAll(own, parameters);
  }
  const [callback, tuple] = args;
  if (tuple !== undefined) checkDataOfSolution(name, tuple);
  if (!isName(callback) || tuple === undefined) refuse(span, messages.laplaceUsage(name, given, true));
  context.environment.secondOrder.push(callback);
  return checkForwarding(context, name, callback, tuple, [LATENT], REAL);
}

const LATENT = { what: 'latent gaussian vector', parameter: { type: VECTOR, level: 'autodiff' } } as const;

function describeInput(mismatch: Mismatch): string {
  return describeFault({ kind: 'input', mismatch });
}

/** An argument that the caller adds before the forwarded ones. */
interface Added {
  readonly what: string;
  readonly parameter: FunctionParameter;
}

type Fault =
  | { readonly kind: 'notFunction' }
  | { readonly kind: 'signature'; readonly detail: FunctionFault }
  | { readonly kind: 'arguments'; readonly detail: FunctionFault };

/** Whether `callback(added…, …tuple)` is a call that returns a `result`; both with their meaning and promotions. */
function checkForwarding(
  context: Context,
  caller: string,
  callback: TypedName,
  tuple: TypedExpression,
  added: readonly Added[],
  result: Type,
): [TypedExpression, TypedExpression] {
  const forwarded = tupleArguments(tuple, `Forwarded arguments to '${callback.name}' in call to '${caller}'`);
  const required = added.map(({ parameter }) => parameter);
  const args = [...required, ...forwarded];
  const outcome = chooseCandidate<Fault>(
    callback.span,
    callback,
    candidatesOf(context, callback),
    (candidate) => {
      const { type } = candidate;
      if (type.kind !== 'function') return { fault: { kind: 'notFunction' } };
      const signature = (detail: FunctionFault) => ({ fault: { kind: 'signature' as const, detail } });
      if (!sameType(type.result, result)) return signature({ kind: 'result', expected: result, found: type.result });
      const suffix = type.suffix ?? 'plain';
      if (suffix !== 'plain') return signature({ kind: 'suffix', expected: 'plain', found: suffix });
      const own = type.parameters.slice(0, required.length);
      const input = mismatchOf(required, own, 1) ?? mismatchOf(own, required, 1);
      if (input !== undefined) return signature({ kind: 'input', mismatch: input });
      const mismatch = mismatchOf(type.parameters, args);
      if (mismatch !== undefined) return { fault: { kind: 'arguments', detail: { kind: 'input', mismatch } } };
      return { candidate, type, parameters: type.parameters } satisfies Fit;
    },
    args,
  );
  if ('fault' in outcome) {
    const { fault } = outcome;
    switch (fault.kind) {
      case 'notFunction':
        return refuse(callback.span, messages.returningButValue(callback.name));
      case 'signature':
        return refuse(callback.span, messages.forwardedSignature(callback.name, caller, describeFault(fault.detail)));
      case 'arguments': {
        const skipped = added.map(({ what }) => what);
        const detail = describeFault(fault.detail, skipped);
        return refuse(tuple.span, messages.forwardedArguments(callback.name, caller, detail));
      }
    }
  }
  const elements = outcome.parameters.slice(required.length).map(({ type }) => type);
  return [asCallback(context, callback, outcome), promote(tuple, { kind: 'tuple', elements })];
}

function tupleArguments(tuple: TypedExpression, what: string): Argument[] {
  const { type } = tuple;
  if (type.kind !== 'tuple') refuse(tuple.span, messages.tupleExpected(what, type));
  const levels = checkedLevel(tuple);
  return type.elements.map((element, i) => ({
    type: element,
    level: typeof levels === 'string' ? levels : levels[i],
  }));
}

function checkBlockSize(
  name: string,
  blockSize: TypedExpression | undefined,
  before: TypedExpression | undefined,
  call: Span,
): void {
  if (blockSize === undefined) {
    const span = before === undefined ? call : { begin: before.span.end, end: before.span.end };
    refuse(span, messages.laplaceBlockSizeMissing(name));
  }
  const level = checkedLevel(blockSize);
  if (blockSize.type.kind === 'int' && level === 'data') return;
  refuse(blockSize.span, messages.laplaceBlockSize(name, blockSize.type, level === 'data'));
}

function checkControls(span: Span, name: string, controls: readonly TypedExpression[]): void {
  const takesControls = name.includes('_tol');
  const wanted = takesControls ? 1 : 0;
  if (controls.length > wanted) {
    refuse(controls[wanted].span, messages.laplaceTooMany(name, controls.length - wanted));
  }
  if (!takesControls) return;
  const [tuple] = controls;
  if (tuple === undefined) refuse(span, messages.laplaceControlsMissing(name, LAPLACE_CONTROLS.length));
  const given = tupleArguments(tuple, `Control arguments for '${name}'`);
  const mismatch = mismatchOf(LAPLACE_CONTROLS, given);
  if (mismatch === undefined) return;
  const written = tuple.kind === 'tupleLiteral' ? tuple.elements : [];
  const place = placeOf(mismatch, written) ?? span;
  if (mismatch.kind === 'count') {
    refuse(place, messages.laplaceControlsCount(name, mismatch.expected, mismatch.found));
  }
  const { fault, position } = mismatch;
  refuse(
    place,
    fault.kind === 'notData'
      ? messages.laplaceControlNotData(name, position)
      : messages.laplaceControlType(name, position, fault.expected, fault.found),
  );
}
