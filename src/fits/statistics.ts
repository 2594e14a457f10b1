/** Statistics of draws by column: summaries, and the sampler's report on its transitions. */
import type { Chains } from '../inference/diagnostics/chains.js';
import { energyFraction } from '../inference/diagnostics/energy.js';
import type { Convergence, Finiteness, SamplerReport } from '../inference/diagnostics/findings.js';
import { judge, type Summary, summarize } from '../inference/diagnostics/summary.js';

export interface NamedSummary extends Summary {
  readonly name: string;
}

/** A column with its draws after warmup: an array per chain, all of the same length. */
export interface NamedDraws {
  readonly name: string;
  readonly chains: Chains;
}

export function summariesOf(columns: readonly NamedDraws[]): NamedSummary[] {
  return columns.map(({ chains, name }) => ({ name, ...summarize(chains) }));
}

/** R-hat and effective sample sizes of columns, without the rest of a summary. */
export function convergenceOf(columns: readonly NamedDraws[]): Convergence[] {
  return columns.map(({ chains, name }) => ({ name, ...judge(chains) }));
}

/** How many draws of columns are NaN or infinite. */
export function finitenessOf(columns: readonly NamedDraws[]): Finiteness[] {
  return columns.map(({ chains, name }) => {
    let [draws, notFinite] = [0, 0];
    for (const values of chains) {
      draws += values.length;
      for (const value of values) if (!Number.isFinite(value)) notFinite += 1;
    }
    return { name, draws, notFinite };
  });
}

/** Draws of one chain after warmup. */
export interface ReportedChain {
  readonly id: number;
  readonly draws: number;
  /** Reads a column of the sampler; undefined if it does not exist. */
  read(name: string): Float64Array | undefined;
}

/** A sampler's report on a chain. Tree depths are checked if the maximum depth is known. */
export function samplerReport({ draws, id, read }: ReportedChain, maximumDepth: number | undefined): SamplerReport {
  const divergent = read('divergent__');
  const depths = maximumDepth === undefined ? undefined : read('treedepth__');
  const energy = read('energy__');
  return {
    chain: id,
    draws,
    ...(divergent && { divergences: divergent.filter((value) => value > 0).length }),
    ...(depths && { treedepthHits: depths.filter((depth) => depth >= (maximumDepth ?? 0)).length }),
    ...(energy && { energyFraction: energyFraction(energy) }),
  };
}

/** The chains that statistics use: those with draws, or all if no chain has any; and the number of draws of the shortest. */
export function comparableChains<Chain extends { readonly draws: number }>(
  chains: readonly Chain[],
): { readonly chains: readonly Chain[]; readonly draws: number } {
  const drawn = chains.filter(({ draws }) => draws > 0);
  const used = drawn.length > 0 ? drawn : chains;
  return { chains: used, draws: Math.min(...used.map(({ draws }) => draws)) };
}
