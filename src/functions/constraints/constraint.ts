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
  /** Address of the first element, for kernels, where the elements lie one after another. */
  readonly address?: KernelArgument;
}

/** How messages about a value begin: the function that checks, and the value's name with its array indexes. */
export interface Subject {
  /** Whose argument it is; undefined of a variable of the program. */
  readonly function?: string;
  readonly name: readonly MessagePart[];
}

/** How a transform is used. */
interface Use {
  /** Null where only the value is wanted. */
  readonly jacobian: JacobianSink | null;
  /** Whether the free value depends on parameters: some of Stan's checks are made only where it does not. */
  readonly level: AutodiffLevel;
}

/**
 * A constraint on whole vectors or matrices, for one of them: `sizes` are its constrained sizes. Everything is written
 * as scalar statements, from which the derivatives follow.
 */
export interface StructuredConstraint {
  /** Sizes of the unconstrained value. */
  readonly freeSizes: (sizes: readonly Expr[]) => readonly Expr[];
  readonly constrain: (builder: Builder, sizes: readonly Expr[], free: ReadableSlice, out: Slice, use: Use) => void;
  /** The inverse of `constrain`; refuses a value that does not fulfil the constraint with the words of Stan's inverse. */
  readonly unconstrain: (builder: Builder, sizes: readonly Expr[], value: Slice, out: Slice) => void;
  /** Stan's check of a declared variable. */
  readonly check: (builder: Builder, sizes: readonly Expr[], value: Slice, subject: Subject) => void;
  /** Stan's check does not report the position in an array. */
  readonly anonymousInArrays?: boolean;
}

/** Stan's tolerance for sums, norms, symmetry and diagonals of constrained values. */
export const TOLERANCE = 1e-8;
