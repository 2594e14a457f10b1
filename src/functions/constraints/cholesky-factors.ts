import type { Builder } from '../../ir/builder.js';
import {
  add,
  call1,
  compare,
  div,
  get,
  int,
  mul,
  ONE,
  real,
  sqrt,
  square,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { ensure } from '../ensure.js';
import type { JacobianSink } from '../entry.js';
import type { ReadableSlice, Slice, StructuredConstraint, Subject } from './constraint.js';
import { inRow, partOf } from './slices.js';
import { logTanhSlope, tanhSlope } from './tanh.js';
import { at, contractTriangle, expandTriangle, next, pairs } from './triangle.js';
import { checkUnitVector, correctUnitVector } from './unit-vector.js';
import { callerText, checkSquare, say } from './validity.js';

const half = (x: Expr): Expr => mul(real(0.5), x);

/** Canonical partial correlations row by row. Source: Stan Reference Manual, "Cholesky factors of correlation matrices". */
function constrainCholeskyCorr(
  builder: Builder,
  size: Expr,
  free: ReadableSlice,
  out: Slice,
  jacobian: JacobianSink | null,
): void {
  const rest = builder.newLocal('real', 'rest');
  const logRest = builder.newLocal('real', 'log_rest');
  builder.each(size, (i) => {
    const start = builder.bind(pairs(i), 'start');
    builder.assign(rest, ONE);
    builder.assign(logRest, ZERO);
    builder.each(i, (j) => {
      const y = builder.bind(free.read(add(start, j)), 'y');
      out.write(at(i, j, size), mul(call1('tanh', y), sqrt(get(rest))));
      builder.assign(rest, mul(get(rest), tanhSlope(y)));
      if (jacobian === null) return;
      // The scaling adds ½ log(rest).
      const logSlope = builder.bind(logTanhSlope(y), 'log_slope');
      jacobian(add(logSlope, half(get(logRest))));
      builder.assign(logRest, add(get(logRest), logSlope));
    });
    out.write(at(i, i, size), sqrt(get(rest)));
    builder.for(next(i), size, (j) => out.write(at(i, j, size), ZERO));
  });
}

function unconstrainCholeskyCorr(builder: Builder, size: Expr, value: ReadableSlice, out: Slice): void {
  const rest = builder.newLocal('real', 'rest');
  builder.each(size, (i) => {
    const start = builder.bind(pairs(i), 'start');
    builder.assign(rest, ONE);
    builder.each(i, (j) => {
      const x = builder.bind(value.read(at(i, j, size)), 'x');
      out.write(add(start, j), call1('atanh', div(x, sqrt(get(rest)))));
      builder.assign(rest, sub(get(rest), square(x)));
    });
  });
}

/** Checks that a Cholesky factor of a covariance matrix has at least as many rows as columns. */
export function checkTall(builder: Builder, caller: string, rows: Expr, columns: Expr): void {
  if (rows === columns) return;
  ensure(builder, compare('ge', rows, columns), [
    `${caller}: num rows (must be greater or equal to num cols) is `,
    rows,
    ', but must be greater than or equal to ',
    { value: toReal(columns), format: 'f' },
  ]);
}

function checkLowerTriangular(
  builder: Builder,
  [rows, columns]: readonly Expr[],
  value: ReadableSlice,
  subject: Subject,
): void {
  builder.for(int(1), columns, (j) =>
    builder.each(j, (i) =>
      builder.if(compare('lt', i, rows), () => {
        const x = value.read(at(i, j, rows));
        const place = [...subject.name, '[', next(i), ',', next(j), ']='];
        ensure(builder, compare('eq', x, ZERO), say(subject, ' is not lower triangular; ', ...place, x));
      }),
    ),
  );
}

function checkPositiveDiagonal(builder: Builder, size: Expr, rows: Expr, value: ReadableSlice, subject: Subject): void {
  builder.each(size, (i) => {
    const x = value.read(at(i, i, rows));
    ensure(builder, compare('gt', x, ZERO), say(subject, '[', next(i), '] is ', x, ', but must be positive!'));
  });
}

function checkCholeskyCorr(builder: Builder, sizes: readonly Expr[], value: ReadableSlice, subject: Subject): void {
  const [size] = sizes;
  checkSquare(builder, sizes, subject);
  checkLowerTriangular(builder, sizes, value, subject);
  checkPositiveDiagonal(builder, size, size, value, subject);
  builder.each(size, (i) => checkUnitVector(builder, size, partOf(value, inRow(i, size)), subject));
}

function checkCholeskyCov(builder: Builder, sizes: readonly Expr[], value: ReadableSlice, subject: Subject): void {
  const [rows, columns] = sizes;
  if (rows !== columns) {
    ensure(builder, compare('le', columns, rows), [
      `${callerText(subject)}columns and rows of Cholesky factor is `,
      columns,
      ', but must be less than or equal to ',
      { value: toReal(rows), format: 'f' },
    ]);
  }
  ensure(builder, compare('gt', columns, int(0)), [
    `${callerText(subject)}columns of Cholesky factor is `,
    columns,
    ', but must be positive!',
  ]);
  checkLowerTriangular(builder, sizes, value, subject);
  checkPositiveDiagonal(builder, columns, rows, value, subject);
}

export const CHOLESKY_FACTOR_CORR: StructuredConstraint = {
  freeSizes: ([size]) => [pairs(size)],
  constrain: (builder, [size], free, out, { jacobian }) => constrainCholeskyCorr(builder, size, free, out, jacobian),
  unconstrain: (builder, sizes, value, out) => {
    checkCholeskyCorr(builder, sizes, value, { function: 'cholesky_corr_free', name: ['x'] });
    unconstrainCholeskyCorr(builder, sizes[0], value, out);
  },
  correct: (builder, [size], value, rounding) =>
    builder.each(size, (i) => correctUnitVector(builder, size, partOf(value, inRow(i, size)), rounding)),
  check: checkCholeskyCorr,
};

export const CHOLESKY_FACTOR_COV: StructuredConstraint = {
  freeSizes: ([rows, columns]) => [add(pairs(next(columns)), mul(sub(rows, columns), columns))],
  constrain: (builder, sizes, free, out, { jacobian }) => {
    checkTall(builder, 'cholesky_factor_constrain', sizes[0], sizes[1]);
    expandTriangle(builder, sizes, free, out, (_, x) => jacobian?.(x));
  },
  unconstrain: (builder, sizes, value, out) => {
    checkCholeskyCov(builder, sizes, value, { function: 'cholesky_factor_free', name: ['y'] });
    contractTriangle(builder, sizes, value, out);
  },
  check: checkCholeskyCov,
};
