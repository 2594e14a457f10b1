import { scalarOf } from '../../functions/broadcast.js';
import { finite, greaterThan, positive, positiveFinite, type Requirement, require } from '../../functions/checks.js';
import { checkNotEmpty } from '../../functions/shapes.js';
import { type Builder, elementOf, indexesOf, scalar } from '../../ir/builder.js';
import { add, compare, get, int, isNan, sub } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';

/** Checks of a solver's arguments, with Stan's messages. */

/** Checks that every number of a value is finite; Stan names a container's element by its index. */
export function checkFinite(builder: Builder, name: string, words: string, value: Value): void {
  if (value.kind === 'composite') {
    for (const part of value.parts) checkFinite(builder, name, words, part);
    return;
  }
  if (elementOf(value.type) === 'int') return;
  if (value.kind === 'scalar') {
    require(builder, finite, builder.bind(value.value), { function: name, argument: words });
    return;
  }
  const { type, sizes } = value;
  builder.elements(value, (read, linear) => {
    const element = builder.bind(read);
    const indexes = indexesOf(type, sizes, linear).map((index) => add(index, int(1)));
    const place = type.kind === 'matrix' ? '[{1}, {2}]' : indexes.map((_, k) => `[{${k + 1}}]`).join('');
    builder.check(finite.holds(element, []), `${name}: ${words}${place} is {0}, but must be ${finite.must}`, [
      element,
      ...indexes,
    ]);
  });
}

/** 1 if a number of the values is NaN, else 0. */
export function hasNan(builder: Builder, values: readonly Value[]): Expr {
  const found = builder.newLocal('int', 'found');
  builder.assign(found, int(0));
  const search = (value: Value): void => {
    if (value.kind === 'composite') value.parts.forEach(search);
    else if (value.kind === 'scalar') mark(value.value);
    else builder.elements(value, mark);
  };
  const mark = (x: Expr): void => {
    if (x.type === 'real') builder.if(isNan(x), () => builder.assign(found, int(1)));
  };
  values.forEach(search);
  return get(found);
}

export function checkScalar(
  builder: Builder,
  name: string,
  words: string,
  value: Value,
  requirement: Requirement,
  others: readonly Value[] = [],
): void {
  require(builder, requirement, builder.bind(scalarOf(value)), { function: name, argument: words }, others.map(
    scalarOf,
  ));
}

export function checkHasElements(builder: Builder, name: string, words: string, value: ContainerValue): void {
  checkNotEmpty(builder, name, words, value.sizes[0]);
}

/** Tolerances of an initial value problem, with their requirements. */
export const TOLERANCES: readonly (readonly [words: string, requirement: Requirement])[] = [
  ['relative_tolerance', positiveFinite],
  ['absolute_tolerance', positiveFinite],
  ['max_num_steps', positive],
];

/** Checks that the times of outputs do not decrease and are after the start. */
export function checkTimes(builder: Builder, name: string, initialTime: Value, times: ContainerValue): void {
  checkHasElements(builder, name, 'times', times);
  builder.for(int(1), times.sizes[0], (k) => {
    const [previous, element] = [times.flat(sub(k, int(1))), times.flat(k)];
    builder.check(
      compare('ge', element, previous),
      `${name}: times is not a valid sorted vector. The element at {0} is {1}, but should be greater than or equal to the previous element, {2}`,
      [add(k, int(1)), element, previous],
    );
  });
  checkScalar(builder, name, 'initial time', initialTime, lessThanFirst, [scalar(times.flat(int(0)), 'data')]);
}

const lessThanFirst: Requirement = {
  ...greaterThan(0),
  holds: (x, [first]) => compare('lt', x, first),
  must: 'less than {0:f}',
};
