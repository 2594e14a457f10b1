import type { Builder } from '../../ir/builder.js';
import { abs, add, and, compare, exp, get, int, log, mul, not, real, sub, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { ensure } from '../ensure.js';
import type { ReadableSlice, Slice, StructuredConstraint, Subject } from './constraint.js';
import { callerText } from './validity.js';

/** All increments are exponentials of free values. The first element is free, or for `positive_ordered` also an exponential. */
function ordered(kind: 'ordered' | 'positive_ordered'): StructuredConstraint {
  const startsPositive = kind === 'positive_ordered';
  const check = startsPositive ? checkPositiveOrdered : checkOrdered;
  const inverse: Subject = startsPositive
    ? { function: 'stan::math::positive_ordered_free', name: ['Positive ordered variable'] }
    : { function: 'stan::math::ordered_free', name: ['Ordered variable'] };
  return {
    freeSizes: ([length]) => [length],
    constrain: (builder, [length], free, out, { jacobian }) => {
      const level = builder.newLocal('real', 'level');
      builder.assign(level, ZERO);
      builder.if(compare('gt', length, int(0)), () => {
        builder.assign(level, startsPositive ? exp(free.read(int(0))) : free.read(int(0)));
        out.write(int(0), get(level));
        if (startsPositive) jacobian?.(free.read(int(0)));
      });
      builder.for(int(1), length, (i) => {
        builder.assign(level, add(get(level), exp(free.read(i))));
        out.write(i, get(level));
        jacobian?.(free.read(i));
      });
    },
    unconstrain: (builder, [length], value, out) => {
      check(builder, length, value, inverse);
      builder.if(compare('gt', length, int(0)), () => {
        const first = value.read(int(0));
        out.write(int(0), startsPositive ? log(first) : first);
      });
      builder.for(int(1), length, (i) => out.write(i, log(sub(value.read(i), value.read(sub(i, int(1)))))));
    },
    correct: (builder, [length], value, rounding) => correctOrdered(builder, length, value, rounding),
    check: (builder, [length], value, subject) => check(builder, length, value, subject),
  };
}

/** Moves elements that rounding errors put at or below their predecessors just above them. */
function correctOrdered(builder: Builder, length: Expr, value: Slice, rounding: Expr): void {
  const before = builder.newLocal('real', 'before');
  builder.assign(before, ZERO);
  builder.each(length, (i) => {
    const x = builder.bind(value.read(i), 'x');
    builder.if(compare('gt', i, int(0)), () => {
      const previous = builder.bind(value.read(sub(i, int(1))), 'previous');
      const isRounded = compare('le', sub(get(before), x), mul(rounding, add(abs(x), abs(get(before)))));
      const least = add(previous, add(mul(real(Number.EPSILON), abs(previous)), real(Number.MIN_VALUE)));
      builder.if(and(compare('le', x, previous), isRounded), () => value.write(i, least));
    });
    builder.assign(before, x);
  });
}

export const ORDERED = ordered('ordered');
export const POSITIVE_ORDERED = ordered('positive_ordered');

function checkPositiveOrdered(builder: Builder, length: Expr, value: ReadableSlice, subject: Subject): void {
  builder.if(compare('gt', length, int(0)), () => {
    const first = value.read(int(0));
    ensure(builder, not(compare('lt', first, ZERO)), [
      callerText(subject),
      ...subject.name,
      ' is not a valid positive_ordered vector. The element at 1 is ',
      first,
      ', but should be positive.',
    ]);
  });
  checkOrdered(builder, length, value, subject);
}

function checkOrdered(builder: Builder, length: Expr, value: ReadableSlice, subject: Subject): void {
  builder.for(int(1), length, (i) => {
    const previous = value.read(sub(i, int(1)));
    ensure(builder, compare('gt', value.read(i), previous), [
      callerText(subject),
      ...subject.name,
      ' is not a valid ordered vector. The element at ',
      add(i, int(1)),
      ' is ',
      value.read(i),
      ', but should be greater than the previous element, ',
      previous,
    ]);
  });
}
