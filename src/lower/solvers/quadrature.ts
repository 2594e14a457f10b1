import type { Typed } from '../../check/typed.js';
import { scalarOf } from '../../functions/broadcast.js';
import type { Requirement } from '../../functions/checks.js';
import { levelOf, scalar } from '../../ir/builder.js';
import { compare, isFiniteReal, or, real } from '../../ir/expressions.js';
import type { Value } from '../../ir/value.js';
import { DEFAULT_TOLERANCE, QUADRATURE } from '../../solvers/quadrature.js';
import type { CallShape } from '../../syntax/ast.js';
import type { Lowering } from '../lowering.js';
import { checkScalar } from './arguments.js';
import { callbackOf, hold, lowerFrom, refuse, variesHere } from './callback.js';
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

const noMoreThan: Requirement = {
  holds: (x, [upper]) => compare('le', x, upper),
  must: 'less than or equal to {0:f}',
  values: ([upper]) => [upper],
  reads: [0],
};
