import type { AutodiffLevel, Type } from '../language/types.js';
import type { Expr, Ref } from './nodes.js';

/**
 * What a Stan expression becomes while it is lowered. A scalar is an expression. A container has sizes and can compute any element on
 * demand: elementwise functions wrap one another and the consumer of the outermost value writes one loop. `ref` is set when the elements
 * lie contiguous in memory (kernels need that; `Builder.materialize` makes it so).
 */
export type Value = ScalarValue | ContainerValue | CompositeValue;

export interface ScalarValue {
  readonly kind: 'scalar';
  readonly type: Type;
  readonly level: AutodiffLevel;
  readonly value: Expr;
}

export interface ContainerValue {
  readonly kind: 'container';
  readonly type: Type;
  readonly level: AutodiffLevel;
  /** All sizes, array dimensions first, then vector length or matrix rows and columns. Cheap, repeatable expressions. */
  readonly sizes: readonly Expr[];
  /** Element at the linear position of the memory order (arrays row by row, matrices column by column). */
  readonly flat: (position: Expr) => Expr;
  /** Element at zero-based indexes, one per size. */
  readonly at: (...indexes: Expr[]) => Expr;
  readonly ref: Ref | null;
  /** `flat` must divide positions into indexes: to visit all elements, looping over the axes with `at` is faster. */
  readonly nested: boolean;
  /** Computing an element costs more than a load and light arithmetic, so that a second use should materialize. */
  readonly costly: boolean;
}

/**
 * Several values that together are one: the slots of a tuple, or the real and the imaginary part of a complex number. An array of tuples is
 * a composite of arrays, a complex matrix one of two matrices (`partsOf` in language/types.ts), so that code for real containers also
 * handles these.
 */
export interface CompositeValue {
  readonly kind: 'composite';
  readonly type: Type;
  readonly level: AutodiffLevel;
  /** One value for each type of `partsOf(type)`. */
  readonly parts: readonly Value[];
}
