import type { Builder } from '../ir/builder.js';
import type { Expr } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { Type } from '../language/types.js';
import type { SignatureSource } from './signatures.js';

/**
 * A function of the library: the only definition of its signatures, computation, checks and messages. `build` writes the function as IR. IR
 * is differentiable, so entries contain no derivatives; these are defined in `ir/ops.ts` for scalar operations and in
 * `functions/kernels.ts` for linear algebra.
 */
export interface FunctionEntry {
  /** Stan's name with its suffix: `exp`, `normal_lpdf`, `normal_rng`. `_lupdf` and `_lupmf` are derived from `_lpdf` and `_lpmf`. */
  readonly name: string;
  readonly family: string;
  readonly documentation: Documentation;
  readonly signatures: SignatureSource;
  /** The value of a call. The arguments have been promoted to the types of a signature. */
  build(builder: Builder, args: readonly Value[], call: Call): Value;
  /**
   * Densities only: adds the terms of the log density to a sink instead of returning a value, so that the loops of `target += …` and `~`
   * add directly to `target`.
   */
  readonly addTo?: (builder: Builder, args: readonly Value[], sink: Sink, call: Call) => void;
}

/** The entry of a log density. */
export type DensityEntry = FunctionEntry & { readonly addTo: NonNullable<FunctionEntry['addTo']> };

export interface Documentation {
  /** Describes what the function computes, in one sentence. */
  readonly computes: string;
  readonly domain?: string;
  readonly source?: string;
}

export interface Call {
  readonly name: string;
  readonly result: Type;
  /** Whether terms whose arguments are all data may be dropped (`~`, `_lupdf`). */
  readonly dropConstants: boolean;
  /** Receives the log Jacobian of a `_jacobian` function; null outside log densities. */
  readonly jacobian: JacobianSink | null;
}

/** Receives the terms of a transform's log Jacobian. */
export type JacobianSink = (value: Expr) => void;

/** Receives the terms of a log density. `constant` terms count only if constants are kept. */
export interface Sink {
  add(builder: Builder, value: Expr, term: 'always' | 'constant'): void;
}
