import type { ProfileMark, ScalarType, TupleStep } from '../ir/nodes.js';

export type { ProfileMark, TupleStep };

/**
 * The description that a host needs to run a compiled module: where data are written, what the outputs are, and what the module reports
 * through its import. It is plain data, so that it can be stored as JSON beside the module.
 */
export interface Artifact {
  readonly name: string;
  readonly data: readonly DataLayout[];
  readonly outputs: readonly OutputLayout[];
  /** The meaning of the module's call `report(site)`. */
  readonly sites: readonly Site[];
  readonly layout: MemoryLayout;
  /** Present if second derivatives were requested. */
  readonly hessian?: HessianSource;
  /** Present if partially centered coordinates were requested. */
  readonly centering?: CenteringLayout;
  /** Present if parameters were to be integrated out. */
  readonly integration?: IntegrationLayout;
  /** Present if gradients of parts of the log density were requested. */
  readonly steps?: StepsLayout;
}

/**
 * The steps of the log density. `log_density_gradient_0` is the gradient without any step, `log_density_gradient_1` that of the first step,
 * `log_density_gradient_2` that of the first two, and so on; `log_density_gradient` is the gradient of all steps.
 */
export interface StepsLayout {
  /** Statements of the program, in program order. */
  readonly sources: readonly StepSource[];
  /** What each step computes. */
  readonly steps: readonly (readonly StepPartLayout[])[];
  /** Number of execution counters. */
  readonly counters: number;
}

export interface StepSource extends Stretch {
  readonly text: string;
}

interface StepPartLayout {
  /** Index of a statement of the program. */
  readonly source: number;
  /** Estimated operations in one execution. */
  readonly weight: number;
  /** Index of its execution counter; null outside of loops and branches. */
  readonly counter: number | null;
}

/** Parameters with partially centered coordinates, in the order of their elements' places. */
export interface CenteringLayout {
  readonly names: readonly string[];
  /** Parameters that have locations and scales but keep their coordinates, each with the reason, as the end of a sentence. */
  readonly leftAlone: readonly { readonly name: string; readonly reason: string }[];
}

/** Parameters that are not part of the position, but drawn from their distribution given the position. */
export interface IntegrationLayout {
  readonly integrated: readonly string[];
  /** Other parameters, each with the reason, as the end of a sentence. */
  readonly sampled: readonly { readonly name: string; readonly reason: string }[];
  /** Whether the integrated parameters are coefficients and scalars alone. */
  readonly isRegression: boolean;
  /** Whether the data decide if integration pays. */
  readonly isOpen: boolean;
  /**
   * The same program without integrated parameters, for data with which integration does not pay, and the custom section that contains its
   * module. Absent unless `isOpen`.
   */
  readonly alternative?: { readonly artifact: Artifact; readonly section: string };
  /** For an alternative in use: the work of a step with integrated parameters, as a multiple of the work without them. */
  readonly declinedFactor?: number;
}

/** The source of second derivatives: the module, or differences of gradients, with a reason. */
export type HessianSource = { readonly kind: 'exact' } | { readonly kind: 'differences'; readonly reason: string };

export type ElementKind = 'int' | 'real' | 'vector' | 'row_vector' | 'matrix';

interface MemoryLayout {
  /** State of the random number generator. */
  readonly randomState: number;
  /** Address of the values of a reported site, as f64. */
  readonly values: number;
  readonly calls?: CallsLayout;
  /** First free byte, where data and everything after them start. */
  readonly free: number;
  /** Number of exported globals, named `0`, `1`, …; absent in modules of earlier versions, which do not export them. */
  readonly globals?: number;
  /** Absent in modules of earlier versions, which do not export the global `control`. */
  readonly isMovable?: true;
}

/**
 * The open calls of a program that calls functions: their number is at `count` as i32, and their sites at `sites`, outermost first; call
 * number `room` overwrites the first, and so on.
 */
export interface CallsLayout {
  readonly count: number;
  readonly sites: number;
  /** A power of 2. */
  readonly room: number;
}

/** Before `prepare`, the host writes to `slot` an i32 or f64, or, with `rank` > 0, an i32 pointer and `rank` i32 sizes. */
export interface DataLayout {
  readonly name: string;
  readonly arrayDepth: number;
  readonly element: ElementKind;
  readonly type: ScalarType;
  readonly rank: number;
  readonly slot: number;
  readonly declaredAt: Stretch;
  /** For complex numbers: 0 in the variable of the real parts, 1 in that of the imaginary ones, which has the same name. */
  readonly complexPart?: number;
}

/** After `prepare`, the sizes are at address `sizes` as i32, followed by the `unconstrainedRank` unconstrained sizes. */
export interface OutputLayout {
  readonly name: string;
  readonly block: 'parameters' | 'transformed parameters' | 'generated quantities';
  readonly arrayDepth: number;
  readonly element: ElementKind;
  readonly sizes: number;
  readonly rank: number;
  readonly unconstrainedRank: number;
  /** For a slot `a.1.2` of tuples: the number of leading sizes that belong to the arrays of tuples around each slot of the name. */
  readonly tupleAxes?: readonly number[];
  /** Complex numbers: the last size is 2, and all real parts are written before the imaginary ones. */
  readonly isComplex?: boolean;
  /** Location of a parameter's declaration. */
  readonly declaredAt?: Stretch;
}

export interface Location {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
  readonly includedFrom: Location | null;
}

/** A statement of the program, where it is known. */
export interface Stretch {
  readonly begin: Location | null;
  readonly end: Location | null;
}

export interface Site extends Stretch {
  /**
   * `rejection` and `error` end the evaluation, `print` and `profile` do not. `call` only gives the location of an open call,
   * `allocation` that of an allocation.
   */
  readonly kind: 'rejection' | 'error' | 'print' | 'profile' | 'call' | 'allocation';
  readonly parts: readonly SitePart[];
  /** Inside user functions: the statements that call them, innermost first. */
  readonly callers?: readonly Stretch[];
  readonly profile?: ProfileMark;
  /** Whether checks and rejections run in a different order than in the program; the unoptimized log density then determines the first failure. */
  readonly isReordered?: boolean;
  /** An instance shows only the first of these prints. */
  readonly once?: boolean;
}

/** Each part except `text` takes its values from the area `values`, in order. */
export type SitePart =
  | { readonly kind: 'text'; readonly text: string }
  /** Value number `value`. `fixed` prints six decimals, `precision` is the number of significant digits instead of six. */
  | {
      readonly kind: 'scalar';
      readonly type: ScalarType;
      readonly value: number;
      readonly fixed: boolean;
      readonly precision?: number;
    }
  /** Value number `value` is the size of a container for which an index is out of range. */
  | { readonly kind: 'range'; readonly value: number }
  /** Value number `value` is the address; the next `rank` values are the sizes. */
  | {
      readonly kind: 'container';
      readonly type: ScalarType;
      readonly value: number;
      readonly rank: number;
      readonly element: 'scalar' | 'vector' | 'row_vector' | 'matrix';
      /** Steps through tuples, for containers that are printed as one (see `TupleStep`). */
      readonly within?: readonly TupleStep[];
      readonly aligned?: boolean;
    };
