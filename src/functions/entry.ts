import type { Builder } from '../ir/builder.js';
import type { Expr } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { Type } from '../language/types.js';
import type { SignatureSource } from './signatures.js';

/**
 * One function of the library: the only definition of its signatures, computation, checks and messages. `build` writes the function as IR;
 * because IR is differentiable, entries contain no derivatives, except those of the rows of `ir/ops.ts` (scalar operations) and
 * `functions/kernels.ts` (linear algebra).
 */
export interface FunctionEntry {
  /** Stan's name with its suffix: `exp`, `normal_lpdf`, `normal_rng`. `_lupdf`/`_lupmf` are derived from `_lpdf`/`_lpmf`. */
  readonly name: string;
  readonly family: string;
  readonly documentation: Documentation;
  readonly signatures: SignatureSource;
  /** Value of a call; arguments have been promoted to a signature's types. */
  build(builder: Builder, args: readonly Value[], call: Call): Value;
  /**
   * Densities only: adds the terms of the log density to a sink instead of returning a value, so that `target += …` and `~` become loops
   * that can be reversed at once.
   */
  readonly addTo?: (builder: Builder, args: readonly Value[], sink: Sink, call: Call) => void;
}

/** The entry of a log density. */
export type DensityEntry = FunctionEntry & { readonly addTo: NonNullable<FunctionEntry['addTo']> };

export interface Documentation {
  /** A sentence that describes what it computes. */
  readonly computes: string;
  readonly domain?: string;
  readonly source?: string;
}

export interface Call {
  readonly name: string;
  readonly result: Type;
  /** Terms whose arguments are all data may be dropped (`~`, `_lupdf`). */
  readonly dropConstants: boolean;
  /** Receives the log Jacobian of a `_jacobian` function; null outside log densities. */
  readonly jacobian: JacobianSink | null;
}

/** Receives the terms of a transform's log Jacobian. */
export type JacobianSink = (value: Expr) => void;

/** Receives the terms of a log density. `constant` ones count only while constants are kept. */
export interface Sink {
  add(builder: Builder, value: Expr, term: 'always' | 'constant'): void;
}
