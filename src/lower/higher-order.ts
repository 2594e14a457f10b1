import type { Typed } from '../check/typed.js';
import { scalarOf } from '../functions/broadcast.js';
import { levelOf } from '../ir/builder.js';
import { compare, get, int, ZERO } from '../ir/expressions.js';
import type { Value } from '../ir/value.js';
import { isUnnormalizedName } from '../language/suffixes.js';
import { INT, REAL, type Type } from '../language/types.js';
import { ALGEBRAIC_SOLVERS } from '../solvers/algebraic.js';
import { ODE_SOLVERS } from '../solvers/ode.js';
import type { CallShape } from '../syntax/ast.js';
import { dropsConstants } from './calls.js';
import { lowerExpression } from './expressions.js';
import type { Lowering } from './lowering.js';
import { lowerAlgebraic } from './solvers/algebraic.js';
import { lowerMapRect } from './solvers/map-rect.js';
import { lowerAdjointOde, lowerOde } from './solvers/ode.js';
import { lowerIntegral } from './solvers/quadrature.js';
import { unsupported } from './unsupported.js';
import { callUser } from './user-functions.js';
import { lengthOf, scalarValue } from './values.js';

/** Functions that take functions. `reduce_sum` is one call over the whole slice; the others wait for their solvers. */
export function lowerHigherOrder(lowering: Lowering, call: CallShape<Typed>, name: string, type: Type): Value {
  if (name === 'ode_adjoint_tol_ctl') return lowerAdjointOde(lowering, call, type);
  if (name === 'map_rect') return lowerMapRect(lowering, call);
  if (name === 'integrate_1d') return lowerIntegral(lowering, call);
  const ode = ODE_SOLVERS.get(name.replace(/_tol$/, ''));
  const algebraic = ALGEBRAIC_SOLVERS.get(name.replace(/_tol$/, ''));
  if (algebraic !== undefined) return lowerAlgebraic(lowering, call, name, algebraic);
  if (ode !== undefined) return lowerOde(lowering, call, name, ode, type);
  if (name !== 'reduce_sum' && name !== 'reduce_sum_static') return unsupported(call.span, `The function ${name} is`);
  const { builder } = lowering;
  const [callback, sliced, grain, ...shared] = call.arguments;
  const user =
    callback.kind === 'variable' && callback.symbol?.kind === 'function' ? callback.symbol.function : undefined;
  if (user === undefined) return unsupported(callback.span, 'Library functions as values are');
  const slice = lowerExpression(lowering, sliced);
  const grainSize = scalarOf(lowerExpression(lowering, grain));
  builder.check(compare('gt', grainSize, int(0)), `reduce_sum: grainsize is {0}, but must be positive!`, [grainSize]);
  const args = shared.map((argument) => lowerExpression(lowering, argument));
  const length = lengthOf(slice);
  const total = builder.newLocal('real', 'reduced');
  builder.assign(total, ZERO);
  builder.if(compare('gt', length, int(0)), () => {
    const range = [scalarValue(INT, 'data', int(1)), scalarValue(INT, 'data', length)];
    const dropConstants =
      isUnnormalizedName(callback.kind === 'variable' ? callback.name : '') &&
      dropsConstants(lowering, { ...call, dropsConstants: true });
    const value = callUser(lowering, call, user, [slice, ...range, ...args], dropConstants);
    if (value.kind === 'scalar') builder.assign(total, value.value);
  });
  return scalarValue(REAL, levelOf([slice, ...args]), get(total));
}
