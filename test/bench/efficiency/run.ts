import type { Chains } from '../../../src/inference/diagnostics/chains.js';
import type { CorpusModel } from '../corpus.js';

export const CHAINS = 4;

export interface Cost {
  readonly warmup: number;
  readonly sampling: number;
}

/** What the chains of a sampler took, and what they drew. */
export interface SamplerRun {
  readonly gradients: Cost;
  /** Processor seconds; compilation is that of the program, absent where it was not measured. */
  readonly seconds: Cost & { readonly compilation?: number };
  readonly divergences: number;
  /** Draws by the names of columns, such as `theta.1`. */
  readonly draws: ReadonlyMap<string, Chains>;
}

/** Why there are no draws. */
export interface Failure {
  readonly failure: string;
}

/** Runs four chains with default settings and 1000 iterations after warmup. */
export type Engine = (item: CorpusModel, seed: number) => SamplerRun | Failure;

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
