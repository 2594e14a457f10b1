import type { Builder } from '../../ir/builder.js';
import { pointer } from '../../ir/builder.js';
import { tupleOf } from '../../ir/composite.js';
import { add, compare, int, mul, select } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { MATRIX, VECTOR } from '../../language/types.js';
import type { FunctionEntry } from '../entry.js';
import { larger, smaller } from '../kernels.js';
import { rowsOf as family } from '../row.js';
import { checkSquare, fresh, length, type Stored, stored } from '../shapes.js';
import { checkSymmetric, wordFor } from './checks.js';

const row = family('linear algebra');
const zero = int(0);

/** Eigenvalues in ascending order, eigenvectors in the columns. */
function eigenSymmetric(
  builder: Builder,
  name: string,
  value: Value,
): { readonly values: Stored; readonly vectors: Stored } {
  const a = stored(builder, value);
  checkSquare(builder, name, 'm', a);
  checkSymmetric(builder, name, 'm', a);
  const [n] = a.sizes;
  const values = fresh(builder, VECTOR, [n], value, 'eigenvalues');
  const vectors = fresh(builder, MATRIX, [n, n], value, 'eigenvectors');
  const work = builder.allocate('real', [n, add(n, int(3))], 'work');
  const address = [pointer(values.ref), pointer(vectors.ref), pointer(a.ref), pointer(work)];
  builder.kernelResult('int', 'eigen_symmetric', [...address, n]);
  return { values, vectors };
}

/** The sizes of a result. As in Stan, it is empty if the matrix is empty. */
function sizesOf(builder: Builder, a: Stored): { readonly rows: Expr; readonly columns: Expr; readonly rank: Expr } {
  const empty = compare('eq', length(a), zero);
  const [rows, columns] = a.sizes.map((size) => builder.bind(select(empty, zero, size)));
  return { rows, columns, rank: builder.bind(smaller(rows, columns), 'rank') };
}

/** The thin singular value decomposition A = U diag(s) V'. */
function singular(builder: Builder, value: Value): { readonly u: Stored; readonly values: Stored; readonly v: Stored } {
  const a = stored(builder, value);
  const { rows, columns, rank } = sizesOf(builder, a);
  const u = fresh(builder, MATRIX, [rows, rank], value, 'u');
  const values = fresh(builder, VECTOR, [rank], value, 'singular');
  const v = fresh(builder, MATRIX, [columns, rank], value, 'v');
  const work = builder.allocate('real', [rank, add(larger(rows, columns), add(mul(int(2), rank), int(3)))], 'work');
  const address = [pointer(u.ref), pointer(values.ref), pointer(v.ref), pointer(a.ref), pointer(work)];
  builder.kernelResult('int', 'svd', [...address, rows, columns]);
  return { u, values, v };
}

/** A = Q R, where R has a non-negative diagonal. Q is square (`full`), or has only as many columns as R has rows (`thin`). */
function orthogonal(builder: Builder, value: Value, form: 'full' | 'thin'): { readonly q: Stored; readonly r: Stored } {
  const a = stored(builder, value);
  const { rows, columns, rank } = sizesOf(builder, a);
  const height = form === 'full' ? rows : rank;
  const q = fresh(builder, MATRIX, [rows, height], value, 'q');
  const r = fresh(builder, MATRIX, [height, columns], value, 'r');
  const factors = builder.allocate('real', [rank, add(larger(rows, columns), int(1))], 'factors');
  const address = [pointer(q.ref), pointer(r.ref), pointer(factors), pointer(a.ref)];
  builder.kernel('qr', [...address, rows, columns, height]);
  return { q, r };
}

const ONE_MATRIX = ['(matrix) => matrix'];
const SYMMETRIC = 'symmetric';

export const DECOMPOSITIONS: readonly FunctionEntry[] = [
  row(
    'eigenvalues_sym',
    { computes: 'Eigenvalues in ascending order.', domain: SYMMETRIC },
    ['(matrix) => vector'],
    (b, [x]) => eigenSymmetric(b, 'eigenvalues_sym', x).values,
  ),
  row(
    'eigenvectors_sym',
    { computes: 'Eigenvectors in the columns, in ascending order of their eigenvalues.', domain: SYMMETRIC },
    ONE_MATRIX,
    (b, [x]) => {
      const name = wordFor(x, { data: 'eigenvalues_sym', parameters: 'eigenvectors_sym' });
      return eigenSymmetric(b, name, x).vectors;
    },
  ),
  row(
    'eigendecompose_sym',
    { computes: 'Eigenvectors in the columns and eigenvalues in ascending order.', domain: SYMMETRIC },
    ['(matrix) => tuple(matrix, vector)'],
    (b, [x]) => {
      const { values, vectors } = eigenSymmetric(b, 'eigendecompose_sym', x);
      return tupleOf([vectors, values]);
    },
  ),
  row(
    'singular_values',
    'Singular values in descending order.',
    ['(matrix) => vector'],
    (b, [x]) => singular(b, x).values,
  ),
  row(
    'svd_U',
    'Left singular vectors in the columns, one per singular value.',
    ONE_MATRIX,
    (b, [x]) => singular(b, x).u,
  ),
  row(
    'svd_V',
    'Right singular vectors in the columns, one per singular value.',
    ONE_MATRIX,
    (b, [x]) => singular(b, x).v,
  ),
  row('svd', "U, s and V of A = U diag(s) V'.", ['(matrix) => tuple(matrix, vector, matrix)'], (b, [x]) => {
    const { u, values, v } = singular(b, x);
    return tupleOf([u, values, v]);
  }),
  row(
    'qr_Q',
    'Orthogonal Q of A = Q R, R with a non-negative diagonal.',
    ONE_MATRIX,
    (b, [x]) => orthogonal(b, x, 'full').q,
  ),
  row(
    'qr_R',
    'R of A = Q R with as many rows as A and a non-negative diagonal.',
    ONE_MATRIX,
    (b, [x]) => orthogonal(b, x, 'full').r,
  ),
  row('qr', 'Orthogonal Q and upper triangular R of A = Q R.', ['(matrix) => tuple(matrix, matrix)'], (b, [x]) => {
    const { q, r } = orthogonal(b, x, 'full');
    return tupleOf([q, r]);
  }),
  row(
    'qr_thin_Q',
    'Orthonormal columns Q of A = Q R, R with a non-negative diagonal.',
    ONE_MATRIX,
    (b, [x]) => orthogonal(b, x, 'thin').q,
  ),
  row(
    'qr_thin_R',
    'Upper triangle R of A = Q R, with a non-negative diagonal.',
    ONE_MATRIX,
    (b, [x]) => orthogonal(b, x, 'thin').r,
  ),
  row(
    'qr_thin',
    'Orthonormal columns Q and upper triangle R of A = Q R.',
    ['(matrix) => tuple(matrix, matrix)'],
    (b, [x]) => {
      const { q, r } = orthogonal(b, x, 'thin');
      return tupleOf([q, r]);
    },
  ),
];
