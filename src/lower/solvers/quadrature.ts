import type { Typed } from '../../check/typed.js';
import { containerOf, scalarOf } from '../../functions/broadcast.js';
import type { Requirement } from '../../functions/checks.js';
import { plainGradient } from '../../gradient/plain.js';
import { levelOf, scalar } from '../../ir/builder.js';
import { compare, get, int, isFiniteReal, load, or, real, sub, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { DEFAULT_TOLERANCE, QUADRATURE } from '../../solvers/quadrature.js';
import type { CallShape } from '../../syntax/ast.js';
import type { Lowering } from '../lowering.js';
import type { GivenFunction } from '../scope.js';
import { checkScalar } from './arguments.js';
import { type Callback, callbackOf, hold, lowerFrom, refuse, variesHere } from './callback.js';
import { callMethod } from './method.js';

const NAME = 'integrate_1d';

/** `integrate_1d(f, a, b, theta, x_r, x_i)`, with a relative tolerance at the end or without. */
export function lowerIntegral(lowering: Lowering, call: CallShape<Typed>): Value {
  const { builder } = lowering;
  const [from, to, ...rest] = lowerFrom(lowering, call, 1);
  const [lower, upper] = [from, to].map((limit) => hold(lowering, limit));
  const callback = callbackOf(lowering, call, call.arguments[0], rest.slice(0, 3));
  const [tolerance = scalar(real(DEFAULT_TOLERANCE), 'data')] = rest.slice(3).map((value) => hold(lowering, value));
  checkScalar(builder, NAME, 'lower limit', lower, noMoreThan, [upper]);
  const [a, b] = [lower, upper].map(scalarOf);
  const slopes = slopesOf(lowering, callback);
  const text = `${NAME}: Integration endpoints are both inf`;
  builder.check(or(compare('ne', a, b), isFiniteReal(a)), text);
  return callMethod(lowering, {
    method: QUADRATURE,
    entry: 'integrate',
    args: [lower, upper, tolerance],
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
      refuse_error: ([error]) =>
        refuse(
          lowering,
          'integrate: error estimate of integral ',
          scalarOf(error),
          ' exceeds the given relative tolerance times norm of integral',
        ),
    },
    level: levelOf([lower, upper, ...callback.shared]),
  });
}

/** The integrand with its derivatives by the parameters that are handed on to it, by reverse mode at each node alone. */
interface Slopes {
  readonly size: Expr;
  readonly valueAt: GivenFunction;
  /** The derivative at the last node, by a parameter that is counted from 1. */
  readonly slope: (parameter: Expr) => Value;
  readonly departure: (parameter: Expr) => Value;
}

function given(slopes: Slopes | null): Slopes {
  if (slopes === null) throw new Error('The integrand has no slopes');
  return slopes;
}

/**
 * Null where no derivatives are wanted, where what is written has to be differentiated more than once, and where the integrand's reverse mode needs a tape,
 * a call or a kernel.
 */
function slopesOf(lowering: Lowering, { level, shared, constants, callVarying }: Callback): Slopes | null {
  const { builder } = lowering;
  if (level === 'data' || lowering.scope.phase !== 'logDensity' || lowering.scope.isInJacobian) return null;
  const [varying, constant] = [shared[0], constants[0]].map((value) => builder.materialize(containerOf(value)));
  const [size] = varying.sizes;
  const slopes = builder.allocate('real', [size], 'slopes');
  const [x, distance, value, sum] = ['x', 'distance', 'value', 'sum'].map((name) => builder.newLocal('real', name));
  const { inlined } = lowering.called;
  const body = builder.capture(() => {
    const node = [x, distance].map((local) => scalar(get(local), 'data'));
    builder.assign(value, scalarOf(callVarying(node)));
  });
  const reverse = plainGradient(builder.names, body, value, constant.ref, slopes, sum);
  if (reverse === null) {
    // What has been inlined is not used.
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
      return scalar(sub(load(varying.ref, p), load(constant.ref, p)), 'autodiff');
    },
  };
}

const noMoreThan: Requirement = {
  holds: (x, [upper]) => compare('le', x, upper),
  must: 'less than or equal to {0:f}',
  values: ([upper]) => [upper],
  reads: [0],
};
