import type { Callee, CumulativeCallees, Typed, TypedExpression } from '../check/typed.js';
import { scalarOf } from '../functions/broadcast.js';
import { REFLECTIONS } from '../functions/densities/truncation.js';
import type { Sink } from '../functions/entry.js';
import { levelOf } from '../ir/builder.js';
import { add, compare, get, int, real, select, sub, toReal } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { REAL, rankOf, showType } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { TildeStatement } from '../syntax/ast.js';
import { visitExpression } from '../syntax/walk.js';
import { addCall, argumentsOf } from './calls.js';
import { buildCall, libraryCall } from './library-calls.js';
import type { Lowering } from './lowering.js';
import { addElements, negated, TARGET } from './sinks.js';
import { meaningless, unsupported } from './unsupported.js';
import { callUser } from './user-functions.js';
import { isRepeatable, promoteValue, scalarValue } from './values.js';

/**
 * Adds an expression to a sink term by term: splits sums into their terms, lets densities write their own loops, and adds the elements of
 * containers one by one. A sum that reads `target()` is computed first, so that it reads the value without its own terms.
 */
export function addExpression(lowering: Lowering, e: TypedExpression, sink: Sink): void {
  const summands: Summand[] = [];
  collectSummands(e, false, summands);
  if (summands.length > 1 && summands.some(({ value }) => readsTarget(value))) {
    addElements(lowering, lowering.expression(e), sink);
    return;
  }
  for (const { negative, value } of summands) addSummand(lowering, value, negative ? negated(sink) : sink);
}

interface Summand {
  readonly value: TypedExpression;
  readonly negative: boolean;
}

/** Collects expressions whose elements, with their signs, have the same sum as the elements of `e`, in the order of evaluation. */
function collectSummands(e: TypedExpression, negative: boolean, summands: Summand[]): void {
  const isScalar = e.type.kind === 'real';
  if (e.kind === 'parenthesis') collectSummands(e.inner, negative, summands);
  else if (isScalar && e.kind === 'binary' && (e.operator === '+' || e.operator === '-')) {
    collectSummands(e.left, negative, summands);
    collectSummands(e.right, e.operator === '+' ? negative : !negative, summands);
  } else if (isScalar && e.kind === 'prefix' && e.operator === '-') collectSummands(e.operand, !negative, summands);
  else if (isScalar && e.kind === 'call' && e.callee.kind === 'library' && e.callee.signature.name === 'sum') {
    collectSummands(e.arguments[0], negative, summands);
  } else if (e.kind === 'transpose' && (e.type.kind === 'vector' || e.type.kind === 'row_vector')) {
    collectSummands(e.operand, negative, summands);
  } else if (e.kind === 'rowVectorLiteral' && e.type.kind === 'row_vector') {
    for (const element of e.elements) collectSummands(element, negative, summands);
  } else summands.push({ value: e, negative });
}

/** Whether the expression reads `target()`, or calls a function that may. */
function readsTarget(e: TypedExpression): boolean {
  let reads = false;
  visitExpression(e, {
    expression: (node) => {
      const callee = node.kind === 'call' ? node.callee : undefined;
      if (node.kind === 'targetValue' || (callee?.kind === 'user' && callee.function.suffix === 'lp')) reads = true;
    },
    statement: () => {},
  });
  return reads;
}

function addSummand(lowering: Lowering, e: TypedExpression, sink: Sink): void {
  if (e.kind === 'call' && addCall(lowering, e, e.type, sink)) return;
  const value = lowering.expression(e);
  if (value.kind === 'composite') {
    const found = `A value of type ${showType(e.type)} cannot be added to target`;
    meaningless(e.span, `${found}: stanc accepts this, but the C++ compiler rejects it. Add real numbers.`);
  }
  addElements(lowering, value, sink);
}

/** `y ~ f(a, b) T[l, u]`: the density without its constants, then minus the normalization of the truncation. */
export function lowerTilde(lowering: Lowering, statement: TildeStatement<Typed>): void {
  const { variate, truncation } = statement;
  const site = { ...statement, function: statement.distribution, arguments: [variate, ...statement.arguments] };
  if (truncation === undefined) {
    if (!addCall(lowering, site, REAL, TARGET)) {
      const { callee } = statement;
      if (callee.kind !== 'library') unsupported(statement.span, 'This distribution is');
      else {
        const value = libraryCall(
          lowering,
          statement.span,
          callee.signature.name,
          argumentsOf(lowering, site),
          REAL,
          true,
        );
        addElements(lowering, value, TARGET);
      }
    }
    return;
  }
  addCall(lowering, site, REAL, TARGET);
  truncate(lowering, statement);
}

/** Source: Stan Reference Manual, "Truncated distributions"; bounds of integer distributions are inclusive. */
function truncate(lowering: Lowering, statement: TildeStatement<Typed>): void {
  const { builder } = lowering;
  const { variate, truncation, truncationCallees: callees, span } = statement;
  const lower = truncation?.lower && lowerBound(lowering, truncation.lower);
  const upper = truncation?.upper && lowerBound(lowering, truncation.upper);
  const outcome = lowering.expression(variate);
  const args = argumentsOf(lowering, { arguments: statement.arguments });
  const times = args.some((arg) => arg.kind === 'container') || outcome.kind !== 'container' ? null : outcome.sizes[0];
  const subtractMass = (mass: Expr): void =>
    builder.target(times === null ? sub(real(0), mass) : sub(real(0), mulCount(times, mass)));

  const inclusive = (bound: Value): Value =>
    isDiscrete(statement.callee) ? scalarValue(bound.type, 'data', add(scalarOf(bound), int(-1))) : bound;
  const inside = (): void => {
    if (lower !== undefined && upper !== undefined && callees?.lower !== undefined && callees.upper !== undefined) {
      const { upper: cumulative } = callees;
      const least = inclusive(lower);
      const isAlone =
        lowering.scope.frame === null &&
        lowering.scope.loops.length === 0 &&
        args.every((arg) => arg.kind === 'scalar');
      eachArgument(lowering, args, span, (row) => {
        logBetween(lowering, span, cumulative, [least, upper], row, isAlone, subtractMass);
      });
    } else if (lower !== undefined && callees?.lower !== undefined) {
      subtractMass(scalarOf(callCumulative(lowering, span, callees.lower.lccdf, [inclusive(lower), ...args])));
    } else if (upper !== undefined && callees?.upper !== undefined) {
      subtractMass(scalarOf(callCumulative(lowering, span, callees.upper.lcdf, [upper, ...args])));
    }
  };
  const outside = (): void => builder.target(real(Number.NEGATIVE_INFINITY));
  const belowUpper = (): void => {
    if (upper === undefined) inside();
    else builder.if(compare('gt', extreme(lowering, outcome, 'gt'), scalarOf(upper)), outside, inside);
  };
  if (lower === undefined) belowUpper();
  else builder.if(compare('lt', extreme(lowering, outcome, 'lt'), scalarOf(lower)), outside, belowUpper);
}

/**
 * The logarithm of the probability between two bounds. In the upper tail, where the distribution function rounds to 1 at both bounds, it is
 * computed from the reflected interval or from the complementary probabilities.
 */
function logBetween(
  lowering: Lowering,
  span: Span,
  { lcdf, lccdf }: CumulativeCallees,
  bounds: readonly [Value, Value],
  args: readonly Value[],
  isAlone: boolean,
  use: (mass: Expr) => void,
): void {
  const { builder } = lowering;
  const difference = (more: Value, less: Value): void =>
    use(scalarOf(buildCall(lowering, 'log_diff_exp', span, [more, less], REAL)));
  const upTo = (bound: Value, parameters = args): Value => callCumulative(lowering, span, lcdf, [bound, ...parameters]);
  const beyond = (bound: Value): Value => callCumulative(lowering, span, lccdf, [bound, ...args]);
  const [lower, upper] = bounds;
  const level = levelOf([lower, upper, ...args]);
  const reflect = lcdf.kind === 'library' ? REFLECTIONS.get(lcdf.signature.name.replace(/_lcdf$/, '')) : undefined;
  if (reflect !== undefined) {
    const interval = { lower: scalarOf(lower), upper: scalarOf(upper), parameters: args.map(scalarOf) };
    const reflected = reflect(interval, (e) => builder.bind(e, 'reflected'));
    const parameters = reflected.parameters.map((x, k) =>
      x === interval.parameters[k] ? args[k] : scalarValue(REAL, level, x),
    );
    const bound = (e: Expr): Value => scalarValue(REAL, level, e);
    difference(upTo(bound(reflected.upper), parameters), upTo(bound(reflected.lower), parameters));
    return;
  }
  // A condition inside a loop would prevent hoisting the value out of the loop.
  if (lcdf.kind !== 'library' || !isAlone) {
    difference(upTo(upper), upTo(lower));
    return;
  }
  const low = builder.bind(scalarOf(upTo(lower)), 'low');
  builder.if(
    compare('gt', low, real(-Math.LN2)),
    () => difference(beyond(lower), beyond(upper)),
    () => difference(upTo(upper), scalarValue(REAL, level, low)),
  );
}

function mulCount(times: Expr, value: Expr): Expr {
  return { kind: 'apply', type: 'real', op: 'mul', args: [toReal(times), value] };
}

function lowerBound(lowering: Lowering, e: TypedExpression): Value {
  const value = lowering.scalar(e);
  const held = isRepeatable(value) ? value : lowering.builder.bind(value, 'bound');
  return scalarValue(e.type, held.type === 'int' ? 'data' : lowering.level(e.level), held);
}

/** Whether the distribution's outcome is an int, so that a lower bound is itself a possible outcome. */
function isDiscrete(callee: Callee): boolean {
  if (callee.kind === 'user') return callee.function.suffix === 'lpmf';
  return (callee.kind === 'library' ? callee.signature.name : callee.name).endsWith('_lpmf');
}

/** The least (`lt`) or greatest (`gt`) element of the outcome. */
function extreme(lowering: Lowering, outcome: Value, order: 'lt' | 'gt'): Expr {
  if (outcome.kind !== 'container') return scalarOf(outcome);
  const { builder } = lowering;
  const best = builder.newLocal('real', 'extreme');
  builder.assign(best, real(order === 'lt' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY));
  builder.elements(outcome, (element) => {
    const x = toReal(element);
    builder.assign(best, select(compare(order, x, get(best)), x, get(best)));
  });
  return get(best);
}

function callCumulative(lowering: Lowering, span: Span, callee: Callee, args: readonly Value[]): Value {
  if (callee.kind === 'user') {
    const promoted = args.map((arg, i) => promoteValue(arg, callee.function.parameters[i].type));
    return callUser(lowering, { span }, callee.function, promoted, false);
  }
  if (callee.kind !== 'library') return unsupported(span, 'This truncation is');
  const { signature } = callee;
  const promoted = args.map((arg, i) => promoteValue(arg, signature.parameters[i].type));
  return libraryCall(lowering, span, signature.name, promoted, REAL, false);
}

/** Calls `run` once if all arguments are scalars; otherwise once for each element of the containers among them. */
function eachArgument(
  lowering: Lowering,
  args: readonly Value[],
  span: Span,
  run: (row: readonly Value[]) => void,
): void {
  const { builder } = lowering;
  const containers = args.filter((arg): arg is ContainerValue => arg.kind === 'container');
  if (containers.length === 0) {
    run(args);
    return;
  }
  if (containers.some((arg) => rankOf(arg.type) !== 1)) unsupported(span, 'This truncation is');
  builder.each(containers[0].sizes[0], (i) =>
    run(
      args.map((arg) =>
        arg.kind === 'container' ? scalarValue(REAL, arg.level, builder.bind(arg.flat(i), 'x')) : arg,
      ),
    ),
  );
}
