import {
  arrayOf,
  COMPLEX,
  COMPLEX_MATRIX,
  COMPLEX_ROW_VECTOR,
  COMPLEX_VECTOR,
  INT,
  MATRIX,
  REAL,
  ROW_VECTOR,
  type Type,
  VECTOR,
} from '../../../src/language/types.js';
import type { Random } from '../random.js';
import { expression } from './expressions.js';
import type { Scope } from './scope.js';

const BASIC: readonly (readonly [number, Type])[] = [
  [4, INT],
  [8, REAL],
  [5, VECTOR],
  [2, ROW_VECTOR],
  [4, MATRIX],
  [2, COMPLEX],
  [1, COMPLEX_VECTOR],
  [1, COMPLEX_ROW_VECTOR],
  [1, COMPLEX_MATRIX],
];

/** A type that a variable may have. */
export function randomType(random: Random, depth = 0): Type {
  if (depth < 3 && random.chance(0.2)) return arrayOf(randomType(random, depth + 1));
  if (depth < 3 && random.chance(0.12)) {
    return { kind: 'tuple', elements: random.several(1, 3, () => randomType(random, depth + 1)) };
  }
  return random.weighted(BASIC);
}

const VECTOR_CONSTRAINTS = ['ordered', 'positive_ordered', 'simplex', 'unit_vector', 'sum_to_zero_vector'];
const SQUARE_CONSTRAINTS = ['corr_matrix', 'cov_matrix', 'cholesky_factor_corr', 'cholesky_factor_cov'];
const MATRIX_CONSTRAINTS = [
  'cholesky_factor_cov',
  'row_stochastic_matrix',
  'column_stochastic_matrix',
  'sum_to_zero_matrix',
];

/** Nearly all containers have three elements along each axis, so that most programs run; the size is written in several ways. */
function sizeText(scope: Scope): string {
  const { random } = scope;
  if (scope.isWrong()) return random.pick(['0', '1', '-1', '3.0', 'nowhere', '2147483647', '1000000000']);
  if (random.chance(0.02)) return random.pick(['0', '2', '4']);
  const names = scope.variables.filter(({ name }) => name === 'N').map(({ name }) => name);
  return random.pick(['3', '3', '2 + 1', '(6 %/% 2)', ...names, ...names]);
}

/** Source of a declaration's type; with `constrained`, often with a constraint. */
export function sizedType(type: Type, scope: Scope, constrained: boolean): string {
  const size = (): string => sizeText(scope);
  switch (type.kind) {
    case 'array': {
      const sizes: string[] = [];
      let element: Type = type;
      for (; element.kind === 'array'; element = element.element) sizes.push(size());
      return `array[${sizes.join(', ')}] ${sizedType(element, scope, constrained)}`;
    }
    case 'tuple': {
      const slots = type.elements.map((element) => sizedType(element, scope, constrained));
      return `tuple(${slots.join(', ')}${slots.length === 1 ? ',' : ''})`;
    }
    case 'vector':
      if (constrained && scope.random.chance(0.4)) return `${scope.random.pick(VECTOR_CONSTRAINTS)}[${size()}]`;
      return `vector${bounds(type, scope, constrained)}[${size()}]`;
    case 'matrix':
      if (constrained && scope.random.chance(0.3)) return `${scope.random.pick(SQUARE_CONSTRAINTS)}[${size()}]`;
      if (constrained && scope.random.chance(0.2)) {
        return `${scope.random.pick(MATRIX_CONSTRAINTS)}[${size()}, ${size()}]`;
      }
      return `matrix${bounds(type, scope, constrained)}[${size()}, ${size()}]`;
    case 'row_vector':
      return `row_vector${bounds(type, scope, constrained)}[${size()}]`;
    case 'complex_vector':
    case 'complex_row_vector':
      return `${type.kind}[${size()}]`;
    case 'complex_matrix':
      return `complex_matrix[${size()}, ${size()}]`;
    default:
      return `${type.kind}${bounds(type, scope, constrained)}`;
  }
}

function bounds(type: Type, scope: Scope, constrained: boolean): string {
  const { random } = scope;
  const isAllowed = constrained && type.kind !== 'complex';
  if (!(isAllowed ? random.chance(0.4) : scope.isWrong())) return '';
  if (type.kind === 'int') return random.pick(['<lower=0>', '<upper=9>', '<lower=0, upper=5>']);
  const free = random.chance(0.3) ? expression(random.chance(0.7) ? REAL : type, 1, scope) : '2.5';
  return random.pick([
    '<lower=-3>',
    '<upper=4>',
    '<lower=-1, upper=1>',
    '<offset=0.5, multiplier=2>',
    '<multiplier=3>',
    `<offset=(${free})>`,
    `<lower=(${free}) - 3>`,
    `<lower=(${free}), upper=(${free}) + 10>`,
  ]);
}

/** Without sizes, as in function signatures. */
export function unsizedType(type: Type): string {
  switch (type.kind) {
    case 'array': {
      let depth = 0;
      let element: Type = type;
      for (; element.kind === 'array'; element = element.element) depth++;
      return `array[${','.repeat(depth - 1)}] ${unsizedType(element)}`;
    }
    case 'tuple':
      return `tuple(${type.elements.map(unsizedType).join(', ')}${type.elements.length === 1 ? ',' : ''})`;
    default:
      return type.kind;
  }
}
