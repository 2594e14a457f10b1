import type { Builder } from '../../ir/builder.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import type { AutodiffLevel } from '../../language/types.js';
import type { MessagePart } from '../ensure.js';
import type { JacobianSink } from '../entry.js';

/** Elements of one value (a vector or a matrix in column-major order) inside a larger container. */
export interface ReadableSlice {
  readonly read: (position: Expr) => Expr;
}

/** One that is also written. */
export interface Slice extends ReadableSlice {
  readonly write: (position: Expr, value: Expr) => void;
  /** Address of the first element, for kernels, if the elements are contiguous. */
  readonly address?: KernelArgument;
}

/** How messages about a value begin: the function that checks, and the value's name with its array indexes. */
export interface Subject {
  /** The function whose argument it is; undefined for a variable of the program. */
  readonly function?: string;
  readonly name: readonly MessagePart[];
}

/** How a transform is used. */
interface Use {
  /** Null if only the value is needed. */
  readonly jacobian: JacobianSink | null;
  /** Whether the free value depends on parameters: Stan makes some checks only if it does not. */
  readonly level: AutodiffLevel;
}

/**
 * A constraint on a whole vector or matrix: `sizes` are its constrained sizes. It is written as scalar statements, from which the
 * derivatives follow.
 */
export interface StructuredConstraint {
  /** Sizes of the unconstrained value. */
  readonly freeSizes: (sizes: readonly Expr[]) => readonly Expr[];
  readonly constrain: (builder: Builder, sizes: readonly Expr[], free: ReadableSlice, out: Slice, use: Use) => void;
  /** The inverse of `constrain`; rejects a value that violates the constraint with the message of Stan's inverse. */
  readonly unconstrain: (builder: Builder, sizes: readonly Expr[], value: Slice, out: Slice) => void;
  /** Stan's check of a declared variable. */
  readonly check: (builder: Builder, sizes: readonly Expr[], value: Slice, subject: Subject) => void;
  /** Stan's check does not report the position in an array. */
  readonly anonymousInArrays?: boolean;
}

/** Stan's tolerance for sums, norms, symmetry and diagonals of constrained values. */
export const TOLERANCE = 1e-8;
