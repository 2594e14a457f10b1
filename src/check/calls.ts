import { higherOrderSignatures, isVariadicName } from '../language/higher-order.js';
import { isActive, levelOfType } from '../language/levels.js';
import { type Argument, resolveOverload } from '../language/overloads.js';
import { isDiscrete } from '../language/promotion.js';
import { inStansOrder, type Signature } from '../language/signature.js';
import {
  declaredName,
  isConditionalName,
  isCumulativeOrRng,
  isUnnormalizedName,
  splitSuffix,
} from '../language/suffixes.js';
import type { Type } from '../language/types.js';
import type { Message } from '../source/diagnostic.js';
import type { Span } from '../source/span.js';
import type { CallShape, Identifier, Untyped } from '../syntax/ast.js';
import { actualJoin, annotate, asArgument, checkedLevel, promote } from './annotate.js';
import { type Context, type Environment, refuse } from './environment.js';
import { checkHigherOrder } from './higher-order.js';
import * as messages from './messages.js';
import { type Misfit, misfitsOf } from './mismatch.js';
import { checkName, checkUnnormalized } from './names.js';
import type { ResolvedCall } from './resolved-call.js';
import type { Callee, TypedExpression, UserFunction } from './typed.js';

/** Types a call that returns a value. */
export function checkCall(
  context: Context,
  node: CallShape<Untyped>,
  args: readonly TypedExpression[],
): TypedExpression {
  const { function: identifier, span } = node;
  const resolved = isVariadicName(identifier.name)
    ? checkHigherOrder(context, span, identifier, args)
    : resolveReturning(context, span, identifier, args);
  checkName(identifier.name, identifier.span);
  const isConditional = isConditionalName(identifier.name);
  if (node.isConditional && !isConditional) refuse(span, messages.conditionalNotAllowed());
  if (!node.isConditional && isConditional) refuse(span, messages.barRequired());
  checkPlace(context, span, identifier, args);
  checkUnnormalized(context, identifier.name, span);
  context.environment.use(context.enclosing, resolved.callee, span);
  warnOfDeprecation(context.environment, identifier);
  return {
    ...node,
    arguments: resolved.arguments,
    ...annotateResult(resolved.result, args),
    callee: resolved.callee,
    dropsConstants: isUnnormalizedName(identifier.name),
  };
}

const ODE_REPLACEMENTS: Readonly<Record<string, string>> = {
  integrate_ode: 'ode_rk45',
  integrate_ode_rk45: 'ode_rk45',
  integrate_ode_bdf: 'ode_bdf',
  integrate_ode_adams: 'ode_adams',
};

function warnOfDeprecation(environment: Environment, { name, span }: Identifier): void {
  if (name === 'lkj_cov_lpdf') environment.deprecate(span, messages.lkjCovDeprecated());
  if (Object.hasOwn(ODE_REPLACEMENTS, name)) {
    environment.deprecate(span, messages.odeDeprecated(name, ODE_REPLACEMENTS[name]));
  }
}

/** The annotation of a call's value: autodiff if any argument is, unless it consists of ints. */
function annotateResult(type: Type, args: readonly TypedExpression[]) {
  const isAutodiff = !isDiscrete(type) && args.some((argument) => isActive(checkedLevel(argument)));
  return annotate(type, levelOfType(isAutodiff ? 'autodiff' : 'data', type), actualJoin(args));
}

/** Rejects calls of `_lp`, `_jacobian` and `_rng` functions outside their allowed contexts. */
export function checkPlace(context: Context, span: Span, { name }: Identifier, args: readonly TypedExpression[]): void {
  const { environment, block, enclosing } = context;
  if (name.endsWith('_lp')) {
    if (block === 'transformed parameters') environment.warn(span, messages.lpInTransformedParameters());
    else if (enclosing?.suffix !== 'lp' && block !== 'model') refuse(span, messages.targetNotAllowed());
  }
  if (name.endsWith('_jacobian')) {
    if (enclosing?.suffix !== 'jacobian' && block !== 'transformed parameters') {
      refuse(span, messages.jacobianNotAllowed());
    }
    if (!args.some((argument) => isActive(checkedLevel(argument)))) {
      const alternative = `${name.slice(0, -'_jacobian'.length)}_constrain`;
      environment.warn(
        span,
        messages.jacobianWithoutParameters(environment.isKnown(alternative) ? alternative : undefined),
      );
    }
  }
  if (name.endsWith('_rng')) {
    if (context.isSize) refuse(span, messages.rngInSize());
    const isAllowed = enclosing?.suffix === 'rng' || block === 'generated quantities' || block === 'transformed data';
    if (!isAllowed) refuse(span, messages.rngNotAllowed());
  }
}

function resolveReturning(
  context: Context,
  span: Span,
  { name }: Identifier,
  args: readonly TypedExpression[],
): ResolvedCall {
  const { environment } = context;
  const declared = declaredName(name);
  if (environment.variable(declared) !== undefined && !environment.isLibraryName(declared)) {
    refuse(span, messages.returningButValue(name));
  }
  if (!environment.isKnown(declared)) refuse(span, unknownFunction(environment, name));
  const resolved = resolveKnown(environment, span, name, args);
  if (resolved.result.kind === 'void') refuse(span, messages.returningButVoid(name));
  return resolved;
}

function unknownFunction(environment: Environment, name: string): Message {
  const split = splitSuffix(name);
  if (split !== undefined) {
    const { family, suffix } = split;
    const isMass = suffix === 'lpmf' || suffix === 'lupmf';
    const isDensity = suffix === 'lpdf' || suffix === 'lupdf';
    if (isMass && environment.isKnown(`${family}_lpdf`)) {
      return messages.otherSuffixFor(family, suffix, suffix === 'lpmf' ? 'lpdf' : 'lupdf');
    }
    if (isDensity && environment.isKnown(`${family}_lpmf`)) {
      return messages.otherSuffixFor(family, suffix, suffix === 'lpdf' ? 'lpmf' : 'lupmf');
    }
    if (isCumulativeOrRng(suffix) && isLibraryFamily(environment, family)) {
      return messages.notImplementedFor(family, suffix);
    }
  }
  return messages.returningButUnknown(name, environment.nearest(name));
}

function isLibraryFamily(environment: Environment, family: string): boolean {
  return ['lpdf', 'lpmf', 'rng', 'cdf'].some((suffix) => environment.isLibraryName(`${family}_${suffix}`));
}

/** The overload of a known function that accepts the arguments; an error if none does, or several equally well. */
export function resolveKnown(
  environment: Environment,
  span: Span,
  name: string,
  args: readonly TypedExpression[],
): ResolvedCall {
  const lookup = lookUp(environment, declaredName(name), args.map(asArgument));
  switch (lookup.kind) {
    case 'match':
      return applied(lookup.callee, args);
    case 'ambiguous':
      return refuse(
        span,
        messages.ambiguousCall(
          name,
          args.map(({ type }) => type),
          lookup.signatures,
        ),
      );
    case 'unsupported':
      return refuse(span, messages.unsupportedFunction(name), 'unsupported');
    case 'none':
      return refuse(span, illTyped(name, args, lookup.misfits()));
  }
}

export function illTyped(name: string, args: readonly TypedExpression[], misfits: readonly Misfit[]): Message {
  return messages.illTypedArguments(
    name,
    args.map(({ type }) => type),
    misfits,
  );
}

/** A callee with its arguments promoted to its parameters. */
export function applied(callee: CalleeWithSignature, args: readonly TypedExpression[]): ResolvedCall {
  const { parameters, result } = signatureOf(callee);
  const takesFunction = callee.kind === 'library' && parameters.some(({ type }) => type.kind === 'function');
  return {
    callee: takesFunction ? { kind: 'higherOrder', name: callee.signature.name, result } : callee,
    arguments: args.map((argument, i) => promote(argument, parameters[i].type)),
    result,
  };
}

/** The library's signatures of a name, including those that accept a callback of a fixed type. */
function librarySignatures({ library }: Environment, declared: string): readonly Signature[] {
  const signatures = library.lookup(declared);
  return signatures.length > 0 ? signatures : higherOrderSignatures(declared);
}

export type CalleeWithSignature = Exclude<Callee, { readonly kind: 'higherOrder' }>;

type Overload = Pick<Signature, 'parameters' | 'result'>;

function signatureOf(callee: CalleeWithSignature): Overload {
  return callee.kind === 'library' ? callee.signature : callee.function;
}

/** The function that a declared name refers to with these arguments. */
export type Lookup =
  | { readonly kind: 'match'; readonly callee: CalleeWithSignature }
  | { readonly kind: 'ambiguous'; readonly signatures: readonly Overload[] }
  /** A function of Stan's library that this compiler does not support. */
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'none'; readonly misfits: () => readonly Misfit[] };

/** Overload resolution among the user's and the library's functions of a name together. */
export function lookUp(environment: Environment, declared: string, args: readonly Argument[]): Lookup {
  const own = environment.functions(declared);
  const library = librarySignatures(environment, declared);
  const candidates: readonly (UserFunction | Signature)[] = own.length === 0 ? library : [...own, ...library];
  const resolution = resolveOverload(candidates, args);
  switch (resolution.kind) {
    case 'match': {
      const { signature } = resolution;
      return {
        kind: 'match',
        callee: 'declaredAt' in signature ? { kind: 'user', function: signature } : { kind: 'library', signature },
      };
    }
    case 'ambiguous':
      return resolution;
    case 'none':
      return library.length === 0 && environment.library.isKnownButUnsupported(declared)
        ? { kind: 'unsupported' }
        : { kind: 'none', misfits: () => misfitsOf([...own, ...inStansOrder(declared, library)], args) };
  }
}
