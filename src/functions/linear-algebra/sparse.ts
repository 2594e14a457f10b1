import type { Builder } from '../../ir/builder.js';
import { container, levelOf } from '../../ir/builder.js';
import { tupleOf } from '../../ir/composite.js';
import { add, compare, get, int, mul, real, sub, toReal } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { arrayOf, INT, MATRIX, VECTOR } from '../../language/types.js';
import { bindOnce, scalarOf } from '../broadcast.js';
import type { FunctionEntry } from '../entry.js';
import { rowsOf as family } from '../row.js';
import { checkMatch, checkRange, fresh, length, reusable, type Stored } from '../shapes.js';
import { checkPositive } from './checks.js';

const row = family('linear algebra');
const zero = int(0);
const one = int(1);

/** A sparse m × n matrix in compressed row storage: nonzero values w, their one-based columns v, and the one-based starts u of the rows. */
interface Compressed {
  readonly m: Expr;
  readonly n: Expr;
  readonly w: ContainerValue;
  readonly v: ContainerValue;
  readonly u: ContainerValue;
}

function compressed(builder: Builder, args: readonly Value[]): Compressed {
  const [m, n] = args.slice(0, 2).map((arg) => bindOnce(builder, scalarOf(arg)));
  const [w, v, u] = args.slice(2, 5).map((arg) => reusable(builder, arg));
  return { m, n, w, v, u };
}

function checkEntries(builder: Builder, name: string, { m, n, v, u }: Compressed): void {
  checkMatch(builder, name, 'u/z', sub(u.flat(m), one), 'v', length(v));
  builder.for(zero, length(v), (k) => checkRange(builder, name, v.flat(k), n));
  builder.for(zero, length(u), (k) => checkRange(builder, name, u.flat(k), add(length(v), one)));
}

/** Visits the positions k of the nonzero values of row i. */
function eachInRow(builder: Builder, { u }: Compressed, i: Expr, visit: (k: Expr) => void): void {
  builder.for(sub(u.flat(i), one), sub(u.flat(add(i, one)), one), visit);
}

function timesVector(builder: Builder, args: readonly Value[]): Value {
  const name = 'csr_matrix_times_vector';
  const matrix = compressed(builder, args);
  const { m, n, w, v, u } = matrix;
  const x = reusable(builder, args[5]);
  checkPositive(builder, name, 'm', m);
  checkPositive(builder, name, 'n', n);
  checkMatch(builder, name, 'n', n, 'b', length(x));
  checkMatch(builder, name, 'w', length(w), 'v', length(v));
  checkMatch(builder, name, 'm', m, 'u', sub(length(u), one));
  checkEntries(builder, name, matrix);
  const out = fresh(builder, VECTOR, [m], { ...w, level: levelOf(args) }, 'product');
  builder.for(zero, m, (i) => {
    const total = builder.newLocal('real', 'total');
    builder.assign(total, real(0));
    eachInRow(builder, matrix, i, (k) =>
      builder.assign(total, add(get(total), mul(w.flat(k), x.flat(sub(v.flat(k), one))))),
    );
    builder.store(out.ref, i, get(total));
  });
  return out;
}

function toDense(builder: Builder, args: readonly Value[]): Value {
  const name = 'csr_to_dense_matrix';
  const matrix = compressed(builder, args);
  const { m, n, w, v, u } = matrix;
  checkPositive(builder, name, 'm', m);
  checkPositive(builder, name, 'n', n);
  checkMatch(builder, name, 'm', m, 'u', sub(length(u), one));
  checkMatch(builder, name, 'w', length(w), 'v', length(v));
  checkEntries(builder, name, matrix);
  const out = fresh(builder, MATRIX, [m, n], w, 'dense');
  builder.each(length(out), (k) => builder.store(out.ref, k, real(0)));
  builder.for(zero, m, (i) =>
    eachInRow(builder, matrix, i, (k) => {
      builder.store(out.ref, add(mul(sub(v.flat(k), one), m), i), w.flat(k));
    }),
  );
  return out;
}

function countNonZero(builder: Builder, m: ContainerValue): Expr {
  const total = builder.newLocal('int', 'total');
  builder.assign(total, zero);
  builder.elements(m, (x) => builder.assign(total, add(get(total), compare('ne', toReal(x), real(0)))));
  return get(total);
}

function eachNonZero(builder: Builder, m: ContainerValue, visit: (k: Expr, i: Expr, j: Expr) => void): void {
  const next = builder.newLocal('int', 'next');
  builder.assign(next, zero);
  const at = get(next);
  builder.for(zero, m.sizes[0], (i) =>
    builder.for(zero, m.sizes[1], (j) =>
      builder.if(compare('ne', m.at(i, j), real(0)), () => {
        visit(at, i, j);
        builder.assign(next, add(at, one));
      }),
    ),
  );
}

/** An array of ints in memory, filled by `write`. */
function intsOf(builder: Builder, size: Expr, name: string, write: (out: Stored['ref']) => void): Stored {
  const out = builder.allocate('int', [size], name);
  write(out);
  return container(arrayOf(INT, 1), 'data', out);
}

function extractValues(builder: Builder, m: ContainerValue): Stored {
  const out = fresh(builder, VECTOR, [countNonZero(builder, m)], m, 'values');
  eachNonZero(builder, m, (k, i, j) => builder.store(out.ref, k, m.at(i, j)));
  return out;
}

function extractColumns(builder: Builder, m: ContainerValue): Stored {
  return intsOf(builder, countNonZero(builder, m), 'columns', (out) =>
    eachNonZero(builder, m, (k, _, j) => builder.store(out, k, add(j, one))),
  );
}

function extractStarts(builder: Builder, m: ContainerValue): Stored {
  const [rows, columns] = m.sizes;
  return intsOf(builder, add(rows, one), 'starts', (out) => {
    const total = builder.newLocal('int', 'total');
    builder.assign(total, one);
    builder.store(out, zero, one);
    builder.for(zero, rows, (i) => {
      builder.for(zero, columns, (j) => builder.assign(total, add(get(total), compare('ne', m.at(i, j), real(0)))));
      builder.store(out, add(i, one), get(total));
    });
  });
}

export const SPARSE: readonly FunctionEntry[] = [
  row(
    'csr_matrix_times_vector',
    'The product of a sparse matrix in compressed row storage and a vector.',
    ['(int, int, vector, array[] int, array[] int, vector) => vector'],
    timesVector,
  ),
  row(
    'csr_to_dense_matrix',
    'The dense form of a sparse matrix in compressed row storage.',
    ['(int, int, vector, array[] int, array[] int) => matrix'],
    toDense,
  ),
  row('csr_extract_w', 'Non-zero values of a matrix by rows.', ['(matrix) => vector'], (b, [x]) =>
    extractValues(b, reusable(b, x)),
  ),
  row('csr_extract_v', 'One-based columns of the non-zero values.', ['(matrix) => array[] int'], (b, [x]) =>
    extractColumns(b, reusable(b, x)),
  ),
  row(
    'csr_extract_u',
    'One-based starts of the rows among the non-zero values.',
    ['(matrix) => array[] int'],
    (b, [x]) => extractStarts(b, reusable(b, x)),
  ),
  row(
    'csr_extract',
    'Non-zero values row by row, their one-based columns, and the one-based start of each row.',
    ['(matrix) => tuple(vector, array[] int, array[] int)'],
    (b, [x]) => {
      const m = reusable(b, x);
      return tupleOf([extractValues(b, m), extractColumns(b, m), extractStarts(b, m)]);
    },
  ),
];
