import type { Builder } from '../../ir/builder.js';
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
import type { Expr } from '../../ir/nodes.js';
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

/** An int that counts the free elements read or written so far. */
function counter(builder: Builder): () => Expr {
  const place = builder.newLocal('int', 'place');
  builder.assign(place, int(0));
  return () => {
    const here = builder.bind(get(place), 'here');
    builder.assign(place, next(get(place)));
    return here;
  };
}

function scratch(builder: Builder, rows: Expr, columns: Expr): Slice {
  const ref = builder.allocate('real', [rows, columns], 'factor', 'zero');
  return { read: (i) => load(ref, i), write: (i, value) => builder.store(ref, i, value) };
}

/** Canonical partial correlations row by row. Source: Stan Reference Manual, "Cholesky factors of correlation matrices". */
function constrainCholeskyCorr(
  builder: Builder,
  size: Expr,
  free: Slice,
  out: Slice,
  jacobian: JacobianSink | null,
): void {
  const take = counter(builder);
  const rest = builder.newLocal('real', 'rest');
  builder.for(int(0), size, (i) => {
    builder.assign(rest, ONE);
    builder.for(int(0), i, (j) => {
      const z = builder.bind(call1('tanh', free.read(take())), 'z');
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
  const take = counter(builder);
  const rest = builder.newLocal('real', 'rest');
  builder.for(int(0), size, (i) => {
    builder.assign(rest, ONE);
    builder.for(int(0), i, (j) => {
      const x = builder.bind(value.read(at(i, j, size)), 'x');
      out.write(take(), call1('atanh', div(x, sqrt(get(rest)))));
      builder.assign(rest, sub(get(rest), square(x)));
    });
  });
}

/** A lower triangle row by row with a log diagonal, then full rows. */
function constrainCholeskyCov(
  builder: Builder,
  [rows, columns]: readonly Expr[],
  free: Slice,
  out: Slice,
  diagonal: (row: Expr, logValue: Expr) => void,
): void {
  const take = counter(builder);
  builder.for(int(0), rows, (i) => {
    builder.for(int(0), columns, (j) => {
      const place = at(i, j, rows);
      builder.if(
        compare('gt', i, j),
        () => out.write(place, free.read(take())),
        () =>
          builder.if(
            compare('eq', i, j),
            () => {
              const x = builder.bind(free.read(take()), 'x');
              out.write(place, exp(x));
              diagonal(i, x);
            },
            () => out.write(place, ZERO),
          ),
      );
    });
  });
}

function unconstrainCholeskyCov(builder: Builder, [rows, columns]: readonly Expr[], value: Slice, out: Slice): void {
  const take = counter(builder);
  builder.for(int(0), rows, (i) => {
    builder.for(int(0), columns, (j) => {
      const x = value.read(at(i, j, rows));
      builder.if(compare('gt', i, j), () => out.write(take(), x));
      builder.if(compare('eq', i, j), () => out.write(take(), log(x)));
    });
  });
}

function multiplySelfTranspose(builder: Builder, size: Expr, factor: Slice, out: Slice): void {
  builder.for(int(0), size, (j) =>
    builder.for(j, size, (i) => {
      const value = builder.sum(next(j), (k) => mul(factor.read(at(i, k, size)), factor.read(at(j, k, size))));
      out.write(at(i, j, size), value);
      builder.if(compare('ne', i, j), () => out.write(at(j, i, size), value));
    }),
  );
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
  const factor = scratch(builder, size, size);
  builder.for(int(0), size, (j) => {
    const pivot = sub(
      value.read(at(j, j, size)),
      builder.sum(j, (k) => square(factor.read(at(j, k, size)))),
    );
    const bound = builder.bind(pivot, 'pivot');
    ensure(builder, compare('gt', bound, ZERO), say(subject, ' is not positive definite.'));
    const diagonal = builder.bind(sqrt(bound), 'diagonal');
    factor.write(at(j, j, size), diagonal);
    builder.for(next(j), size, (i) => {
      const rest = builder.sum(j, (k) => mul(factor.read(at(i, k, size)), factor.read(at(j, k, size))));
      factor.write(at(i, j, size), div(sub(value.read(at(i, j, size)), rest), diagonal));
    });
  });
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
    const take = counter(builder);
    builder.for(int(0), size, (j) => {
      factor.write(at(j, j, size), sqrt(load(rest, j)));
      builder.for(next(j), size, (i) => {
        const z = builder.bind(call1('tanh', free.read(take())), 'z');
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
    const take = counter(builder);
    builder.for(int(0), size, (j) =>
      builder.for(next(j), size, (i) => {
        const before = builder.bind(load(rest, i), 'before');
        const z = builder.bind(div(factor.read(at(i, j, size)), sqrt(before)), 'z');
        out.write(take(), call1('atanh', z));
        builder.store(rest, i, mul(before, sub(ONE, square(z))));
      }),
    );
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
