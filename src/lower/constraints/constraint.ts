import type { Builder } from '../../ir/builder.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import type { MessagePart } from '../failure.js';

/** Elements of one value (a vector or a matrix in column-major order) inside a larger container. */
export interface Slice {
  readonly read: (position: Expr) => Expr;
  readonly write: (position: Expr, value: Expr) => void;
  /** Address of the first element, where the elements lie one after another. */
  readonly address?: KernelArgument;
}

/** How messages about a value begin: the function that checks, and the value's name with its array indexes. */
export interface Subject {
  readonly function: string;
  readonly name: readonly MessagePart[];
}

/** Where a transform's log Jacobian goes; null where only the value is wanted. */
export type JacobianSink = (value: Expr) => void;

/**
 * A constraint on whole vectors or matrices, for one of them: `sizes` are its constrained sizes. Everything is written
 * as scalar statements, from which the derivatives follow.
 */
export interface StructuredConstraint {
  /** Sizes of the unconstrained value. */
  readonly freeSizes: (sizes: readonly Expr[]) => readonly Expr[];
  readonly constrain: (
    builder: Builder,
    sizes: readonly Expr[],
    free: Slice,
    out: Slice,
    jacobian: JacobianSink | null,
  ) => void;
  /** The inverse of `constrain`; `value` has passed `check` or is tested here with the words of Stan's inverse. */
  readonly unconstrain: (builder: Builder, sizes: readonly Expr[], value: Slice, out: Slice) => void;
  readonly check: (builder: Builder, sizes: readonly Expr[], value: Slice, subject: Subject) => void;
  /** The function and the name in messages of Stan's inverse. */
  readonly inverse: Subject;
}

/** Stan's tolerance for sums, norms, symmetry and diagonals of constrained values. */
export const TOLERANCE = 1e-8;
