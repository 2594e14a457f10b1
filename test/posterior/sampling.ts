import type { Chains } from '../../src/inference/diagnostics/chains.js';
import { mean } from '../../src/inference/diagnostics/moments.js';
import type { Client } from '../support/client.js';
import { drawsOf } from '../support/draws.js';

const CHAINS = 4;
const MOST_CHAINS = 16;

/** A mode whose mean log density is lower by more than this contains no posterior mass, whatever its width. */
const LOST = 20;

/** A sampler, the arguments that differ from their defaults, and the seconds that four chains may take. */
export interface Sampler {
  readonly function: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly limit: number;
}

export interface Sampled {
  readonly draws: ReadonlyMap<string, Chains>;
  /** Chains that stayed in a region with negligible posterior mass, and were replaced. */
  readonly lost: number;
}

/**
 * Four chains. A chain that ends in a mode without posterior mass provides no information about the others, and real Stan has
 * the same proportion of them (for a hidden Markov model of the corpus 20 chains of 72, ours 38 of 128). Such a chain is counted
 * and replaced by the chain with the next id.
 */
export async function sampleFourChains(
  client: Client,
  model: string,
  data: object,
  sampler: Sampler,
): Promise<Sampled> {
  const request = { ...sampler.arguments, function: sampler.function, data, random_seed: sampler.seed };
  const found = new Map<string, Float64Array[]>();
  let chain = 1;
  for (let missing = CHAINS; missing > 0 && chain <= MOST_CHAINS; ) {
    const fit = await client.fit(model, { ...request, chain, num_chains: missing }, sampler.limit);
    for (const [name, chains] of drawsOf(fit)) found.set(name, [...(found.get(name) ?? []), ...chains]);
    chain += missing;
    missing = CHAINS - kept(found).length;
  }
  const indexes = kept(found);
  const draws = new Map([...found].map(([name, chains]) => [name, indexes.map((index) => chains[index])]));
  return { draws, lost: chain - 1 - indexes.length };
}

/** Indexes of the chains that were not replaced. */
function kept(draws: ReadonlyMap<string, Chains>): number[] {
  const means = (draws.get('lp__') ?? []).map(mean);
  const highest = Math.max(...means);
  return means.flatMap((each, index) => (each >= highest - LOST ? [index] : []));
}
