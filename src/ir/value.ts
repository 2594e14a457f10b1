import type { AutodiffLevel, Type } from '../language/types.js';
import type { Expr, Ref } from './nodes.js';

/**
 * The value of a Stan expression during lowering. A scalar is an expression. A container has sizes and can compute any element on demand:
 * elementwise functions are composed, and the consumer of the outermost value writes one loop. `ref` is set if the elements are contiguous
 * in memory. Kernels require that; `Builder.materialize` ensures it.
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
  /**
   * All sizes: array dimensions, then the vector length or the rows and columns of a matrix. Expressions that are cheap and may be
   * evaluated repeatedly.
   */
  readonly sizes: readonly Expr[];
  /** The element at a linear position in memory order (arrays row-major, matrices column-major). */
  readonly flat: (position: Expr) => Expr;
  /** The element at zero-based indexes, one per size. */
  readonly at: (...indexes: Expr[]) => Expr;
  readonly ref: Ref | null;
  /** Whether `flat` divides positions into indexes, so that a loop over all elements is faster with `at`. */
  readonly nested: boolean;
  /** Whether an element costs more than a load and cheap arithmetic, so that a second use should materialize the value. */
  readonly costly: boolean;
}

/**
 * A value that consists of several values: the slots of a tuple, or the real and the imaginary part of a complex number. An array of tuples
 * is a composite of arrays, and a complex matrix a composite of two matrices (`partsOf` in language/types.ts), so that code for real
 * containers also handles these.
 */
export interface CompositeValue {
  readonly kind: 'composite';
  readonly type: Type;
  readonly level: AutodiffLevel;
  /** One value for each type of `partsOf(type)`. */
  readonly parts: readonly Value[];
}
