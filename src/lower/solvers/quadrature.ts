import type { Typed } from '../../check/typed.js';
import { scalarOf } from '../../functions/broadcast.js';
import { nonnegative, type Requirement } from '../../functions/checks.js';
import { plainGradient } from '../../gradient/plain.js';
import { levelOf, scalar } from '../../ir/builder.js';
import { compare, get, int, isFiniteReal, load, maxInt, or, real, sub, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import type { Method } from '../../solvers/method.js';
import type { CallShape } from '../../syntax/ast.js';
import type { Lowering } from '../lowering.js';
import type { GivenFunction } from '../scope.js';
import { NOTHING } from '../values.js';
import { checkScalar } from './arguments.js';
import { type Callback, callbackOf, heldTolerances, hold, lowerFrom, refuse, variesHere } from './callback.js';
import { callMethod } from './method.js';
import { packed } from './packed.js';

/** An integral whose extra arguments of any type are passed to the integrand. */
interface Integral {
  readonly name: string;
  readonly method: Method;
  /** Stan's name for the limit of the method. */
  readonly limit: string;
  /** The arguments of the method after the tolerances. */
  readonly limitsOf: (most: Expr) => readonly Expr[];
}

const MOST = 15;

/** Default relative tolerance: the square root of the machine precision. */
const DEFAULT_TOLERANCE = 2 ** -26;

/** Functions by name without `_tol`. */
export const INTEGRALS: ReadonlyMap<string, Integral> = new Map(
  (
    [
      { name: 'integrate_1d_gauss_kronrod', method: 'gauss-kronrod', limit: 'max_depth', limitsOf: (most) => [most] },
      {
        name: 'integrate_1d_double_exponential',
        method: 'double-exponential',
        limit: 'max_refinements',
        // Boost tabulates the nodes of seven refinements and may always use all of them; on a finite interval, it uses one refinement less.
        limitsOf: (most) => {
          const refinements = maxInt(int(7), most);
          return [sub(refinements, int(1)), refinements];
        },
      },
    ] satisfies readonly Integral[]
  ).map((integral) => [integral.name, integral]),
);

/** The values that a call of an integral passes to its method. */
interface Problem {
  readonly name: string;
  readonly method: Method;
  readonly lower: Value;
  readonly upper: Value;
  readonly callback: Callback;
  /** Tolerances and limits of the method. */
  readonly controls: readonly Value[];
  /** Rejects an integral whose error is too large: 0 is the whole integral, 1 its part below zero and 2 its part above zero. */
  readonly refuseError: (error: Expr, piece: 0 | 1 | 2) => void;
}

/** `integrate_1d(f, a, b, theta, x_r, x_i)`, with or without a relative tolerance at the end. */
export function lowerIntegral(lowering: Lowering, call: CallShape<Typed>): Value {
  const [from, to, ...rest] = lowerFrom(lowering, call, 1);
  const [lower, upper] = [from, to].map((limit) => hold(lowering, limit));
  const callback = callbackOf(lowering, call, call.arguments[0], rest.slice(0, 3));
  const [tolerance = number(DEFAULT_TOLERANCE)] = rest.slice(3).map((value) => hold(lowering, value));
  checkScalar(lowering.builder, 'integrate_1d', 'lower limit', lower, noMoreThan, [upper]);
  return integral(lowering, {
    name: 'integrate_1d',
    method: 'double-exponential',
    lower,
    upper,
    callback,
    controls: [tolerance, number(0), count(int(14)), count(int(9))],
    refuseError: (error, piece) => {
      const side = SIDES[piece];
      const text = ` exceeds the given relative tolerance times norm of integral${side}`;
      refuse(lowering, `integrate: error estimate of integral${side} `, error, text);
    },
  });
}

/** `integrate_1d_NAME(f, a, b, …)` and `integrate_1d_NAME_tol(f, a, b, rel_tol, abs_tol, most, …)`. */
export function lowerVariadicIntegral(
  lowering: Lowering,
  call: CallShape<Typed>,
  called: string,
  { name, method, limit, limitsOf }: Integral,
): Value {
  const { builder } = lowering;
  const [from, to, ...rest] = lowerFrom(lowering, call, 1);
  const [lower, upper] = [from, to].map((end) => hold(lowering, end));
  const given = called.endsWith('_tol') ? rest.splice(0, 3) : null;
  const [relative, absolute, most] = heldTolerances(lowering, given, [DEFAULT_TOLERANCE, 0, MOST]);
  const callback = callbackOf(lowering, call, call.arguments[0], rest);
  checkScalar(builder, name, 'lower limit', lower, noMoreThan, [upper]);
  checkScalar(builder, name, limit, most, nonnegative);
  checkScalar(builder, name, 'absolute_tolerance', absolute, nonnegative);
  return integral(lowering, {
    name,
    method,
    lower,
    upper,
    callback,
    controls: [relative, absolute, ...limitsOf(scalarOf(most)).map(count)],
    refuseError: (error, piece) => {
      const exceeded = ' exceeds max(relative_tolerance * L1, absolute_tolerance)';
      const text = `${exceeded}${piece === 0 ? '' : ` for the ${piece === 1 ? 'lower' : 'upper'} piece of the split`}`;
      refuse(lowering, `${name}: error estimate of integral${SIDES[piece]} `, error, text);
    },
  });
}

/** Boost's messages for a value that is not finite, without the value: on a finite interval, on a half line and on the whole line. */
const SINGULAR: readonly (readonly [before: string, after: string])[] = [
  [
    'Error in function tanh_sinh<double>::integrate: The tanh_sinh quadrature evaluated your function at a singular point and got ',
    '. Please narrow the bounds of integration or check your function for singularities.',
  ],
  [
    'Error in function boost::math::quadrature::exp_sinh<double>::integrate: The exp_sinh quadrature evaluated your function at a singular point and returned ',
    '. Please ensure your function evaluates to a finite number over its entire domain.',
  ],
  [
    'Error in function boost::math::quadrature::sinh_sinh<double>::integrate: The sinh_sinh quadrature evaluated your function at a singular point, leading to the value ',
    '.',
  ],
];

const SIDES = ['', ' below zero', ' above zero'] as const;
const number = (x: number): Value => scalar(real(x), 'data');
const count = (n: Expr): Value => scalar(n, 'data');

function integral(lowering: Lowering, problem: Problem): Value {
  const { builder } = lowering;
  const { name, method, lower, upper, callback, controls, refuseError } = problem;
  const [a, b] = [lower, upper].map(scalarOf);
  const slopes = slopesOf(lowering, callback);
  builder.check(or(compare('ne', a, b), isFiniteReal(a)), `${name}: Integration endpoints are both {0}`, [a]);
  return callMethod(lowering, {
    method,
    entry: 'integrate',
    args: [lower, upper, ...controls],
    given: {
      integrand: callback.call,
      detached_integrand: callback.callDetached,
      has_derivatives: variesHere(lowering, callback.level),
      has_slopes: () => scalar(int(slopes === null ? 0 : 1), 'data'),
      slope_count: () => scalar(slopes === null ? int(0) : slopes.size, 'data'),
      value_with_slopes: (args) => given(slopes).valueAt(args),
      slope: ([p]) => given(slopes).slope(scalarOf(p)),
      departure: ([p]) => given(slopes).departure(scalarOf(p)),
      has_varying_lower_limit: variesHere(lowering, lower.level),
      has_varying_upper_limit: variesHere(lowering, upper.level),
      refuse_everywhere: () =>
        refuse(
          lowering,
          'Error in function tanh_sinh<double>::integrate: The tanh_sinh quadrature found your function to be non-finite everywhere! Please check your function for singularities.',
        ),
      refuse_singular: ([found, kind]) => {
        const [value, at] = [scalarOf(found), builder.bind(scalarOf(kind))];
        const [finite, half, whole] = SINGULAR;
        const refuseAt = ([before, after]: readonly [string, string]): void => {
          refuse(lowering, before, value, after);
        };
        builder.if(compare('eq', at, int(1)), () => refuseAt(finite));
        builder.if(compare('eq', at, int(4)), () => refuseAt(whole));
        refuseAt(half);
        return NOTHING;
      },
      refuse_error: ([error, piece]) => {
        const [value, at] = [scalarOf(error), builder.bind(scalarOf(piece))];
        for (const side of [0, 1, 2] as const) {
          builder.if(compare('eq', at, int(side)), () => refuseError(value, side));
        }
        return NOTHING;
      },
    },
    level: levelOf([lower, upper, ...callback.shared]),
  });
}

/** The integrand with its derivatives with respect to the parameters that are passed to it, by reverse mode at each node. */
interface Slopes {
  readonly size: Expr;
  readonly valueAt: GivenFunction;
  /** The derivative at the last node with respect to a parameter, counted from 1. */
  readonly slope: (parameter: Expr) => Value;
  readonly departure: (parameter: Expr) => Value;
}

function given(slopes: Slopes | null): Slopes {
  if (slopes === null) throw new Error('The integrand has no slopes');
  return slopes;
}

/**
 * Null if no derivatives are needed, if the result must be differentiated more than once, or if the integrand's reverse mode needs a tape,
 * a call or a kernel.
 */
function slopesOf(lowering: Lowering, callback: Callback): Slopes | null {
  const { builder } = lowering;
  if (callback.level === 'data' || lowering.scope.phase !== 'logDensity' || lowering.scope.isInJacobian) return null;
  const { size, varying, constant, passedOn } = packed(builder, callback);
  const slopes = builder.allocate('real', [size], 'slopes');
  const [x, distance, value, sum] = ['x', 'distance', 'value', 'sum'].map((name) => builder.newLocal('real', name));
  const { inlined } = lowering.called;
  const callAt = callback.callWith(passedOn);
  const body = builder.capture(() => {
    const node = [x, distance].map((local) => scalar(get(local), 'data'));
    builder.assign(value, scalarOf(callAt(node)));
  });
  const reverse = plainGradient(builder.names, body, value, constant, slopes, sum);
  if (reverse === null) {
    // The statements inlined in this attempt are discarded.
    lowering.called.inlined = inlined;
    return null;
  }
  return {
    size,
    valueAt: (args) => {
      for (const [k, local] of [x, distance].entries()) builder.assign(local, scalarOf(args[k]));
      builder.assign(sum, ZERO);
      builder.each(size, (p) => builder.store(slopes, p, ZERO));
      for (const statement of reverse) builder.emit(statement);
      return scalar(get(sum), 'data');
    },
    slope: (parameter) => scalar(load(slopes, sub(parameter, int(1))), 'data'),
    departure: (parameter) => {
      const p = sub(parameter, int(1));
      return scalar(sub(load(varying, p), load(constant, p)), 'autodiff');
    },
  };
}

const noMoreThan: Requirement = {
  holds: (x, [upper]) => compare('le', x, upper),
  must: 'less than or equal to {0:f}',
  values: ([upper]) => [upper],
  reads: [0],
};
