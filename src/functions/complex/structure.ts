import type { Builder } from '../../ir/builder.js';
import { composite } from '../../ir/composite.js';
import { neg } from '../../ir/exact.js';
import { compare, select } from '../../ir/expressions.js';
import type { Value } from '../../ir/value.js';
import { partsOf } from '../../language/types.js';
import type { Call } from '../entry.js';
import { matrixOf, reusable } from '../shapes.js';
import { type ComplexRow, complexRow, type RealBuild } from './extend.js';
import { checkSameShapes, containersOf, partsOfValue } from './values.js';

/** Applies a function to the real parts and to the imaginary parts of the arguments; ints are passed to both. */
function eachPart(builder: Builder, args: readonly Value[], call: Call, real: RealBuild): Value {
  const part = (k: 0 | 1): readonly Value[] =>
    args.map((arg) => (arg.type.kind === 'int' ? arg : partsOfValue(arg)[k]));
  const types = partsOf(call.result);
  if (types === null) return real(builder, part(0), call);
  const [re, im] = types;
  return composite(call.result, [
    real(builder, part(0), { ...call, result: re }),
    real(builder, part(1), { ...call, result: im }),
  ]);
}

/** A function that only rearranges or sums elements. */
function overParts(name: string, ...patterns: string[]): ComplexRow {
  return complexRow(name, patterns, eachPart);
}

const CONTAINERS = 'complex_matrices';
const ELEMENTS = `complex | ${CONTAINERS}`;
const VECTORS = 'complex_vector | complex_row_vector';
const SUMMED = [
  '(complex, complex) => complex',
  `(complex, T) => T where T = ${CONTAINERS}`,
  `(T, complex) => T where T = ${CONTAINERS}`,
  `(T, T) => T where T = ${CONTAINERS}`,
];

/** A sum or difference, element by element. */
function summing(name: string): ComplexRow {
  return complexRow(name, SUMMED, (builder, args, call, real) => {
    checkSameShapes(builder, name, args);
    return eachPart(builder, args, call, real);
  });
}

/** A function that selects a part of a vector or an array: its arguments are the value and `counts` ints. */
function window(name: string, counts: number): ComplexRow {
  const ints = ', int'.repeat(counts);
  return overParts(
    name,
    `(T${ints}) => T where T = ${VECTORS}`,
    `(array[N] T${ints}) => array[N] T where T = ${ELEMENTS}; N = 1..3`,
  );
}

export const COMPLEX_STRUCTURE: readonly ComplexRow[] = [
  summing('add'),
  summing('subtract'),
  overParts('minus', `(array[N] T) => array[N] T where T = ${ELEMENTS}`),
  overParts('plus', '(complex) => complex'),
  overParts('sum', `(array[] complex | ${CONTAINERS}) => complex`),
  overParts('trace', '(complex_matrix) => complex'),
  overParts('cumulative_sum', `(T) => T where T = array[] complex | ${VECTORS}`),
  overParts('add_diag', '(complex_matrix, complex | complex_vector | complex_row_vector) => complex_matrix'),

  overParts('rows', `(${CONTAINERS}) => int`),
  overParts('cols', `(${CONTAINERS}) => int`),
  overParts('size', `(array[N] T) => int where T = ${ELEMENTS}`),
  overParts('num_elements', `(${CONTAINERS}) => int`, `(array[N+1] T) => int where T = ${ELEMENTS}; N = 0..8`),
  overParts(
    'dims',
    '(array[N] complex) => array[] int where N = 0..8',
    `(array[N] T) => array[] int where T = ${CONTAINERS}; N = 1..8`,
  ),

  overParts('rep_vector', '(complex, int) => complex_vector'),
  overParts('rep_row_vector', '(complex, int) => complex_row_vector'),
  overParts('rep_matrix', '(complex, int, int) => complex_matrix', `(${VECTORS}, int) => complex_matrix`),
  overParts(
    'rep_array',
    ...[1, 2, 3].map(
      (extra) => `(array[N] T${', int'.repeat(extra)}) => array[N+${extra}] T where T = ${ELEMENTS}; N = 0..2`,
    ),
  ),
  overParts(
    'append_row',
    '(complex_matrix | complex_row_vector, complex_matrix | complex_row_vector) => complex_matrix',
    '(complex_vector | complex, complex_vector) => complex_vector',
    '(complex_vector, complex) => complex_vector',
  ),
  overParts(
    'append_col',
    '(complex_matrix | complex_vector, complex_matrix | complex_vector) => complex_matrix',
    '(complex_row_vector | complex, complex_row_vector) => complex_row_vector',
    '(complex_row_vector, complex) => complex_row_vector',
  ),
  overParts('append_array', `(array[N] T, array[N] T) => array[N] T where T = ${ELEMENTS}; N = 1..7`),
  window('head', 1),
  window('tail', 1),
  window('segment', 2),
  overParts('reverse', `(T) => T where T = ${VECTORS}`, `(array[N] T) => array[N] T where T = ${ELEMENTS}; N = 1..7`),

  overParts('to_vector', `(${CONTAINERS} | array[] complex) => complex_vector`),
  overParts('to_row_vector', `(${CONTAINERS} | array[] complex) => complex_row_vector`),
  overParts('to_array_1d', `(${CONTAINERS}) => array[] complex`),
  overParts('to_array_2d', '(complex_matrix) => array[,] complex'),
  overParts('to_vector_array', '(complex_matrix) => array[] complex_vector'),
  overParts('to_row_vector_array', '(complex_matrix) => array[] complex_row_vector'),
  overParts(
    'to_matrix',
    `(${CONTAINERS} | array[] complex_vector | array[] complex_row_vector | array[,] complex) => complex_matrix`,
    `(${CONTAINERS} | array[] complex, int, int) => complex_matrix`,
    `(${CONTAINERS} | array[] complex, int, int, int) => complex_matrix`,
  ),
  overParts(
    'transpose',
    '(complex_vector) => complex_row_vector',
    '(complex_row_vector) => complex_vector',
    '(complex_matrix) => complex_matrix',
  ),
  overParts('diagonal', '(complex_matrix) => complex_vector'),
  overParts('diag_matrix', '(complex_vector) => complex_matrix'),
  overParts('col', '(complex_matrix, int) => complex_vector'),
  overParts('row', '(complex_matrix, int) => complex_row_vector'),
  overParts('block', '(complex_matrix, int, int, int, int) => complex_matrix'),
  overParts('sub_col', '(complex_matrix, int, int, int) => complex_vector'),
  overParts('sub_row', '(complex_matrix, int, int, int) => complex_row_vector'),

  /** The upper triangle is the conjugate of the lower one; the diagonal is unchanged. */
  complexRow('symmetrize_from_lower_tri', ['(complex_matrix) => complex_matrix'], (builder, [m], call, real) => {
    const [re, im] = containersOf(m);
    const imaginary = reusable(builder, im);
    const [rows] = re.sizes;
    return composite(call.result, [
      real(builder, [re], { ...call, result: re.type }),
      matrixOf(rows, rows, m, (i, j) => {
        const above = compare('lt', i, j);
        const lower = imaginary.at(select(above, j, i), select(above, i, j));
        return select(above, neg(lower), lower);
      }),
    ]);
  }),
];
