import type { Span } from '../source/span.js';
import type { OpName } from './ops.js';

/**
 * The typed, structured intermediate representation. Scalars are mutable locals; containers are `Ref`s: a pointer
 * into linear memory with run-time sizes, elements contiguous (array dimensions row by row outside, the matrix inside
 * column by column, as Stan stores them). Elementwise container arithmetic has become `for` loops over scalar
 * expressions, so differentiation needs one rule for each scalar operation and kernel, and every loop is already fused.
 * Expressions are pure and may be shared between parents (a DAG); statements form a tree. All indexes count from 0.
 */
export type ScalarType = 'int' | 'real';

/** A mutable scalar. `global` ones are written in `prepare` and keep their value for the life of an instance. */
export interface Local {
  readonly kind: 'local';
  readonly id: number;
  readonly name: string;
  readonly type: ScalarType;
  readonly storage: 'local' | 'global';
}

/** A container: `rank` sizes, elements of `element` (int: 4 bytes, real: 8 bytes). A view shares its parent's memory. */
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

/** Which of Stan's four log densities a term of `target` belongs to. */
export type TargetTerm =
  /** In every form. */
  | 'always'
  /** Dropped by `~` and `_lupdf` when constants are dropped (propto). */
  | 'constant'
  /** Log Jacobian of a parameter's transform. */
  | 'jacobian';

/**
 * The message of a failed check or `reject`. `{0}`, `{1}`… in `template` are replaced with the values, printed as C++ streams print
 * them; `{0:f}` prints with six decimals, `{0:range}` the permitted indexes of a container of that size. `span` is the statement of the program, for the location suffix.
 */
export interface Failure {
  readonly kind: 'rejection' | 'error';
  readonly template: string;
  readonly span: Span | null;
  /** Inside user functions: the statements that call them, innermost first. */
  readonly callers?: readonly Span[];
  /** Whether iterations run in another order than the program's, so that another check may be the first one to fail there. */
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
      /** Steps through tuples, for containers that are printed as one, element by element in parentheses. */
      readonly within?: readonly TupleStep[];
      /** A matrix as Stan's library prints it in messages: one line per row, with aligned columns. */
      readonly aligned?: boolean;
    };

/** An end of a `profile` block. A block that is left by a jump has no `leave`. */
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
  /** Takes fresh memory for `ref`. Without fill the contents are undefined and must be written before they are read. */
  | {
      readonly kind: 'allocate';
      readonly ref: Ref;
      readonly sizes: readonly Expr[];
      readonly fill: 'none' | 'uninitialized' | 'zero';
      /** The statement of the program that needs the memory, and those that call the functions around it. */
      readonly span?: Span | null;
      readonly callers?: readonly Span[];
    }
  /** Makes `ref` a view of its parent: its first element is `offset` elements after the parent's first, and it has its own sizes. */
  | { readonly kind: 'view'; readonly ref: Ref; readonly offset: Expr; readonly sizes: readonly Expr[] }
  /** Adds to `target`. `span` is the statement outside of functions, if only one adds the term. */
  | { readonly kind: 'target'; readonly value: Expr; readonly term: TargetTerm; readonly span: Span | null }
  /**
   * Runs `body` with `index` = from, from + 1, …, below `to`. Both ends are evaluated once; the body never writes `index`. Ints wrap: if
   * the sum `to` wraps, the last iteration has the greatest int.
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
      /** Where the program calls: part of the message of a failure inside. */
      readonly span?: Span | null;
      readonly callers?: readonly Span[];
    }
  /** Stops the evaluation with `failure` unless `condition` (int) is non-zero. */
  | { readonly kind: 'check'; readonly condition: Expr; readonly failure: Failure; readonly values: readonly Expr[] }
  /** Prints, or marks an end of a `profile` block for the host's clock. An instance shows only the first output that is printed `once`. */
  | {
      readonly kind: 'print';
      readonly parts: readonly PrintPart[];
      readonly profile?: ProfileMark;
      readonly once?: boolean;
    }
  /** `reject`/`fatal_error`: stops with the printed parts as message. */
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

/** Statements that only differentiation makes. */
export type GradientStatement =
  /** adjoint of ref[index] += value */
  | { readonly kind: 'add_adjoint'; readonly ref: Ref; readonly index: Expr; readonly value: Expr }
  | { readonly kind: 'set_adjoint'; readonly ref: Ref; readonly index: Expr; readonly value: Expr }
  /** Saves a value on the tape; `pop` restores values in the reverse order. */
  | { readonly kind: 'push'; readonly value: Expr }
  | { readonly kind: 'pop'; readonly local: Local }
  /** Restores `ref`'s pointer and sizes as they were pushed. */
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
 * A user function that is called, not inlined (recursion, or in large blocks). Results are assigned before an `exit` of `FUNCTION_LABEL`; what it
 * adds to `target` is one of them.
 */
export interface IrFunction {
  readonly id: number;
  readonly name: string;
  readonly parameters: readonly Variable[];
  readonly results: readonly Variable[];
  readonly body: Block;
  /** In the forward part of a differentiated function: containers whose adjoints are zero when they are allocated. */
  readonly cleared?: ReadonlySet<Ref>;
}

/** A `data` variable: the host finds it by name, checks its type and writes it to memory before `prepare` runs. */
export interface DataVariable {
  readonly name: string;
  readonly variable: Variable;
  /** Stan's declared unsized type as the host must read it: array depth and innermost kind. */
  readonly arrayDepth: number;
  readonly element: 'int' | 'real' | 'vector' | 'row_vector' | 'matrix';
  readonly declaredAt?: Span;
  /** For complex numbers: 0 in the variable of the real parts, 1 in that of the imaginary ones, which has the same name. */
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
  /** Complex numbers: the last size is 2, and all real parts are written before the imaginary ones. */
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
  /** Non-zero while constants are kept (propto false): `constant` terms count. Set by the host before `logDensity`. */
  readonly keepConstants: Local;
  /** Non-zero while the transforms' Jacobians count. Set by the host before `logDensity`. */
  readonly keepJacobian: Local;
  /** Flags of `generate`, set by the host before the call. */
  readonly includeTransformedParameters: Local;
  readonly includeGeneratedQuantities: Local;
  /** Data sizes' and values' checks, transformed data; afterwards all globals are set. */
  readonly prepare: Block;
  readonly logDensity: Block;
  readonly generate: Block;
  readonly unconstrain: Block;
  /** What part of the log density has wrong second derivatives, as the subject of a sentence. */
  readonly withoutSecondDerivatives?: string;
  readonly centering?: Centering;
  readonly slicing?: Slicing;
}

/** The slice to evaluate, from 0, and the number of slices. Set by the host before any evaluation. */
export interface Slicing {
  readonly slice: Local;
  readonly slices: Local;
}

/** Estimates of the nanoseconds of a gradient in slices: `target` of blocks that read sizes and integers of data alone. */
export interface SlicedWork {
  /** Work that is divided among the slices. */
  readonly divided: Block;
  /** All other work, which each slice does. */
  readonly shared: Block;
}

/** Parameters with partially centered coordinates. */
interface Centering {
  /** For each of their elements a number in [0, 1], 1 for centered, and the logarithm of a scale; set by the host before any evaluation. Rank 1. */
  readonly places: Ref;
  /** For each a location, a scale and the log derivative of the coordinate as it is declared: output of `generate`. Rank 1. */
  readonly origins: Ref;
  /** In the order of their elements. */
  readonly names: readonly string[];
  /** Parameters that have locations and scales and keep their coordinates, each with the reason. */
  readonly leftAlone: readonly { readonly name: string; readonly reason: string }[];
}
