import type { Builder } from '../ir/builder.js';
import { scalar } from '../ir/builder.js';
import { tupleOf } from '../ir/composite.js';
import { int, real } from '../ir/expressions.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { bindOnce, containerOf, scalarOf } from './broadcast.js';
import type { FunctionEntry } from './entry.js';
import { rowsOf as family } from './row.js';
import { vectorOf } from './shapes.js';

/**
 * Defaults of Stan's Laplace approximation: tolerance, maximum number of steps, solver, maximum number of line search steps, and whether to
 * fall through to further solvers.
 */
function withDefaults(start: ContainerValue): Value {
  const defaults = [real(1.49012e-8), int(500), int(1), int(1000), int(1)];
  return tupleOf([start, ...defaults.map((value) => scalar(value, 'data'))]);
}

function zeros(builder: Builder, size: Value): ContainerValue {
  return vectorOf(bindOnce(builder, scalarOf(size)), size, () => real(0));
}

export const LAPLACE_OPTIONS: readonly FunctionEntry[] = [
  family('Laplace approximation')(
    'generate_laplace_options',
    'The default options of the Laplace approximation, which starts at a vector of zeros of the given size or at the given vector.',
    ['(int | vector) => tuple(vector, real, int, int, int, int)'],
    (b, [x]) => withDefaults(x.kind === 'scalar' ? zeros(b, x) : containerOf(x)),
  ),
];
