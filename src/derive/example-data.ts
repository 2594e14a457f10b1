/** Generates example data for a program: sizes are small, and values satisfy the declared constraints. */
import type { Constraint, Expression, Program, SizedType } from '../syntax/ast.js';
import { visitExpression } from '../syntax/walk.js';
import { evaluate, type Values } from './data-arithmetic.js';

/** A value of Stan's JSON data format. */
type ExampleValue = number | readonly ExampleValue[] | { readonly [name: string]: ExampleValue };

export type ExampleData = Readonly<Record<string, ExampleValue>>;

/** One value per variable of the data block, in order. */
export function exampleData(program: Program): ExampleData {
  return new Example(program).variables();
}

/** Default value of an int in the data that is a size. */
const SIZE = 3;
/** Maximum size of a container. */
const LARGEST = 20;
/** Number of distinct values of a variable without an upper bound. */
const STEPS = 3;

class Example {
  readonly #known = new Map<string, ExampleValue>();
  readonly #sizes = new Set<string>();
  readonly #program: Program;
  readonly #lookUp: Values = (name) => {
    const value = this.#known.get(name);
    return typeof value === 'number'
      ? value
      : Array.isArray(value)
        ? value.filter((each) => typeof each === 'number')
        : undefined;
  };

  constructor(program: Program) {
    this.#program = program;
    for (const type of this.#types()) this.#noteSizes(type);
  }

  variables(): ExampleData {
    for (const statement of this.#program.data?.statements ?? []) {
      if (statement.kind !== 'declaration') continue;
      for (const { name } of statement.variables) {
        const isSize = statement.type.kind === 'int' && this.#sizes.has(name.name);
        const value = isSize ? this.#size(statement.type) : this.#value(statement.type);
        this.#known.set(name.name, value);
      }
    }
    return Object.fromEntries(this.#known);
  }

  #types(): SizedType[] {
    const { data, transformedData, parameters } = this.#program;
    const statements = [data, transformedData, parameters].flatMap((block) => block?.statements ?? []);
    return statements.flatMap((statement) => (statement.kind === 'declaration' ? [statement.type] : []));
  }

  /** Records the variables in sizes and in upper bounds of ints. */
  #noteSizes(type: SizedType): void {
    const note = (expression: Expression) =>
      visitExpression(expression, {
        expression: (part) => {
          if (part.kind === 'variable') this.#sizes.add(part.name);
        },
        statement: () => undefined,
      });
    if (type.kind === 'int' && 'upper' in type.constraint) note(type.constraint.upper);
    else if (type.kind === 'array') {
      type.sizes.forEach(note);
      this.#noteSizes(type.element);
    } else if (type.kind === 'tuple') for (const element of type.elements) this.#noteSizes(element);
    else if ('size' in type) note(type.size);
    else if ('rows' in type) [type.rows, type.columns].forEach(note);
  }

  #size(type: SizedType): number {
    const { lower, upper } = this.#bounds('constraint' in type ? type.constraint : { kind: 'none' });
    return Math.max(lower ?? 0, Math.min(upper ?? SIZE, Math.max(SIZE, lower ?? 0)));
  }

  /** `place` is the index of the value in its container, which has `count` elements. */
  #value(type: SizedType, place = 0, count = 1): ExampleValue {
    switch (type.kind) {
      case 'int':
        return this.#integer(type.constraint, place);
      case 'real':
        return this.#real(type.constraint, place, count);
      case 'complex':
        return [place + 1, 0];
      case 'array':
        return this.#array(type.sizes, type.element);
      case 'tuple':
        return Object.fromEntries(type.elements.map((element, slot) => [`${slot + 1}`, this.#value(element)]));
      case 'vector':
      case 'row_vector':
        return this.#vector(type.constraint, this.#length(type.size));
      case 'complex_vector':
      case 'complex_row_vector':
        return this.#each(this.#length(type.size), (k) => [k + 1, 0]);
      case 'matrix':
        return this.#matrix(type.constraint, this.#length(type.rows), this.#length(type.columns));
      case 'complex_matrix': {
        const columns = this.#length(type.columns);
        return this.#each(this.#length(type.rows), (i) => this.#each(columns, (j) => [i * columns + j + 1, 0]));
      }
    }
  }

  #array(sizes: readonly Expression[], element: SizedType): ExampleValue {
    const lengths = sizes.map((size) => this.#length(size));
    const count = lengths.reduce((product, length) => product * length, 1);
    let place = 0;
    const build = ([length, ...others]: readonly number[]): ExampleValue =>
      length === undefined ? this.#value(element, place++, count) : this.#each(length, () => build(others));
    return build(lengths);
  }

  #each(length: number, value: (place: number) => ExampleValue): readonly ExampleValue[] {
    return Array.from({ length }, (_, place) => value(place));
  }

  #integer(constraint: Constraint, place: number): number {
    const { lower, upper } = this.#bounds(constraint);
    if (lower === undefined && upper !== undefined) return upper - (place % STEPS);
    const from = lower ?? 1;
    return from + (place % (upper === undefined ? STEPS : Math.max(1, upper - from + 1)));
  }

  #real(constraint: Constraint, place: number, count: number): number {
    const { lower, upper } = this.#bounds(constraint);
    if (lower !== undefined && upper !== undefined) return lower + ((upper - lower) * (place + 1)) / (count + 1);
    return upper !== undefined ? upper - count + place : (lower ?? 0) + place + 1;
  }

  #vector(constraint: Constraint, length: number): ExampleValue {
    const all = (value: number) => this.#each(length, () => value);
    switch (constraint.kind) {
      case 'simplex':
        return all(1 / length);
      case 'unit_vector':
        return all(1 / Math.sqrt(length));
      case 'sum_to_zero_vector':
        return all(0);
      default:
        return this.#each(length, (place) => this.#real(constraint, place, length));
    }
  }

  #matrix(constraint: Constraint, rows: number, columns: number): ExampleValue {
    const element = (value: (row: number, column: number) => number) =>
      this.#each(rows, (row) => this.#each(columns, (column) => value(row, column)));
    switch (constraint.kind) {
      case 'cholesky_factor_corr':
      case 'cholesky_factor_cov':
      case 'corr_matrix':
      case 'cov_matrix':
        return element((row, column) => (row === column ? 1 : 0));
      case 'column_stochastic_matrix':
        return element(() => 1 / rows);
      case 'row_stochastic_matrix':
        return element(() => 1 / columns);
      case 'sum_to_zero_matrix':
        return element(() => 0);
      default:
        return element((row, column) => this.#real(constraint, row * columns + column, rows * columns));
    }
  }

  #bounds(constraint: Constraint): { readonly lower?: number; readonly upper?: number } {
    const lower = 'lower' in constraint ? evaluate(constraint.lower, this.#lookUp) : undefined;
    const upper = 'upper' in constraint ? evaluate(constraint.upper, this.#lookUp) : undefined;
    return { ...(lower !== undefined && { lower }), ...(upper !== undefined && { upper }) };
  }

  #length(size: Expression): number {
    const length = evaluate(size, this.#lookUp) ?? 1;
    return Math.min(LARGEST, Math.max(0, Math.trunc(length)));
  }
}
