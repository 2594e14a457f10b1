import { levelOfType } from '../language/levels.js';
import { type Argument, applicationCost } from '../language/overloads.js';
import { inStansOrder } from '../language/signature.js';
import { declaredName, suffixOf } from '../language/suffixes.js';
import type { FunctionParameter, FunctionType, Type } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { VariableShape } from '../syntax/ast.js';
import { annotate, promote } from './annotate.js';
import { type Context, refuse } from './environment.js';
import * as messages from './messages.js';
import type { Mismatch } from './mismatch.js';
import type { TypedExpression, UserFunction } from './typed.js';

/** A name passed as a function. */
export type TypedName = TypedExpression & VariableShape;

/** One possible meaning of such a name. */
export interface Candidate {
  readonly type: Type;
  readonly function?: UserFunction;
}

/** All possible meanings of a name passed as a callback: the user's overloads, latest first, and the library's. */
export function candidatesOf({ environment }: Context, name: TypedName): readonly Candidate[] {
  const declared = declaredName(name.name);
  const suffix = suffixOf(declared);
  const variable = environment.variable(declared);
  return [
    ...(variable === undefined ? [] : [{ type: variable.type }]),
    ...environment.functions(declared).map((userFunction) => ({
      type: { kind: 'function' as const, parameters: userFunction.parameters, result: userFunction.result, suffix },
      function: userFunction,
    })),
    ...inStansOrder(declared, environment.library.lookup(declared)).map(({ parameters, result }) => ({
      type: { kind: 'function' as const, parameters, result, suffix },
    })),
  ];
}

/** A candidate that fits, with the parameters to which the arguments after the callback are promoted. */
export interface Fit {
  readonly candidate: Candidate;
  readonly type: FunctionType;
  readonly parameters: readonly FunctionParameter[];
}

/**
 * The candidate with the fewest promotions among those that fit.
 * @param fit returns how a candidate fits, or why it does not
 * @returns the fault of the first candidate if none fits
 */
export function chooseCandidate<F>(
  span: Span,
  name: TypedName,
  candidates: readonly Candidate[],
  fit: (candidate: Candidate) => Fit | { readonly fault: F },
  args: readonly Argument[],
): Fit | { readonly fault: F } {
  if (candidates.length === 0) refuse(span, messages.unsupportedFunction(name.name), 'unsupported');
  const outcomes = candidates.map(fit);
  const fits = outcomes.flatMap((outcome) => ('fault' in outcome ? [] : [outcome]));
  if (fits.length === 0) return outcomes[0];
  const costs = fits.map(({ parameters }) => applicationCost({ parameters }, args) ?? Number.POSITIVE_INFINITY);
  const least = Math.min(...costs);
  const best = fits.filter((_, i) => costs[i] === least);
  if (best.length > 1) {
    refuse(
      span,
      messages.ambiguousCall(
        name.name,
        undefined,
        best.map(({ type }) => type),
      ),
    );
  }
  return best[0];
}

/** The name, annotated with the function that it refers to. */
export function asCallback(context: Context, name: TypedName, { type, candidate }: Fit): TypedExpression {
  const level = context.block === 'generated quantities' ? 'data' : 'autodiff';
  return {
    ...name,
    ...annotate({ ...type, suffix: suffixOf(name.name) }, levelOfType(level, type)),
    symbol: { kind: 'function', ...(candidate.function && { function: candidate.function }) },
  };
}

export function isName(expression: TypedExpression | undefined): expression is TypedName {
  return expression?.kind === 'variable';
}

/** The arguments, each promoted to its parameter. */
export function promoteAll(
  args: readonly TypedExpression[],
  parameters: readonly FunctionParameter[],
): TypedExpression[] {
  return args.map((argument, i) => promote(argument, parameters[i].type));
}

/** The location of the mismatched argument, or of the last argument if some are missing. */
export function placeOf(mismatch: Mismatch, args: readonly TypedExpression[]): Span | undefined {
  if (mismatch.kind === 'argument') return args[mismatch.position - 1]?.span;
  return args[mismatch.expected > mismatch.found ? mismatch.found - 1 : mismatch.expected]?.span;
}
