import type { Builder } from '../../ir/builder.js';
import {
  abs,
  add,
  and,
  call1,
  compare,
  div,
  get,
  int,
  isNan,
  log,
  mul,
  not,
  ONE,
  or,
  real,
  sqrt,
  square,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { ensure } from '../ensure.js';
import { type ReadableSlice, type Slice, type StructuredConstraint, type Subject, TOLERANCE } from './constraint.js';
import { type Scratch, scratch } from './slices.js';
import { logTanhSlope, tanhSlope } from './tanh.js';
import { at, contractTriangle, expandTriangle, next, pairs } from './triangle.js';
import { checkNotEmpty, checkSquare, say } from './validity.js';

const zeros = (builder: Builder, size: Expr): Scratch => scratch(builder, [size, size], 'factor', 'zero');

/** The start of column j in a strict lower triangle that is stored column by column, minus j + 1. */
function columnStart(size: Expr, j: Expr): Expr {
  return sub(mul(j, size), add(pairs(next(j)), next(j)));
}

function multiplySelfTranspose(builder: Builder, size: Expr, factor: Scratch, out: Slice): void {
  if (out.address !== undefined) {
    builder.kernel('tcrossprod', [out.address, factor.address, size, size]);
    return;
  }
  const product = scratch(builder, [size, size], 'product');
  builder.kernel('tcrossprod', [product.address, factor.address, size, size]);
  builder.each(mul(size, size), (i) => out.write(i, product.read(i)));
}

/** The Cholesky factor of a positive definite matrix. Reads only the lower triangle. */
function cholesky(
  builder: Builder,
  size: Expr,
  read: (i: Expr, j: Expr) => Expr,
  out: Slice,
  checkPivot: (pivot: Expr) => void = () => {},
): void {
  builder.each(size, (j) => {
    const taken = builder.sum(j, (k) => square(out.read(at(j, k, size))));
    const pivot = builder.bind(sub(read(j, j), taken), 'pivot');
    checkPivot(pivot);
    const diagonal = builder.bind(sqrt(pivot), 'diagonal');
    out.write(at(j, j, size), diagonal);
    builder.for(next(j), size, (i) => {
      const rest = builder.sum(j, (k) => mul(out.read(at(i, k, size)), out.read(at(j, k, size))));
      out.write(at(i, j, size), div(sub(read(i, j), rest), diagonal));
    });
  });
}

function checkPositiveDefinite(builder: Builder, sizes: readonly Expr[], value: Slice, subject: Subject): void {
  const [size] = sizes;
  checkSquare(builder, sizes, subject);
  builder.each(size, (i) =>
    builder.for(next(i), size, (j) => {
      const upper = value.read(at(i, j, size));
      const lower = value.read(at(j, i, size));
      const here = [...subject.name, '[', next(i), ',', next(j), '] = ', upper];
      const there = [...subject.name, '[', next(j), ',', next(i), '] = ', lower];
      ensure(
        builder,
        compare('le', abs(sub(upper, lower)), real(TOLERANCE)),
        say(subject, ' is not symmetric. ', ...here, ', but ', ...there),
      );
    }),
  );
  const empty = say(subject, ' must have a positive size, but is ', size, '; dimension size expression = rows');
  ensure(builder, compare('gt', size, int(0)), empty, 'error');
  builder.each(size, (j) =>
    builder.each(size, (i) => {
      const words = say(subject, '[', next(i), ', ', next(j), '] is nan, but must be not nan!');
      ensure(builder, not(isNan(value.read(at(i, j, size)))), words);
    }),
  );
  if (value.address === undefined) throw new Error('The matrix needs an address');
  const status = builder.kernelResult('int', 'cholesky', [zeros(builder, size).address, value.address, size]);
  const isLarge = or(compare('gt', size, int(1)), compare('gt', value.read(int(0)), real(TOLERANCE)));
  ensure(builder, and(compare('eq', status, int(0)), isLarge), say(subject, ' is not positive definite.'));
}

/** A matrix is corrected if a pivot is at most this multiple of the correction: other factorizations of it may fail. */
const NEARLY_SINGULAR = 1000;
/** Smaller corrections are always made. */
const NEGLIGIBLE = 1e-12;

/**
 * Makes a matrix symmetric and positive definite if rounding errors explain that it is not. Rounding changes D⁻½ A D⁻½, where D is the
 * diagonal, by a matrix of norm at most `size` × `rounding`; scaling the other elements of A adds as much to its smallest eigenvalue, and
 * what the factorization loses (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, theorem 10.7).
 */
function correctPositiveDefinite(builder: Builder, [size]: readonly Expr[], value: Slice, rounding: Expr): void {
  builder.each(size, (i) =>
    builder.for(next(i), size, (j) => {
      const upper = builder.bind(value.read(at(i, j, size)), 'upper');
      const lower = builder.bind(value.read(at(j, i, size)), 'lower');
      builder.if(compare('le', abs(sub(upper, lower)), mul(rounding, add(abs(upper), abs(lower)))), () => {
        const middle = builder.bind(mul(real(0.5), add(upper, lower)), 'middle');
        value.write(at(i, j, size), middle);
        value.write(at(j, i, size), middle);
      });
    }),
  );
  if (value.address === undefined) throw new Error('The matrix needs an address');
  const factor = zeros(builder, size);
  const status = builder.kernelResult('int', 'cholesky', [factor.address, value.address, size]);
  const lost = mul(toReal(next(size)), real(Number.EPSILON));
  const shift = builder.bind(mul(toReal(size), add(rounding, lost)), 'shift');
  const isSingular = builder.newLocal('int', 'is_singular');
  builder.assign(isSingular, or(not(compare('eq', status, int(0))), compare('lt', shift, real(NEGLIGIBLE))));
  builder.each(size, (i) => {
    const pivot = square(factor.read(at(i, i, size)));
    const isSmall = compare('lt', pivot, mul(mul(real(NEARLY_SINGULAR), shift), value.read(at(i, i, size))));
    builder.assign(isSingular, or(get(isSingular), isSmall));
  });
  builder.if(get(isSingular), () => {
    const scale = builder.bind(div(ONE, add(ONE, shift)), 'scale');
    builder.each(size, (i) =>
      builder.each(i, (j) => {
        const element = builder.bind(mul(value.read(at(i, j, size)), scale), 'element');
        value.write(at(i, j, size), element);
        value.write(at(j, i, size), element);
      }),
    );
  });
}

export const COV_MATRIX: StructuredConstraint = {
  freeSizes: ([size]) => [pairs(next(size))],
  constrain: (builder, [size], free, out, { jacobian }) => {
    const factor = zeros(builder, size);
    expandTriangle(builder, [size, size], free, factor, (row, x) =>
      jacobian?.(add(real(Math.LN2), mul(toReal(next(sub(size, row))), x))),
    );
    multiplySelfTranspose(builder, size, factor, out);
  },
  unconstrain: (builder, sizes, value, out) => {
    const [size] = sizes;
    checkPositiveDefinite(builder, sizes, value, { function: 'cov_matrix_free', name: ['y'] });
    const factor = zeros(builder, size);
    cholesky(builder, size, (i, j) => value.read(at(i, j, size)), factor);
    contractTriangle(builder, [size, size], factor, out);
  },
  correct: correctPositiveDefinite,
  check: checkPositiveDefinite,
  anonymousInArrays: true,
};

/**
 * Canonical partial correlations by columns (C-vine); those of Cholesky factors are by rows. Source: Lewandowski, Kurowicka and Joe (2009),
 * equation 11; Stan Reference Manual, "Correlation matrices".
 */
export const CORR_MATRIX: StructuredConstraint = {
  freeSizes: ([size]) => [pairs(size)],
  constrain: (builder, [size], free, out, { jacobian }) => {
    const factor = zeros(builder, size);
    const rest = ones(builder, size);
    builder.each(size, (j) => {
      const start = builder.bind(columnStart(size, j), 'start');
      factor.write(at(j, j, size), sqrt(rest.read(j)));
      builder.for(next(j), size, (i) => {
        const y = builder.bind(free.read(add(start, i)), 'y');
        const before = builder.bind(rest.read(i), 'before');
        factor.write(at(i, j, size), mul(call1('tanh', y), sqrt(before)));
        rest.write(i, mul(before, tanhSlope(y)));
        // The weight of log(1 - tanh²): 1 for the derivative of tanh, and (K - j - 2) / 2 for the correlation matrix.
        const weight = add(ONE, mul(real(0.5), toReal(sub(sub(size, j), int(2)))));
        jacobian?.(mul(weight, logTanhSlope(y)));
      });
    });
    multiplySelfTranspose(builder, size, factor, out);
  },
  unconstrain: (builder, sizes, value, out) => {
    const [size] = sizes;
    const subject: Subject = { function: 'corr_matrix_free', name: ['y'] };
    checkSquare(builder, sizes, subject);
    checkNotEmpty(builder, size, subject);
    const deviation = scratch(builder, [size], 'deviation');
    const isFactored = (condition: Expr): void =>
      builder.if(
        condition,
        () => {},
        () => rejectMatrix(builder, 'corr_matrix_free: factor_cov_matrix failed on y ', size, value),
      );
    builder.each(size, (i) => {
      const variance = value.read(at(i, i, size));
      isFactored(not(compare('le', variance, ZERO)));
      deviation.write(i, sqrt(variance));
    });
    const factor = zeros(builder, size);
    const correlation = (i: Expr, j: Expr): Expr =>
      i === j ? ONE : div(value.read(at(i, j, size)), mul(deviation.read(i), deviation.read(j)));
    cholesky(builder, size, correlation, factor, (pivot) => isFactored(not(compare('lt', pivot, ZERO))));
    builder.each(size, (i) => {
      const x = log(deviation.read(i));
      const words = [
        'corr_matrix_free: log(sd)[',
        next(i),
        '] is ',
        x,
        ', but must be in the interval [-1e-08, 1e-08]',
      ];
      ensure(builder, compare('le', abs(x), real(TOLERANCE)), words);
    });
    const rest = ones(builder, size);
    builder.each(size, (j) => {
      const start = builder.bind(columnStart(size, j), 'start');
      builder.for(next(j), size, (i) => {
        const before = builder.bind(rest.read(i), 'before');
        const z = builder.bind(div(factor.read(at(i, j, size)), sqrt(before)), 'z');
        out.write(add(start, i), call1('atanh', z));
        rest.write(i, mul(before, sub(ONE, square(z))));
      });
    });
  },
  correct: correctPositiveDefinite,
  check: (builder, sizes, value, subject) => {
    const [size] = sizes;
    checkSquare(builder, sizes, subject);
    builder.if(compare('gt', size, int(0)), () => {
      builder.each(size, (k) => {
        const x = value.read(at(k, k, size));
        const place = [...subject.name, '(', next(k), ',', next(k), ') is '];
        const words = say(subject, ' is not a valid correlation matrix. ', ...place, x, ', but should be near 1.0');
        ensure(builder, compare('le', abs(sub(x, ONE)), real(TOLERANCE)), words);
      });
      checkPositiveDefinite(builder, sizes, value, subject);
    });
  },
  anonymousInArrays: true,
};

function rejectMatrix(builder: Builder, words: string, size: Expr, value: ReadableSlice): void {
  const matrix = builder.allocate('real', [size, size], 'shown');
  builder.each(mul(size, size), (i) => builder.store(matrix, i, value.read(i)));
  builder.reject(
    [
      { kind: 'text', text: words },
      { kind: 'container', ref: matrix, element: 'matrix', aligned: true },
    ],
    false,
  );
}

function ones(builder: Builder, size: Expr): Scratch {
  const rest = scratch(builder, [size], 'rest');
  builder.each(size, (i) => rest.write(i, ONE));
  return rest;
}
