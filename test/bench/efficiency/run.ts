import type { Chains } from '../../../src/inference/diagnostics/chains.js';
import type { CorpusModel } from '../corpus.js';

export const CHAINS = 4;

export interface Cost {
  readonly warmup: number;
  readonly sampling: number;
}

/** The cost and the draws of a sampler's chains. */
export interface SamplerRun {
  readonly gradients: Cost;
  /** Processor seconds; compilation is that of the program, and absent if it was not measured. */
  readonly seconds: Cost & { readonly compilation?: number };
  readonly divergences: number;
  /** Draws by column name, such as `theta.1`. */
  readonly draws: ReadonlyMap<string, Chains>;
}

/** The reason why there are no draws. */
export interface Failure {
  readonly failure: string;
  /** The processor seconds that the run was allowed and has used up. */
  readonly limit?: number;
}

/** Runs four chains with default settings and 1000 iterations after warmup. */
export type Engine = (item: CorpusModel, seed: number) => SamplerRun | Failure;

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
