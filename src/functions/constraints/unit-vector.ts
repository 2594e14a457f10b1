import type { Builder } from '../../ir/builder.js';
import { abs, and, compare, div, mul, neg, ONE, real, sqrt, sub, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { ensure } from '../ensure.js';
import { type ReadableSlice, type Slice, type StructuredConstraint, type Subject, TOLERANCE } from './constraint.js';
import { checkNotEmpty, say } from './validity.js';

export function checkUnitVector(builder: Builder, length: Expr, value: ReadableSlice, subject: Subject): void {
  const norm = squaredNorm(builder, length, value);
  ensure(
    builder,
    compare('le', abs(sub(ONE, norm)), real(TOLERANCE)),
    say(subject, ' is not a valid unit vector. The sum of the squares of the elements should be 1, but is ', norm),
  );
}

function squaredNorm(builder: Builder, length: Expr, value: ReadableSlice): Expr {
  return builder.sum(length, (i) => mul(value.read(i), value.read(i)));
}

/** Scales a vector to length 1 if rounding errors of its elements explain a different length. */
export function correctUnitVector(builder: Builder, length: Expr, value: Slice, rounding: Expr): void {
  const norm = builder.bind(squaredNorm(builder, length, value), 'norm');
  // (1 + rounding)² - 1 < 3 rounding
  builder.if(compare('le', abs(sub(norm, ONE)), mul(mul(real(3), rounding), norm)), () => {
    const scale = builder.bind(div(ONE, sqrt(norm)), 'scale');
    builder.each(length, (i) => value.write(i, mul(value.read(i), scale)));
  });
}

/** A unit vector y / ‖y‖. The log density of a standard normal y replaces the log Jacobian. */
export const UNIT_VECTOR: StructuredConstraint = {
  freeSizes: ([length]) => [length],
  constrain: (builder, [length], free, out, { jacobian, level }) => {
    const caller = level === 'autodiff' ? 'unit_vector' : 'unit_vector_constrain';
    checkNotEmpty(builder, length, { function: caller, name: ['y'] });
    const norm = squaredNorm(builder, length, free);
    if (level === 'data') {
      const isPositiveFinite = and(compare('gt', norm, ZERO), compare('lt', norm, real(Number.POSITIVE_INFINITY)));
      ensure(builder, isPositiveFinite, [`${caller}: norm is `, norm, ', but must be positive finite!']);
    }
    const scale = builder.bind(div(ONE, sqrt(norm)), 'scale');
    builder.each(length, (i) => out.write(i, mul(free.read(i), scale)));
    jacobian?.(neg(mul(real(0.5), norm)));
  },
  unconstrain: (builder, [length], value, out) => {
    const subject: Subject = { function: 'stan::math::unit_vector_free', name: ['Unit vector variable'] };
    checkNotEmpty(builder, length, subject);
    checkUnitVector(builder, length, value, subject);
    builder.each(length, (i) => out.write(i, value.read(i)));
  },
  correct: (builder, [length], value, rounding) => correctUnitVector(builder, length, value, rounding),
  check: (builder, [length], value, subject) => {
    checkNotEmpty(builder, length, subject);
    checkUnitVector(builder, length, value, subject);
  },
};
