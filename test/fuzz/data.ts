import type { JsonData, StanJson } from '../../src/formats/stan-json.js';
import { Real } from '../../src/formats/stan-json.js';
import type { Constraint, Expression, NamedConstraint, Program, SizedType } from '../../src/syntax/ast.js';
import type { Random } from './random.js';

type Numbers = ReadonlyMap<string, number>;

const ASSUMED_SIZE = 2;
/** Maximum size of a container, whatever its declaration requires. */
const LARGEST_SIZE = 12;

/** Values for the variables of the data block that match their types and, as far as can be determined, their constraints. */
export function randomData(program: Program, random: Random): JsonData {
  const known = new Map<string, number>();
  const data: Record<string, StanJson> = {};
  for (const statement of program.data?.statements ?? []) {
    if (statement.kind !== 'declaration') continue;
    for (const { name } of statement.variables) {
      const value = randomValue(statement.type, known, random);
      data[name.name] = value;
      if (typeof value === 'number') known.set(name.name, value);
    }
  }
  return data;
}

function randomValue(type: SizedType, known: Numbers, random: Random): StanJson {
  switch (type.kind) {
    case 'int':
      return intWithin(type.constraint, known, random);
    case 'real':
      return new Real(realWithin(type.constraint, known, random));
    case 'complex':
      return [new Real(random.smallReal()), new Real(random.smallReal())];
    case 'array':
      return type.sizes.reduceRight<() => StanJson>(
        (element, size) => () => Array.from({ length: sizeOf(size, known) }, element),
        () => randomValue(type.element, known, random),
      )();
    case 'tuple':
      return Object.fromEntries(
        type.elements.map((element, k) => [String(k + 1), randomValue(element, known, random)]),
      );
    case 'vector':
    case 'row_vector':
      return vectorOf(type.constraint, sizeOf(type.size, known), () => realWithin(type.constraint, known, random));
    case 'complex_vector':
    case 'complex_row_vector':
      return table(sizeOf(type.size, known), 2, () => random.smallReal());
    case 'matrix': {
      const [rows, columns] = [sizeOf(type.rows, known), sizeOf(type.columns, known)];
      return matrixOf(type.constraint, rows, columns, () => realWithin(type.constraint, known, random));
    }
    case 'complex_matrix': {
      const columns = sizeOf(type.columns, known);
      return Array.from({ length: sizeOf(type.rows, known) }, () => table(columns, 2, () => random.smallReal()));
    }
  }
}

function table(rows: number, columns: number, element: (i: number, j: number) => number): StanJson {
  return Array.from({ length: rows }, (_, i) => Float64Array.from({ length: columns }, (_, j) => element(i, j)));
}

function isNamed(constraint: Constraint): constraint is { readonly kind: NamedConstraint } {
  return Object.keys(constraint).length === 1 && constraint.kind !== 'none';
}

function vectorOf(constraint: Constraint, size: number, free: () => number): Float64Array {
  const element = (k: number): number => {
    if (!isNamed(constraint)) return free();
    switch (constraint.kind) {
      case 'simplex':
        return 1 / size;
      case 'unit_vector':
        return k === 0 ? 1 : 0;
      case 'sum_to_zero_vector':
        return size % 2 === 1 && k === size - 1 ? 0 : k % 2 === 0 ? 0.5 : -0.5;
      default:
        return k + 1;
    }
  };
  return Float64Array.from({ length: size }, (_, k) => element(k));
}

function matrixOf(constraint: Constraint, rows: number, columns: number, free: () => number): StanJson {
  if (!isNamed(constraint)) return table(rows, columns, free);
  switch (constraint.kind) {
    case 'row_stochastic_matrix':
      return table(rows, columns, () => 1 / columns);
    case 'column_stochastic_matrix':
      return table(rows, columns, () => 1 / rows);
    case 'sum_to_zero_matrix':
      return table(rows, columns, () => 0);
    default:
      return table(rows, columns, (i, j) => (i === j ? 1 : 0));
  }
}

function boundsOf(constraint: Constraint, known: Numbers): readonly [number | undefined, number | undefined] {
  return [
    'lower' in constraint ? evaluate(constraint.lower, known) : undefined,
    'upper' in constraint ? evaluate(constraint.upper, known) : undefined,
  ];
}

function intWithin(constraint: Constraint, known: Numbers, random: Random): number {
  const [lower, upper] = boundsOf(constraint, known);
  const least = Math.ceil(lower ?? Math.min(1, upper ?? 1));
  const most = Math.floor(upper ?? least + 3);
  return Math.trunc(least + random.below(Math.max(1, Math.min(most - least + 1, 4))));
}

function realWithin(constraint: Constraint, known: Numbers, random: Random): number {
  const [lower, upper] = boundsOf(constraint, known);
  const unit = (random.smallReal() + 1) / 2;
  if (lower !== undefined && upper !== undefined) return lower + unit * (upper - lower);
  if (lower !== undefined) return lower + 2 * unit;
  if (upper !== undefined) return upper - 2 * unit;
  return 2 * random.smallReal();
}

function sizeOf(size: Expression, known: Numbers): number {
  const value = evaluate(size, known) ?? ASSUMED_SIZE;
  return Math.max(0, Math.min(LARGEST_SIZE, Math.trunc(value)));
}

/** The value of arithmetic on numbers and known variables; undefined for other expressions. */
function evaluate(expression: Expression, known: Numbers): number | undefined {
  switch (expression.kind) {
    case 'int':
    case 'real':
      return Number(expression.text);
    case 'variable':
      return known.get(expression.name);
    case 'parenthesis':
      return evaluate(expression.inner, known);
    case 'prefix': {
      const value = evaluate(expression.operand, known);
      return value === undefined ? undefined : expression.operator === '-' ? -value : value;
    }
    case 'binary': {
      const [left, right] = [evaluate(expression.left, known), evaluate(expression.right, known)];
      if (left === undefined || right === undefined) return undefined;
      switch (expression.operator) {
        case '+':
          return left + right;
        case '-':
          return left - right;
        case '*':
          return left * right;
        case '%/%':
          return Math.trunc(left / right);
        default:
          return undefined;
      }
    }
    default:
      return undefined;
  }
}
