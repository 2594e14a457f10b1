import type { Builder } from '../../ir/builder.js';
import { levelOf, pointer } from '../../ir/builder.js';
import { add, int, mul } from '../../ir/expressions.js';
import type { Value } from '../../ir/value.js';
import { MATRIX } from '../../language/types.js';
import { bindOnce, containerOf, scalarOf } from '../broadcast.js';
import type { FunctionEntry } from '../entry.js';
import { rowsOf as family } from '../row.js';
import { checkSquare, fresh, matrixOf, reusable, type Stored, stored } from '../shapes.js';
import { checkMultiplicable } from './checks.js';
import { multiplyMatrices } from './products.js';

const row = family('linear algebra');

function exponentialOf(builder: Builder, value: Value): Stored {
  const a = stored(builder, value);
  const [n] = a.sizes;
  const out = fresh(builder, MATRIX, [n, n], value, 'exponential');
  const work = builder.allocate('real', [n, add(mul(int(19), n), int(1))], 'work');
  builder.kernel('matrix_exp', [pointer(out.ref), pointer(a.ref), pointer(work), n]);
  return out;
}

function checkAction(builder: Builder, name: string, a: Value, b: Value): void {
  checkSquare(builder, name, 'input matrix', containerOf(a));
  checkMultiplicable(builder, name, ['A', containerOf(a)], ['B', containerOf(b)]);
}

/** exp(t A) B. */
function scaledAction(builder: Builder, args: readonly Value[]): Value {
  const [scale, matrix, right] = args;
  checkAction(builder, 'scale_matrix_exp_multiply', matrix, right);
  const t = bindOnce(builder, scalarOf(scale));
  const a = reusable(builder, matrix);
  const [n] = a.sizes;
  const level = levelOf([scale, matrix]);
  const scaled = matrixOf(n, n, { ...a, level }, (i, j) => mul(t, a.at(i, j)));
  return multiplyMatrices(builder, exponentialOf(builder, scaled), right);
}

export const MATRIX_EXPONENTIALS: readonly FunctionEntry[] = [
  row('matrix_exp', 'The matrix exponential.', ['(matrix) => matrix'], (b, [x]) => {
    checkSquare(b, 'matrix_exp', 'input matrix', containerOf(x));
    return exponentialOf(b, x);
  }),
  row('matrix_exp_multiply', 'exp(A) B.', ['(matrix, matrix) => matrix'], (b, [x, right]) => {
    checkAction(b, 'matrix_exp_multiply', x, right);
    return multiplyMatrices(b, exponentialOf(b, x), right);
  }),
  row('scale_matrix_exp_multiply', 'exp(t A) B.', ['(real, matrix, matrix) => matrix'], scaledAction),
];
