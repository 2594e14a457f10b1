import type { Builder } from '../../ir/builder.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import type { AutodiffLevel } from '../../language/types.js';
import type { MessagePart } from '../ensure.js';
import type { JacobianSink } from '../entry.js';

/** The elements of one value, a vector or a column-major matrix, inside a larger container. */
export interface ReadableSlice {
  readonly read: (position: Expr) => Expr;
}

/** A slice that can also be written. */
export interface Slice extends ReadableSlice {
  readonly write: (position: Expr, value: Expr) => void;
  /** Address of the first element, for kernels, if the elements are contiguous. */
  readonly address?: KernelArgument;
}

/** The start of messages about a value: the checking function, and the name of the value with its array indexes. */
export interface Subject {
  /** The function whose argument is checked; undefined for a variable of the program. */
  readonly function?: string;
  readonly name: readonly MessagePart[];
}

/** The context in which a transform is used. */
interface Use {
  /** Null if only the value is needed. */
  readonly jacobian: JacobianSink | null;
  /** Whether the free value may depend on parameters. Stan omits some checks if it does. */
  readonly level: AutodiffLevel;
}

/**
 * A constraint on a whole vector or matrix with constrained sizes `sizes`. Transforms are written as scalar statements, so they need no
 * derivative rules.
 */
export interface StructuredConstraint {
  /** Sizes of the unconstrained value. */
  readonly freeSizes: (sizes: readonly Expr[]) => readonly Expr[];
  readonly constrain: (builder: Builder, sizes: readonly Expr[], free: ReadableSlice, out: Slice, use: Use) => void;
  /** The inverse of `constrain`. Rejects a value that violates the constraint, with the message of Stan's inverse. */
  readonly unconstrain: (builder: Builder, sizes: readonly Expr[], value: Slice, out: Slice) => void;
  /**
   * Moves a value onto the constraint if relative rounding errors of at most `rounding` in its elements explain the violation. Absent if
   * rounding violates no constraint.
   */
  readonly correct?: (builder: Builder, sizes: readonly Expr[], value: Slice, rounding: Expr) => void;
  /** Stan's check of a declared variable. */
  readonly check: (builder: Builder, sizes: readonly Expr[], value: Slice, subject: Subject) => void;
  /** Whether Stan's check omits the position in an array. */
  readonly anonymousInArrays?: boolean;
}

/** Stan's tolerance for sums, norms, symmetry and diagonals of constrained values. */
export const TOLERANCE = 1e-8;
