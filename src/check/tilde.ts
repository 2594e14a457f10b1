import { isVariadicName } from '../language/higher-order.js';
import { unwindArray } from '../language/types.js';
import type { TildeStatement, Truncation, Untyped } from '../syntax/ast.js';
import { asArgument, checkedLevel } from './annotate.js';
import { applied, illTyped, lookUp } from './calls.js';
import { type Context, refuse } from './environment.js';
import { checkExpression, checkIntOrReal } from './expressions.js';
import { checkHigherOrder } from './higher-order.js';
import * as messages from './messages.js';
import { SHOWN } from './mismatch-text.js';
import { checkName } from './names.js';
import type { ResolvedCall } from './resolved-call.js';
import type { Callee, CumulativeCallees, TruncationCallees, Typed, TypedExpression } from './typed.js';

/** Types `variate ~ distribution(arguments) T[lower, upper]`: finds the density, and for a truncation the cumulative functions. */
export function checkTilde(context: Context, node: TildeStatement<Untyped>): TildeStatement<Typed> {
  const variate = checkExpression(context, node.variate);
  const args = node.arguments.map((argument) => checkExpression(context, argument));
  const truncation = node.truncation && checkTruncation(context, node.truncation);
  const { distribution, span } = node;
  const { name } = distribution;
  checkName(name, distribution.span);
  if (/_lu?p[dm]f$/.test(name)) refuse(distribution.span, messages.tildeWithSuffix());
  if (context.enclosing?.suffix !== 'lp' && context.block !== 'model') refuse(span, messages.targetNotAllowed());
  if (/_c?cdf$/.test(name)) refuse(span, messages.tildeWithCumulative(name));
  const resolved = resolveDistribution(context, node, [variate, ...args]);
  if (name === 'lkj_cov') context.environment.deprecate(distribution.span, messages.lkjCovDeprecated());
  const [promotedVariate, ...promotedArguments] = resolved.arguments;
  const callees = truncation && truncationCallees(context, node, truncation, promotedArguments);
  return {
    kind: node.kind,
    span,
    distribution,
    variate: promotedVariate,
    arguments: promotedArguments,
    ...(truncation === undefined ? {} : { truncation }),
    callee: resolved.callee,
    dropsConstants: true,
    ...(callees === undefined ? {} : { truncationCallees: callees }),
  };
}

/** Checks the upper bound first, as in Stan. */
function checkTruncation(context: Context, node: Truncation<Untyped>): Truncation<Typed> {
  const upper = node.upper && checkIntOrReal(context, node.upper, 'Truncation bound');
  const lower = node.lower && checkIntOrReal(context, node.lower, 'Truncation bound');
  return {
    span: node.span,
    ...(lower === undefined ? {} : { lower }),
    ...(upper === undefined ? {} : { upper }),
  };
}

function resolveDistribution(
  context: Context,
  { distribution, span }: TildeStatement<Untyped>,
  args: readonly TypedExpression[],
): ResolvedCall {
  const { environment } = context;
  const { name } = distribution;
  const unnormalized = { ...distribution, name: `${name}_lupmf` };
  if (isVariadicName(unnormalized.name)) return checkHigherOrder(context, span, unnormalized, args);
  const lookups = ['_lpmf', '_lpdf'].map((suffix) => lookUp(environment, name + suffix, args.map(asArgument)));
  const match = lookups.find((lookup) => lookup.kind === 'match');
  if (match !== undefined) return applied(match.callee, args);
  const ambiguous = lookups.find((lookup) => lookup.kind === 'ambiguous');
  const types = args.map(({ type }) => type);
  if (ambiguous !== undefined) refuse(span, messages.ambiguousCall(name, types, ambiguous.signatures));
  if (lookups.some((lookup) => lookup.kind === 'unsupported')) {
    refuse(span, messages.unsupportedFunction(name), 'unsupported');
  }
  const misfits = lookups
    .map((lookup) => (lookup.kind === 'none' ? lookup.misfits() : []))
    .reduce((most, other) => (Math.min(other.length, SHOWN) > most.length ? other : most));
  if (misfits.length > 0) refuse(span, illTyped(name, args, misfits));
  return refuse(distribution.span, messages.noSuchDistribution(name, isIntOrInts(args[0])));
}

function isIntOrInts({ type }: TypedExpression): boolean {
  return unwindArray(type).element.kind === 'int';
}

function truncationCallees(
  context: Context,
  node: TildeStatement<Untyped>,
  { lower, upper }: Truncation<Typed>,
  args: readonly TypedExpression[],
): TruncationCallees {
  const find = (bound: TypedExpression) => cumulativeCallees(context, node, bound, args);
  return {
    ...(lower === undefined ? {} : { lower: find(lower) }),
    ...(upper === undefined ? {} : { upper: find(upper) }),
  };
}

function cumulativeCallees(
  { environment }: Context,
  { distribution, span }: TildeStatement<Untyped>,
  bound: TypedExpression,
  args: readonly TypedExpression[],
): CumulativeCallees {
  const shown = [bound, ...args].map((argument) => ({
    type: argument.promotedTo ?? argument.type,
    level: checkedLevel(argument),
  }));
  const find = (suffix: string) => {
    const lookup = lookUp(environment, distribution.name + suffix, shown);
    if (lookup.kind === 'unsupported') {
      refuse(span, messages.unsupportedFunction(distribution.name + suffix), 'unsupported');
    }
    return lookup.kind === 'match' && resultOf(lookup.callee).kind === 'real' ? lookup.callee : undefined;
  };
  const lcdf = find('_lcdf');
  const lccdf = lcdf && find('_lccdf');
  if (lcdf === undefined || lccdf === undefined) {
    refuse(
      span,
      messages.truncationUndefined(
        shown.map(({ type, level }) => ({ type, level: level === 'data' ? 'data' : 'autodiff' })),
      ),
    );
  }
  return { lcdf, lccdf };
}

function resultOf(callee: Callee) {
  switch (callee.kind) {
    case 'library':
      return callee.signature.result;
    case 'user':
      return callee.function.result;
    case 'higherOrder':
      return callee.result;
  }
}
