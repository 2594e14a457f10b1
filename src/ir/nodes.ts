import type { Span } from '../source/span.js';
import type { OpName } from './ops.js';

/**
 * The typed, structured intermediate representation. Scalars are mutable locals. Containers are `Ref`s: a pointer into linear memory and
 * sizes that are known at run time. Their elements are contiguous: arrays are row-major, and the matrices in them column-major, as in Stan.
 * Elementwise arithmetic on containers has become fused `for` loops over scalar expressions, so differentiation needs one rule per scalar
 * operation and per kernel. Expressions are pure and may be shared between parents (a DAG); statements form a tree. All indexes are
 * zero-based.
 */
export type ScalarType = 'int' | 'real';

/** A mutable scalar. `global` scalars are written in `prepare` and keep their value for the lifetime of an instance. */
export interface Local {
  readonly kind: 'local';
  readonly id: number;
  readonly name: string;
  readonly type: ScalarType;
  readonly storage: 'local' | 'global';
}

/** A container with `rank` sizes and elements of type `element` (int: 4 bytes, real: 8 bytes). A view shares its parent's memory. */
export interface Ref {
  readonly kind: 'ref';
  readonly id: number;
  readonly name: string;
  readonly element: ScalarType;
  readonly rank: number;
  readonly storage: 'local' | 'global';
  readonly parent: Ref | null;
}

export type Variable = Local | Ref;

export type Expr =
  | { readonly kind: 'const'; readonly type: ScalarType; readonly value: number }
  | { readonly kind: 'get'; readonly type: ScalarType; readonly local: Local }
  | { readonly kind: 'load'; readonly type: ScalarType; readonly ref: Ref; readonly index: Expr }
  | { readonly kind: 'load_adjoint'; readonly type: 'real'; readonly ref: Ref; readonly index: Expr }
  | { readonly kind: 'size'; readonly type: 'int'; readonly ref: Ref; readonly axis: number }
  | { readonly kind: 'target'; readonly type: 'real' }
  | { readonly kind: 'apply'; readonly type: ScalarType; readonly op: OpName; readonly args: readonly Expr[] };

export type KernelArgument =
  | Expr
  | { readonly kind: 'pointer'; readonly ref: Ref; readonly offset: Expr | null; readonly adjoint: boolean }
  /** Address of the instance's random number generator state. */
  | { readonly kind: 'random_state' };

/** Determines which of Stan's four log densities include a term of `target`. */
export type TargetTerm =
  /** Included in all of them. */
  | 'always'
  /** A constant term of `~` or `_lupdf`, dropped with propto. */
  | 'constant'
  /** The log Jacobian determinant of a parameter's transform. */
  | 'jacobian';

/**
 * The message of a failed check or `reject`. `{0}`, `{1}`, … in `template` are replaced with the values, formatted as by C++ streams;
 * `{0:f}` prints six decimals, and `{0:range}` the valid indexes of a container of that size. `span` is the source statement, for the
 * location suffix.
 */
export interface Failure {
  readonly kind: 'rejection' | 'error';
  readonly template: string;
  readonly span: Span | null;
  /** Inside user functions: the calling statements, innermost first. */
  readonly callers?: readonly Span[];
  /** Whether the iterations run in a different order than in the program, so that a different check may fail first. */
  readonly isReordered?: boolean;
}

export type PrintPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'scalar'; readonly value: Expr }
  /** A container, printed as Stan prints a value with `arrayDepth` array dimensions around `element`. */
  | {
      readonly kind: 'container';
      readonly ref: Ref;
      readonly element: 'scalar' | 'vector' | 'row_vector' | 'matrix';
      /** The steps through tuples if several containers are printed as one tuple, element by element in parentheses. */
      readonly within?: readonly TupleStep[];
      /** A matrix as Stan's library prints it in messages: one line per row, with aligned columns. */
      readonly aligned?: boolean;
    };

/** The start or the end of a `profile` block. A block that is left by a jump has no `leave`. */
export interface ProfileMark {
  readonly name: string;
  readonly phase: 'enter' | 'leave';
}

/** The position of a container among the slots of tuples: after `axes` of its axes, in slot `slot` (from 0) of `slots`. */
export interface TupleStep {
  readonly axes: number;
  readonly slot: number;
  readonly slots: number;
}

export type Statement =
  | { readonly kind: 'assign'; readonly local: Local; readonly value: Expr }
  | { readonly kind: 'store'; readonly ref: Ref; readonly index: Expr; readonly value: Expr }
  /** Allocates memory for `ref`. With `fill: 'none'` the contents are undefined and must be written before they are read. */
  | {
      readonly kind: 'allocate';
      readonly ref: Ref;
      readonly sizes: readonly Expr[];
      readonly fill: 'none' | 'uninitialized' | 'zero';
      /** The source statement that needs the memory, and the statements that call the functions around it. */
      readonly span?: Span | null;
      readonly callers?: readonly Span[];
    }
  /** Makes `ref` a view of its parent that starts `offset` elements after the parent's first element and has its own sizes. */
  | { readonly kind: 'view'; readonly ref: Ref; readonly offset: Expr; readonly sizes: readonly Expr[] }
  /** Adds to `target`. `span` is the statement outside of functions, if only one adds the term. */
  | { readonly kind: 'target'; readonly value: Expr; readonly term: TargetTerm; readonly span: Span | null }
  /**
   * Runs `body` with `index` = from, from + 1, …, to - 1. Both bounds are evaluated once; the body never writes `index`. If `to` is a sum
   * that wraps, the index of the last iteration is the greatest int.
   */
  | {
      readonly kind: 'for';
      readonly index: Local;
      readonly from: Expr;
      readonly to: Expr;
      readonly body: Block;
    }
  /** Repeats `body` until an `exit` leaves a block around the loop, or while `condition` holds at the start of an iteration. */
  | { readonly kind: 'while'; readonly condition: Expr; readonly body: Block }
  | { readonly kind: 'if'; readonly condition: Expr; readonly then: Block; readonly otherwise: Block }
  /** A block that `exit` with its label leaves: return, break and continue are all exits. */
  | { readonly kind: 'labeled'; readonly label: number; readonly body: Block }
  | { readonly kind: 'exit'; readonly label: number }
  | {
      readonly kind: 'kernel';
      readonly name: string;
      readonly args: readonly KernelArgument[];
      readonly result: Local | null;
    }
  | {
      readonly kind: 'call';
      readonly callee: number;
      readonly args: readonly (Expr | Ref)[];
      readonly results: readonly Variable[];
      /** The calling statement, for the message of a failure inside the function. */
      readonly span?: Span | null;
      readonly callers?: readonly Span[];
    }
  /** Stops the evaluation with `failure` unless `condition` (int) is non-zero. */
  | { readonly kind: 'check'; readonly condition: Expr; readonly failure: Failure; readonly values: readonly Expr[] }
  /**
   * Prints, or marks the start or the end of a `profile` block for the host's clock. Of all outputs with `once`, an instance prints only
   * the first.
   */
  | {
      readonly kind: 'print';
      readonly parts: readonly PrintPart[];
      readonly profile?: ProfileMark;
      readonly once?: boolean;
    }
  /** `reject` or `fatal_error`: stops with the printed parts as its message. */
  | {
      readonly kind: 'reject';
      readonly parts: readonly PrintPart[];
      readonly fatal: boolean;
      readonly span: Span | null;
      readonly callers?: readonly Span[];
      /** See `Failure`. */
      readonly isReordered?: boolean;
    }
  /** Memory allocated inside `body` is freed after it. */
  | { readonly kind: 'arena'; readonly body: Block }
  | GradientStatement;

/** Statements that only differentiation creates. */
export type GradientStatement =
  /** Adds the value to the adjoint of an element. */
  | { readonly kind: 'add_adjoint'; readonly ref: Ref; readonly index: Expr; readonly value: Expr }
  | { readonly kind: 'set_adjoint'; readonly ref: Ref; readonly index: Expr; readonly value: Expr }
  /** Saves a value on the tape; `pop` restores values in reverse order. */
  | { readonly kind: 'push'; readonly value: Expr }
  | { readonly kind: 'pop'; readonly local: Local }
  /** Saves the pointer and the sizes of `ref`; `pop_ref` restores them. */
  | { readonly kind: 'push_ref'; readonly ref: Ref }
  | { readonly kind: 'pop_ref'; readonly ref: Ref }
  | {
      readonly kind: 'for_reverse';
      readonly index: Local;
      readonly from: Expr;
      readonly to: Expr;
      readonly body: Block;
    };

export type Block = readonly Statement[];

/** The statements of some kinds. */
export type StatementOf<Kind extends Statement['kind']> = Extract<Statement, { readonly kind: Kind }>;

/** The label of a function's whole body: its `exit` returns. */
export const FUNCTION_LABEL = 0;

/**
 * A user function that is called, not inlined, because it is recursive or the program is large. It assigns its results before an `exit` of
 * `FUNCTION_LABEL`; its terms of `target` are one of them.
 */
export interface IrFunction {
  readonly id: number;
  readonly name: string;
  readonly parameters: readonly Variable[];
  readonly results: readonly Variable[];
  readonly body: Block;
  /** In the forward part of a differentiated function: containers whose adjoints are set to zero when they are allocated. */
  readonly cleared?: ReadonlySet<Ref>;
  /**
   * Whether optimized blocks contain its body in place of its calls: in place of all, or only if there are few. Such a function only reads its
   * parameters, and has no exits.
   */
  readonly inlined?: 'always' | 'few';
}

/** A `data` variable: the host finds it by name, checks its type and writes it to memory before `prepare` runs. */
export interface DataVariable {
  readonly name: string;
  readonly variable: Variable;
  /** The declared unsized type, which the host checks: array depth and innermost type. */
  readonly arrayDepth: number;
  readonly element: 'int' | 'real' | 'vector' | 'row_vector' | 'matrix';
  readonly declaredAt?: Span;
  /** For complex numbers, which become two variables of the same name: 0 for the real parts, 1 for the imaginary parts. */
  readonly complexPart?: number;
}

/** A parameter, transformed parameter or generated quantity as the host lists and writes it. */
export interface OutputVariable {
  readonly name: string;
  readonly block: 'parameters' | 'transformed parameters' | 'generated quantities';
  readonly arrayDepth: number;
  readonly element: 'int' | 'real' | 'vector' | 'row_vector' | 'matrix';
  /** Sizes of the constrained value; they read only globals that `prepare` has set. */
  readonly sizes: readonly Expr[];
  /** Parameters: sizes of the unconstrained value (its product is the number of unconstrained scalars). */
  readonly unconstrainedSizes: readonly Expr[];
  /** For a slot `a.1.2`: the number of sizes of arrays of tuples before each slot of the name. */
  readonly tupleAxes?: readonly number[];
  /** Complex numbers: the last size is 2, and all real parts are written before all imaginary parts. */
  readonly isComplex?: boolean;
  /** Location of a parameter's declaration. */
  readonly declaredAt?: Span;
}

/** A whole program after lowering. */
export interface IrProgram {
  readonly name: string;
  readonly data: readonly DataVariable[];
  readonly outputs: readonly OutputVariable[];
  readonly globals: readonly Variable[];
  readonly functions: readonly IrFunction[];
  /** The unconstrained parameters: input of `logDensity` and `generate`, output of `unconstrain`. Rank 1. */
  readonly position: Ref;
  /** Constrained values: input of `unconstrain` (all parameters in declaration order), output of `generate`. Rank 1. */
  readonly constrained: Ref;
  /** Non-zero if the log density includes `constant` terms (propto is false). Set by the host before `logDensity`. */
  readonly keepConstants: Local;
  /** Non-zero if the log density includes `jacobian` terms. Set by the host before `logDensity`. */
  readonly keepJacobian: Local;
  /** Flags of `generate`, set by the host before the call. */
  readonly includeTransformedParameters: Local;
  readonly includeGeneratedQuantities: Local;
  /** Bound on the relative rounding errors of the values that `unconstrain` reads; 0 for Stan's checks. Set by the host before the call. */
  readonly rounding: Local;
  /** Checks sizes and values of data, and computes transformed data. Afterwards all globals are set. */
  readonly prepare: Block;
  readonly logDensity: Block;
  readonly generate: Block;
  readonly unconstrain: Block;
  /** The part of the log density whose second derivatives are wrong, as the subject of a sentence. */
  readonly withoutSecondDerivatives?: string;
  readonly centering?: Centering;
  readonly integration?: Integration;
  /** Data-only statements that set globals that `generate` reads. They run once, before any evaluation. */
  readonly statistics?: Block;
  readonly slicing?: Slicing;
}

/** Parameters that are not part of the position. */
interface Integration {
  readonly parameters: readonly IntegratedParameter[];
  /**
   * Rank 1, with one element: the log density of the program at a draw minus the marginal log density. Output of `generate`.
   */
  readonly excess: Ref;
}

/** The number of blocks of adjacent elements, and the number of elements in each. */
export interface BlockSizes {
  readonly count: Expr;
  readonly width: Expr;
}

/** A parameter whose values the log density and `generate` compute. */
export interface IntegratedParameter {
  readonly name: string;
  /**
   * Which of its elements may depend on one another, given all other parameters: for `short`, a scalar or a container with few elements that are
   * read only at constant indexes, and for `dense`, any; for `long`, those with nearby indexes, and for `blocks`, those of the same block.
   */
  readonly form: 'short' | 'long' | 'blocks' | 'dense';
  /** Number of elements. */
  readonly size: Expr;
  /** The columns of a matrix or the innermost vectors of an array; null for a container with one size. */
  readonly blocks: BlockSizes | null;
  /** Its values in the log density. */
  readonly values: Ref;
  /** Its values in `generate`. */
  readonly drawn: Ref;
}

/** The slice to evaluate, from 0, and the number of slices. Set by the host before any evaluation. */
export interface Slicing {
  readonly slice: Local;
  readonly slices: Local;
}

/** Estimated nanoseconds of a gradient in slices. Each block adds its estimate to `target`, and reads only sizes and integers of data. */
export interface SlicedWork {
  /** Work that is divided among the slices. */
  readonly divided: Block;
  /** All other work, which each slice repeats. */
  readonly shared: Block;
}

/** Parameters with partially centered coordinates. */
interface Centering {
  /**
   * For each element of these parameters: its place λ in [0, 1], where 1 is centered, and log τ₀ (see `lower/partial-centering.ts`). Set by
   * the host before any evaluation. Rank 1.
   */
  readonly places: Ref;
  /**
   * For each element: its location, its scale, and the log derivative of the coordinate that its declaration implies. Output of `generate`.
   * Rank 1.
   */
  readonly origins: Ref;
  /** The parameters' names, in the order of their elements. */
  readonly names: readonly string[];
  /** Parameters with a location and a scale that keep their coordinates, each with the reason. */
  readonly leftAlone: readonly { readonly name: string; readonly reason: string }[];
}
