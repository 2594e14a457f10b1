/** Options of the methods of a model, and its contents. */

import type { ProgramSource } from '../chain/compiler.js';
import type { LooOptions } from './fit.js';
import type { Point } from './posterior.js';
import type { RefitSampler } from './refits.js';
import type { Data } from './requests.js';

export interface RunOptions {
  /** Aborting this signal ends the run. */
  readonly signal?: AbortSignal;
  /**
   * Whether to keep a sampler's diagnostics: its position, momentum and gradient at each draw, which are three numbers
   * per parameter. True by default.
   */
  readonly diagnostics?: boolean;
  /** Maximum number of chains that run concurrently; by default, the number of processors. */
  readonly parallelChains?: number;
}

export interface ModelLooOptions extends LooOptions {
  readonly momentMatch?: boolean;
  /**
   * Whether to use refits for observations for which importance sampling fails, or the fields of the sampler for these
   * refits.
   */
  readonly exact?: boolean | RefitSampler;
  readonly signal?: AbortSignal | undefined;
}

export interface EvidenceOptions {
  /** Seed of the draws of the proposals; 1 by default. */
  readonly random_seed?: number;
  /** Aborting this signal rejects the promise. */
  readonly signal?: AbortSignal | undefined;
}

export interface PosteriorOptions {
  /** Seed of the random numbers in transformed data; 0 by default. */
  readonly seed?: number;
  /** Whether `hessian` is exact. This requires a second compilation of the program. */
  readonly secondDerivatives?: boolean;
  /**
   * Maximum number of threads, including the calling one, that evaluate the log density and its gradient, each on
   * slices of the rows of the data. Results do not depend on the number of threads, but their last digits can differ
   * from those without this option, when the density is computed as a single sum. The program is compiled a second
   * time. `close` of the posterior ends the threads.
   */
  readonly threads?: number;
  /** Receives each text that the program prints on the calling thread; printed texts are discarded by default. */
  readonly print?: (text: string) => void;
}

export interface CheckOptions {
  /** Milliseconds of computation after which the check ends; unlimited by default. */
  readonly limit?: number;
  /** Aborting this signal rejects the promise. */
  readonly signal?: AbortSignal;
}

export interface ProfileFields {
  readonly data?: Data;
  /** A point with a finite gradient; by default a random one. */
  readonly point?: Point;
  /**
   * Number of timed evaluations of the gradient of each part of the program; by default about a second of evaluations,
   * at least 5 of each.
   */
  readonly evaluations?: number;
  /** Seed of the random point and of random numbers in transformed data; 1 by default. */
  readonly random_seed?: number;
  /** Aborting this signal rejects the promise. */
  readonly signal?: AbortSignal;
}

/** The contents of a model. They survive structured cloning. */
export interface ModelContents {
  readonly source: ProgramSource;
  /** The description of the module, as JSON text. */
  readonly artifact: string;
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly warnings: string;
}
