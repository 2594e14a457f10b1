import type { Typed } from '../check/typed.js';
import type { Value } from '../ir/value.js';
import { isLaplace } from '../language/higher-order.js';
import type { Type } from '../language/types.js';
import { ALGEBRAIC_SOLVERS } from '../solvers/algebraic.js';
import { ODE_SOLVERS } from '../solvers/ode.js';
import type { CallShape } from '../syntax/ast.js';
import type { Lowering } from './lowering.js';
import { lowerAlgebraic } from './solvers/algebraic.js';
import { lowerDae } from './solvers/dae.js';
import { lowerLaplace } from './solvers/laplace.js';
import { lowerMapRect } from './solvers/map-rect.js';
import { lowerAdjointOde, lowerOde } from './solvers/ode.js';
import { INTEGRALS, lowerIntegral, lowerVariadicIntegral } from './solvers/quadrature.js';
import { lowerReduceSum } from './solvers/reduce-sum.js';
import { unsupported } from './unsupported.js';

type Lower = (lowering: Lowering, call: CallShape<Typed>, name: string, type: Type) => Value;

/** How each function is lowered, by name without `_tol`. */
const LOWERED: ReadonlyMap<string, Lower> = new Map<string, Lower>([
  ...[...ODE_SOLVERS].map(([solver, row]): [string, Lower] => [
    solver,
    (lowering, call, name, type) => lowerOde(lowering, call, name, row, type),
  ]),
  ...[...ALGEBRAIC_SOLVERS].map(([solver, row]): [string, Lower] => [
    solver,
    (lowering, call, name) => lowerAlgebraic(lowering, call, name, row),
  ]),
  ['ode_adjoint_tol_ctl', (lowering, call, _, type) => lowerAdjointOde(lowering, call, type)],
  ['dae', lowerDae],
  ['integrate_1d', (lowering, call) => lowerIntegral(lowering, call)],
  ...[...INTEGRALS].map(([integral, row]): [string, Lower] => [
    integral,
    (lowering, call, name) => lowerVariadicIntegral(lowering, call, name, row),
  ]),
  ['map_rect', lowerMapRect],
  ['reduce_sum', lowerReduceSum],
  ['reduce_sum_static', lowerReduceSum],
]);

/** Lowers a call of a function that takes functions. */
export function lowerHigherOrder(lowering: Lowering, call: CallShape<Typed>, name: string, type: Type): Value {
  const lower = isLaplace(name) ? lowerLaplace : LOWERED.get(name.replace(/_tol$/, ''));
  return lower === undefined ? unsupported(call.span, `The function ${name} is`) : lower(lowering, call, name, type);
}
