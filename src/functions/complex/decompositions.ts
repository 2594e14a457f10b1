import type { Builder } from '../../ir/builder.js';
import { pointer } from '../../ir/builder.js';
import { composite, tupleOf } from '../../ir/composite.js';
import { add, compare, div, int, mul, neg, real, select, ZERO } from '../../ir/expressions.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { COMPLEX_MATRIX, COMPLEX_VECTOR, MATRIX, type Type, VECTOR } from '../../language/types.js';
import { fourierWork } from '../kernels.js';
import { checkSquare, fresh, length, matrixOf, reusable, type Stored, stored } from '../shapes.js';
import { type ComplexRow, complexFunction, complexRow } from './extend.js';
import { absOf, bound, minus } from './numbers.js';
import { containersOf } from './values.js';

/** Both parts of a matrix, in memory. A real matrix has one part. */
function storedParts(builder: Builder, value: Value): readonly Stored[] {
  return value.kind === 'composite'
    ? containersOf(value).map((part) => stored(builder, part))
    : [stored(builder, value)];
}

function address(parts: readonly Stored[]): readonly KernelArgument[] {
  return parts.map(({ ref }) => pointer(ref));
}

/** Memory for both parts of a result. */
function freshParts(
  builder: Builder,
  type: Type,
  sizes: readonly Expr[],
  like: Value,
  name: string,
): readonly Stored[] {
  return [fresh(builder, type, sizes, like, `${name}_re`), fresh(builder, type, sizes, like, `${name}_im`)];
}

interface Eigen {
  readonly values: Value;
  readonly vectors: Value;
}

/**
 * Eigenvalues of a general matrix. Those of a real matrix have adjacent conjugate pairs; those of a complex matrix ascend in absolute
 * value.
 */
function eigenGeneral(builder: Builder, name: string, value: Value): Eigen {
  const a = storedParts(builder, value);
  checkSquare(builder, name, 'm', a[0]);
  const [n] = a[0].sizes;
  const values = freshParts(builder, VECTOR, [n], value, 'eigenvalues');
  const vectors = freshParts(builder, MATRIX, [n, n], value, 'eigenvectors');
  const work = builder.allocate('real', workSizes(n, 8), 'work');
  const kernel = a.length === 1 ? 'eigen_real' : 'eigen_complex';
  builder.kernelResult('int', kernel, [...address(values), ...address(vectors), ...address(a), pointer(work), n]);
  return { values: composite(COMPLEX_VECTOR, values), vectors: composite(COMPLEX_MATRIX, vectors) };
}

/** Sizes of working memory for factor · n² + 4 n + 8 numbers. */
function workSizes(n: Expr, factor: number): readonly Expr[] {
  return [add(n, int(1)), add(mul(int(factor), n), int(8))];
}

/** Eigenvalues and eigenvectors of a Hermitian matrix, in ascending order of the eigenvalues. */
function eigenHermitian(builder: Builder, name: string, value: Value): Eigen {
  const [re, im] = containersOf(value).map((part) => reusable(builder, part));
  checkSquare(builder, name, 'm', re);
  const [n] = re.sizes;
  builder.each(n, (i) =>
    builder.for(i, n, (j) => {
      const upper = bound(builder, { re: re.at(i, j), im: im.at(i, j) });
      const below = bound(builder, { re: re.at(j, i), im: im.at(j, i) });
      builder.check(
        compare('le', absOf(minus(builder, upper, { re: below.re, im: neg(below.im) })), real(1e-8)),
        `${name}: m is not Hermitian. m[{0},{1}] = ({2},{3}), but m[{1},{0}] = ({4},{5})`,
        [add(i, int(1)), add(j, int(1)), upper.re, upper.im, below.re, below.im],
      );
    }),
  );
  const lower = (i: Expr, j: Expr): Expr => compare('ge', i, j);
  const a = [
    matrixOf(n, n, value, (i, j) => select(lower(i, j), re.at(i, j), re.at(j, i))),
    matrixOf(n, n, value, (i, j) =>
      select(compare('eq', i, j), ZERO, select(lower(i, j), im.at(i, j), neg(im.at(j, i)))),
    ),
  ].map((part) => stored(builder, part));
  const values = freshParts(builder, VECTOR, [n], value, 'eigenvalues');
  const vectors = freshParts(builder, MATRIX, [n, n], value, 'eigenvectors');
  const work = builder.allocate('real', workSizes(n, 8), 'work');
  builder.kernelResult('int', 'eigen_hermitian', [
    ...address(values),
    ...address(vectors),
    ...address(a),
    pointer(work),
    n,
  ]);
  return { values: composite(COMPLEX_VECTOR, values), vectors: composite(COMPLEX_MATRIX, vectors) };
}

/** A = U T U*, U unitary, T upper triangular. */
function schur(builder: Builder, name: string, value: Value): { readonly u: Value; readonly t: Value } {
  const a = storedParts(builder, value);
  checkSquare(builder, name, 'm', a[0]);
  const [n] = a[0].sizes;
  const u = freshParts(builder, MATRIX, [n, n], value, 'u');
  const t = freshParts(builder, MATRIX, [n, n], value, 't');
  const work = builder.allocate('real', workSizes(n, 4), 'work');
  const inputs = a.length === 1 ? [...address(a), int(0)] : address(a);
  builder.kernelResult('int', 'complex_schur', [...address(u), ...address(t), ...inputs, pointer(work), n]);
  return { u: composite(COMPLEX_MATRIX, u), t: composite(COMPLEX_MATRIX, t) };
}

interface Singular {
  readonly u: Value;
  readonly values: Value;
  readonly v: Value;
}

/** A = U diag(s) V*, thin. */
function singular(builder: Builder, value: Value): Singular {
  const a = storedParts(builder, value);
  const empty = compare('eq', length(a[0]), int(0));
  const [rows, columns] = a[0].sizes.map((size) => builder.bind(select(empty, int(0), size)));
  const isTall = compare('gt', rows, columns);
  const rank = builder.bind(select(isTall, columns, rows), 'rank');
  const most = builder.bind(select(isTall, rows, columns), 'most');
  const u = freshParts(builder, MATRIX, [rows, rank], value, 'u');
  const values = fresh(builder, VECTOR, [rank], value, 'singular');
  const v = freshParts(builder, MATRIX, [columns, rank], value, 'v');
  const work = builder.allocate('real', [int(14), most, most], 'work');
  const outputs = [...u, values, ...v];
  builder.kernelResult('int', 'complex_svd', [...address(outputs), ...address(a), pointer(work), rows, columns]);
  return { u: composite(COMPLEX_MATRIX, u), values, v: composite(COMPLEX_MATRIX, v) };
}

/** The Fourier transform over all axes. The forward transform has exponents with sign -1; the inverse divides by the number of elements. */
function fourier(builder: Builder, value: Value, direction: 'forward' | 'inverse'): Value {
  const x = storedParts(builder, value);
  const [rows, columns = int(1)] = x[0].sizes;
  const out = freshParts(builder, x[0].type, x[0].sizes, value, 'transform');
  const total = mul(rows, columns);
  const work = builder.allocate('real', fourierWork(rows, columns), 'work');
  const isForward = direction === 'forward';
  const factor = isForward ? real(1) : builder.bind(div(real(1), total), 'factor');
  builder.kernel('fft', [
    ...address(out),
    ...address(x),
    pointer(work),
    rows,
    columns,
    real(isForward ? -1 : 1),
    factor,
  ]);
  return composite(value.type, out);
}

const SQUARE = 'square';
const MATRICES = 'matrix | complex_matrix';
const ONE_MATRIX = ['(complex_matrix) => complex_matrix'];

export const COMPLEX_DECOMPOSITIONS: readonly ComplexRow[] = [
  complexFunction(
    'eigenvalues',
    { computes: 'Eigenvalues of a general matrix', domain: SQUARE },
    [`(${MATRICES}) => complex_vector`],
    (builder, [a]) => eigenGeneral(builder, 'eigenvalues', a).values,
  ),
  complexFunction(
    'eigenvectors',
    { computes: 'Eigenvectors of length 1 of a general matrix, in the columns', domain: SQUARE },
    [`(${MATRICES}) => complex_matrix`],
    (builder, [a]) => eigenGeneral(builder, 'eigenvectors', a).vectors,
  ),
  complexFunction(
    'eigendecompose',
    { computes: 'Eigenvectors in the columns and eigenvalues of a general matrix', domain: SQUARE },
    [`(${MATRICES}) => tuple(complex_matrix, complex_vector)`],
    (builder, [a]) => {
      const { values, vectors } = eigenGeneral(builder, 'eigendecompose', a);
      return tupleOf([vectors, values]);
    },
  ),
  complexRow(
    'eigenvalues_sym',
    ['(complex_matrix) => complex_vector'],
    (builder, [a]) => eigenHermitian(builder, 'eigenvalues_sym', a).values,
  ),
  complexRow('eigenvectors_sym', ONE_MATRIX, (builder, [a]) => eigenHermitian(builder, 'eigenvalues_sym', a).vectors),
  complexRow('eigendecompose_sym', ['(complex_matrix) => tuple(complex_matrix, complex_vector)'], (builder, [a]) => {
    const { values, vectors } = eigenHermitian(builder, 'eigendecompose_sym', a);
    return tupleOf([vectors, values]);
  }),
  complexRow('singular_values', ['(complex_matrix) => vector'], (builder, [a]) => singular(builder, a).values),
  complexRow('svd_U', ONE_MATRIX, (builder, [a]) => singular(builder, a).u),
  complexRow('svd_V', ONE_MATRIX, (builder, [a]) => singular(builder, a).v),
  complexRow('svd', ['(complex_matrix) => tuple(complex_matrix, vector, complex_matrix)'], (builder, [a]) => {
    const { u, values, v } = singular(builder, a);
    return tupleOf([u, values, v]);
  }),
  complexFunction(
    'complex_schur_decompose',
    { computes: 'Unitary U and upper triangular T with A = U T U*', domain: SQUARE },
    [`(${MATRICES}) => tuple(complex_matrix, complex_matrix)`],
    (builder, [a]) => {
      const { u, t } = schur(builder, 'complex_schur_decompose', a);
      return tupleOf([u, t]);
    },
  ),
  complexFunction(
    'complex_schur_decompose_u',
    { computes: 'The unitary factor U of A = U T U*', domain: SQUARE },
    [`(${MATRICES}) => complex_matrix`],
    (builder, [a]) => schur(builder, 'complex_schur_decompose_u', a).u,
  ),
  complexFunction(
    'complex_schur_decompose_t',
    { computes: 'The triangular factor T of A = U T U*', domain: SQUARE },
    [`(${MATRICES}) => complex_matrix`],
    (builder, [a]) => schur(builder, 'complex_schur_decompose_t', a).t,
  ),
  complexFunction(
    'fft',
    'The discrete Fourier transform, sums of x[m] exp(-2πi m k / n)',
    ['(complex_vector) => complex_vector'],
    (builder, [x]) => fourier(builder, x, 'forward'),
  ),
  complexFunction(
    'inv_fft',
    'The inverse discrete Fourier transform',
    ['(complex_vector) => complex_vector'],
    (builder, [x]) => fourier(builder, x, 'inverse'),
  ),
  complexFunction('fft2', 'The discrete Fourier transform over rows and columns', ONE_MATRIX, (builder, [x]) =>
    fourier(builder, x, 'forward'),
  ),
  complexFunction('inv_fft2', 'The inverse Fourier transform over rows and columns', ONE_MATRIX, (builder, [x]) =>
    fourier(builder, x, 'inverse'),
  ),
];
