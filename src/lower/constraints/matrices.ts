import { type Builder, pointer } from '../../ir/builder.js';
import {
  abs,
  add,
  call1,
  compare,
  div,
  exp,
  get,
  int,
  isNan,
  load,
  log,
  log1p,
  mul,
  neg,
  not,
  ONE,
  real,
  sqrt,
  square,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import { applyOp } from '../../ir/ops.js';
import { ensure, type MessagePart } from '../failure.js';
import { type JacobianSink, type Slice, type StructuredConstraint, type Subject, TOLERANCE } from './constraint.js';

const at = (i: Expr, j: Expr, rows: Expr): Expr => add(mul(j, rows), i);
const log1m = (x: Expr): Expr => log1p(neg(x));
const half = (x: Expr): Expr => mul(real(0.5), x);
const next = (i: Expr): Expr => add(i, int(1));

/** k (k − 1) / 2 */
function pairs(k: Expr): Expr {
  return applyOp('div_int', mul(k, sub(k, int(1))), int(2));
}

interface Scratch extends Slice {
  readonly address: KernelArgument;
}

function scratch(builder: Builder, rows: Expr, columns: Expr): Scratch {
  const ref = builder.allocate('real', [rows, columns], 'factor', 'zero');
  return { read: (i) => load(ref, i), write: (i, value) => builder.store(ref, i, value), address: pointer(ref) };
}

/** Where the free elements of column j of a strict lower triangle begin, stored column by column, less j + 1. */
function columnStart(size: Expr, j: Expr): Expr {
  return sub(mul(j, size), add(pairs(next(j)), next(j)));
}

/** Canonical partial correlations row by row. Source: Stan Reference Manual, "Cholesky factors of correlation matrices". */
function constrainCholeskyCorr(
  builder: Builder,
  size: Expr,
  free: Slice,
  out: Slice,
  jacobian: JacobianSink | null,
): void {
  const rest = builder.newLocal('real', 'rest');
  builder.for(int(0), size, (i) => {
    const start = builder.bind(pairs(i), 'start');
    builder.assign(rest, ONE);
    builder.for(int(0), i, (j) => {
      const z = builder.bind(call1('tanh', free.read(add(start, j))), 'z');
      const x = builder.bind(mul(z, sqrt(get(rest))), 'x');
      out.write(at(i, j, size), x);
      // log(1 − z²) of tanh, and ½ log(rest) for the scaling
      jacobian?.(add(log1m(square(z)), half(log(get(rest)))));
      builder.assign(rest, sub(get(rest), square(x)));
    });
    out.write(at(i, i, size), sqrt(get(rest)));
    builder.for(next(i), size, (j) => out.write(at(i, j, size), ZERO));
  });
}

function unconstrainCholeskyCorr(builder: Builder, size: Expr, value: Slice, out: Slice): void {
  const rest = builder.newLocal('real', 'rest');
  builder.for(int(0), size, (i) => {
    const start = builder.bind(pairs(i), 'start');
    builder.assign(rest, ONE);
    builder.for(int(0), i, (j) => {
      const x = builder.bind(value.read(at(i, j, size)), 'x');
      out.write(add(start, j), call1('atanh', div(x, sqrt(get(rest)))));
      builder.assign(rest, sub(get(rest), square(x)));
    });
  });
}

/**
 * Runs over the free elements of a lower triangle row by row and then of full rows: those below the diagonal, those on
 * it, and the places above it, which are not free.
 */
function eachTriangular(
  builder: Builder,
  [rows, columns]: readonly Expr[],
  below: (place: Expr, free: Expr) => void,
  diagonal: (row: Expr, place: Expr, free: Expr) => void,
  above: (place: Expr) => void,
): void {
  builder.for(int(0), columns, (i) => {
    const start = builder.bind(pairs(next(i)), 'start');
    builder.for(int(0), i, (j) => below(at(i, j, rows), add(start, j)));
    diagonal(i, at(i, i, rows), add(start, i));
    builder.for(next(i), columns, (j) => above(at(i, j, rows)));
  });
  if (rows === columns) return;
  builder.for(columns, rows, (i) => {
    const start = builder.bind(add(pairs(next(columns)), mul(sub(i, columns), columns)), 'start');
    builder.for(int(0), columns, (j) => below(at(i, j, rows), add(start, j)));
  });
}

/** A lower triangle with a log diagonal. */
function constrainCholeskyCov(
  builder: Builder,
  sizes: readonly Expr[],
  free: Slice,
  out: Slice,
  diagonal: (row: Expr, logValue: Expr) => void,
): void {
  eachTriangular(
    builder,
    sizes,
    (place, k) => out.write(place, free.read(k)),
    (row, place, k) => {
      const x = builder.bind(free.read(k), 'x');
      out.write(place, exp(x));
      diagonal(row, x);
    },
    (place) => out.write(place, ZERO),
  );
}

function unconstrainCholeskyCov(builder: Builder, sizes: readonly Expr[], value: Slice, out: Slice): void {
  eachTriangular(
    builder,
    sizes,
    (place, k) => out.write(k, value.read(place)),
    (_, place, k) => out.write(k, log(value.read(place))),
    () => {},
  );
}

function multiplySelfTranspose(builder: Builder, size: Expr, factor: Scratch, out: Slice): void {
  if (out.address === undefined) throw new Error('The product needs an address');
  builder.kernel('tcrossprod', [out.address, factor.address, size, size]);
}

/** The lower triangular factor of a positive definite matrix. */
function cholesky(builder: Builder, size: Expr, value: Slice, out: Slice): void {
  builder.for(int(0), size, (j) => {
    const pivot = sub(
      value.read(at(j, j, size)),
      builder.sum(j, (k) => square(out.read(at(j, k, size)))),
    );
    const diagonal = builder.bind(sqrt(pivot), 'diagonal');
    out.write(at(j, j, size), diagonal);
    builder.for(next(j), size, (i) => {
      const rest = builder.sum(j, (k) => mul(out.read(at(i, k, size)), out.read(at(j, k, size))));
      out.write(at(i, j, size), div(sub(value.read(at(i, j, size)), rest), diagonal));
    });
  });
}

function say(subject: Subject, ...words: readonly MessagePart[]): MessagePart[] {
  return [`${subject.function}: `, ...subject.name, ...words];
}

function checkSquare(builder: Builder, [rows, columns]: readonly Expr[], subject: Subject): void {
  if (rows === columns) return;
  ensure(
    builder,
    compare('eq', rows, columns),
    [
      `${subject.function}: Expecting a square matrix; rows of `,
      ...subject.name,
      ' (',
      rows,
      ') and columns of ',
      ...subject.name,
      ' (',
      columns,
      ') must match in size',
    ],
    'error',
  );
}

function checkPositiveDefinite(builder: Builder, size: Expr, value: Slice, subject: Subject): void {
  builder.for(int(0), size, (i) =>
    builder.for(next(i), size, (j) => {
      const upper = value.read(at(i, j, size));
      const lower = value.read(at(j, i, size));
      ensure(builder, compare('le', abs(sub(upper, lower)), real(TOLERANCE)), [
        ...say(subject, ' is not symmetric. ', ...subject.name, '[', next(i), ',', next(j), '] = ', upper, ', but '),
        ...subject.name,
        '[',
        next(j),
        ',',
        next(i),
        '] = ',
        lower,
      ]);
    }),
  );
  ensure(builder, compare('gt', size, int(0)), say(subject, ' rows is ', size, ', but must be positive!'));
  builder.for(int(0), mul(size, size), (i) =>
    ensure(builder, not(isNan(value.read(i))), say(subject, '[', next(i), '] is nan, but must not be nan!')),
  );
  if (value.address === undefined) throw new Error('The matrix needs an address');
  const factor = scratch(builder, size, size);
  const status = builder.kernelResult('int', 'cholesky', [factor.address, value.address, size]);
  ensure(builder, compare('eq', status, int(0)), say(subject, ' is not positive definite.'));
}

function checkLowerTriangular(
  builder: Builder,
  [rows, columns]: readonly Expr[],
  value: Slice,
  subject: Subject,
): void {
  builder.for(int(1), columns, (j) =>
    builder.for(int(0), j, (i) => {
      const isInside = compare('lt', i, rows);
      builder.if(isInside, () =>
        ensure(
          builder,
          compare('eq', value.read(at(i, j, rows)), ZERO),
          say(
            subject,
            ' is not lower triangular; ',
            ...subject.name,
            '[',
            next(i),
            ',',
            next(j),
            ']=',
            value.read(at(i, j, rows)),
          ),
        ),
      );
    }),
  );
}

function checkPositiveDiagonal(
  builder: Builder,
  [rows, columns]: readonly Expr[],
  value: Slice,
  subject: Subject,
): void {
  builder.for(int(0), columns, (i) => {
    const x = value.read(at(i, i, rows));
    ensure(builder, compare('gt', x, ZERO), say(subject, '[', next(i), '] is ', x, ', but must be positive!'));
  });
}

export const CHOLESKY_FACTOR_CORR: StructuredConstraint = {
  freeSizes: ([size]) => [pairs(size)],
  constrain: (builder, [size], free, out, jacobian) => constrainCholeskyCorr(builder, size, free, out, jacobian),
  unconstrain: (builder, [size], value, out) => unconstrainCholeskyCorr(builder, size, value, out),
  inverse: { function: 'cholesky_corr_free', name: ['x'] },
  check: (builder, sizes, value, subject) => {
    const [size] = sizes;
    checkSquare(builder, sizes, subject);
    checkLowerTriangular(builder, sizes, value, subject);
    checkPositiveDiagonal(builder, sizes, value, subject);
    builder.for(int(0), size, (i) => {
      const norm = builder.sum(size, (j) => square(value.read(at(i, j, size))));
      ensure(
        builder,
        compare('le', abs(sub(ONE, norm)), real(TOLERANCE)),
        say(subject, ' is not a valid unit vector. The sum of the squares of the elements should be 1, but is ', norm),
      );
    });
  },
};

export const CHOLESKY_FACTOR_COV: StructuredConstraint = {
  freeSizes: ([rows, columns]) => [add(pairs(next(columns)), mul(sub(rows, columns), columns))],
  constrain: (builder, sizes, free, out, jacobian) => {
    const [rows, columns] = sizes;
    if (rows !== columns) {
      ensure(builder, compare('ge', rows, columns), [
        'cholesky_factor_constrain: num rows (must be greater or equal to num cols) is ',
        rows,
        ', but must be greater than or equal to ',
        { value: toReal(columns), format: 'f' },
      ]);
    }
    constrainCholeskyCov(builder, sizes, free, out, (_, x) => jacobian?.(x));
  },
  unconstrain: unconstrainCholeskyCov,
  inverse: { function: 'cholesky_factor_free', name: ['y'] },
  check: (builder, sizes, value, subject) => {
    const [rows, columns] = sizes;
    if (rows !== columns) {
      ensure(builder, compare('le', columns, rows), [
        `${subject.function}: columns and rows of Cholesky factor is `,
        columns,
        ', but must be less than or equal to ',
        { value: toReal(rows), format: 'f' },
      ]);
    }
    ensure(builder, compare('gt', columns, int(0)), [
      `${subject.function}: columns of Cholesky factor is `,
      columns,
      ', but must be positive!',
    ]);
    checkLowerTriangular(builder, sizes, value, subject);
    checkPositiveDiagonal(builder, sizes, value, subject);
  },
};

export const COV_MATRIX: StructuredConstraint = {
  freeSizes: ([size]) => [pairs(next(size))],
  constrain: (builder, [size], free, out, jacobian) => {
    const factor = scratch(builder, size, size);
    constrainCholeskyCov(builder, [size, size], free, factor, (row, x) =>
      jacobian?.(add(real(Math.LN2), mul(toReal(add(sub(size, row), int(1))), x))),
    );
    multiplySelfTranspose(builder, size, factor, out);
  },
  unconstrain: (builder, [size], value, out) => {
    const factor = scratch(builder, size, size);
    cholesky(builder, size, value, factor);
    unconstrainCholeskyCov(builder, [size, size], factor, out);
  },
  inverse: { function: 'cov_matrix_free', name: ['y'] },
  check: (builder, sizes, value, subject) => {
    checkSquare(builder, sizes, subject);
    checkPositiveDefinite(builder, sizes[0], value, subject);
  },
};

/**
 * Partial correlations column by column (C-vine), unlike the Cholesky factor's row by row. Source: Lewandowski,
 * Kurowicka and Joe (2009), equation 11; Stan Reference Manual, "Correlation matrices".
 */
export const CORR_MATRIX: StructuredConstraint = {
  freeSizes: ([size]) => [pairs(size)],
  constrain: (builder, [size], free, out, jacobian) => {
    const factor = scratch(builder, size, size);
    const rest = builder.allocate('real', [size], 'rest');
    builder.each(size, (i) => builder.store(rest, i, ONE));
    builder.for(int(0), size, (j) => {
      const start = builder.bind(columnStart(size, j), 'start');
      factor.write(at(j, j, size), sqrt(load(rest, j)));
      builder.for(next(j), size, (i) => {
        const z = builder.bind(call1('tanh', free.read(add(start, i))), 'z');
        const share = builder.bind(sub(ONE, square(z)), 'share');
        const before = builder.bind(load(rest, i), 'before');
        factor.write(at(i, j, size), mul(z, sqrt(before)));
        builder.store(rest, i, mul(before, share));
        // log(1 − z²) of tanh, and half of (K − j − 2) times it for the correlation matrix
        const weight = add(ONE, half(toReal(sub(sub(size, j), int(2)))));
        jacobian?.(mul(weight, log1m(square(z))));
      });
    });
    multiplySelfTranspose(builder, size, factor, out);
  },
  unconstrain: (builder, [size], value, out) => {
    const factor = scratch(builder, size, size);
    cholesky(builder, size, value, factor);
    const rest = builder.allocate('real', [size], 'rest');
    builder.each(size, (i) => builder.store(rest, i, ONE));
    builder.for(int(0), size, (j) => {
      const start = builder.bind(columnStart(size, j), 'start');
      builder.for(next(j), size, (i) => {
        const before = builder.bind(load(rest, i), 'before');
        const z = builder.bind(div(factor.read(at(i, j, size)), sqrt(before)), 'z');
        out.write(add(start, i), call1('atanh', z));
        builder.store(rest, i, mul(before, sub(ONE, square(z))));
      });
    });
  },
  inverse: { function: 'corr_matrix_free', name: ['y'] },
  check: (builder, sizes, value, subject) => {
    const [size] = sizes;
    checkSquare(builder, sizes, subject);
    builder.if(compare('gt', size, int(0)), () => {
      builder.for(int(0), size, (k) => {
        const x = value.read(at(k, k, size));
        ensure(
          builder,
          compare('le', abs(sub(x, ONE)), real(TOLERANCE)),
          say(
            subject,
            ' is not a valid correlation matrix. ',
            ...subject.name,
            '(',
            next(k),
            ',',
            next(k),
            ') is ',
            x,
            ', but should be near 1.0',
          ),
        );
      });
      checkPositiveDefinite(builder, size, value, subject);
    });
  },
};
