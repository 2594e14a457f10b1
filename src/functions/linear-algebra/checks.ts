import type { Builder } from '../../ir/builder.js';
import { abs, add, compare, int, isNan, not, real, sub } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';

import { checkMatch, columnsOf, rowsOf } from '../shapes.js';

const zero = int(0);
const one = int(1);

/** Checks symmetry with Stan's tolerance of 1e-8. */
export function checkSymmetric(builder: Builder, name: string, argument: string, m: ContainerValue): void {
  const [n] = m.sizes;
  builder.for(zero, n, (i) =>
    builder.for(add(i, one), n, (j) => {
      const upper = builder.bind(m.at(i, j));
      const lower = builder.bind(m.at(j, i));
      builder.check(
        compare('le', abs(sub(upper, lower)), real(1e-8)),
        `${name}: ${argument} is not symmetric. ${argument}[{0},{1}] = {2}, but ${argument}[{1},{0}] = {3}`,
        [add(i, one), add(j, one), upper, lower],
      );
    }),
  );
}

/** Checks that no diagonal element is NaN. `checkSymmetric` rejects NaN in all other elements. */
export function checkDiagonal(builder: Builder, name: string, argument: string, m: ContainerValue): void {
  builder.for(zero, m.sizes[0], (i) => {
    const element = builder.bind(m.at(i, i));
    builder.check(not(isNan(element)), `${name}: ${argument}[{0}, {0}] is {1}, but must be not nan!`, [
      add(i, one),
      element,
    ]);
  });
}

/** `NAME: Columns of A (2) and Rows of B (3) must match in size`. */
export function checkMultiplicable(
  builder: Builder,
  name: string,
  left: readonly [string, ContainerValue],
  right: readonly [string, ContainerValue],
): void {
  const [columns, rows] = [columnsOf(left[1]), rowsOf(right[1])];
  checkMatch(builder, name, `Columns of ${left[0]}`, columns, `Rows of ${right[0]}`, rows);
}

/** Like `checkMultiplicable`, with Stan's message for products without real parameters. */
export function checkFactors(builder: Builder, left: ContainerValue, right: ContainerValue): void {
  const [first, second] = left.type.kind === 'row_vector' && right.type.kind === 'vector' ? ['rv', 'v'] : ['m1', 'm2'];
  checkMultiplicable(builder, 'multiply', [first, left], [second, right]);
}

/** Selects Stan's wording. Some messages name a different function or argument if the value does not depend on parameters. */
export function wordFor<T>(value: Value, words: { readonly data: T; readonly parameters: T }): T {
  return value.level === 'data' ? words.data : words.parameters;
}

/** `NAME: ARGUMENT is 0, but must be positive!` */
export function checkPositive(builder: Builder, name: string, argument: string, n: Expr): void {
  builder.check(compare('gt', n, zero), `${name}: ${argument} is {0}, but must be positive!`, [n]);
}
