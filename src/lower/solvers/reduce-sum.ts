import type { Typed } from '../../check/typed.js';
import { scalarOf } from '../../functions/broadcast.js';
import { levelOf } from '../../ir/builder.js';
import { compare, get, int, ZERO } from '../../ir/expressions.js';
import type { Value } from '../../ir/value.js';
import { isUnnormalizedName } from '../../language/suffixes.js';
import { INT, REAL } from '../../language/types.js';
import type { CallShape } from '../../syntax/ast.js';
import { dropsConstants } from '../library-calls.js';

import type { Lowering } from '../lowering.js';
import { lengthOf, scalarValue } from '../values.js';
import { functionOf } from './callback.js';

/** `reduce_sum(f, x, grainsize, …)`: one call over the whole slice, as a chain has one thread. */
export function lowerReduceSum(lowering: Lowering, call: CallShape<Typed>): Value {
  const { builder } = lowering;
  const [callback, sliced, grain, ...shared] = call.arguments;
  const invoke = functionOf(lowering, call, callback);
  const slice = lowering.expression(sliced);
  const grainSize = scalarOf(lowering.expression(grain));
  builder.check(compare('gt', grainSize, int(0)), `reduce_sum: grainsize is {0}, but must be positive!`, [grainSize]);
  const args = shared.map((argument) => lowering.expression(argument));
  const length = lengthOf(slice);
  const total = builder.newLocal('real', 'reduced');
  builder.assign(total, ZERO);
  builder.if(compare('gt', length, int(0)), () => {
    const range = [scalarValue(INT, 'data', int(1)), scalarValue(INT, 'data', length)];
    const dropConstants =
      isUnnormalizedName(callback.kind === 'variable' ? callback.name : '') &&
      dropsConstants(lowering, { ...call, dropsConstants: true });
    const value = invoke([slice, ...range, ...args], dropConstants);
    if (value.kind === 'scalar') builder.assign(total, value.value);
  });
  return scalarValue(REAL, levelOf([slice, ...args]), get(total));
}
