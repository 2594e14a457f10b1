import { pool } from '../../src/inference/diagnostics/chains.js';
import { mean, standardDeviation } from '../../src/inference/diagnostics/moments.js';
import { rhat } from '../../src/inference/diagnostics/rhat.js';
import { read } from '../project/tree.js';
import type { Client } from '../support/client.js';
import { drawsOf } from '../support/draws.js';
import { Random, sum } from './random.js';
import { flatten, type Study } from './study.js';

const FUNCTION = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const SEED = 1;

/** Maximum distance of a true value from the posterior mean, in posterior standard deviations. */
const FARTHEST = 4;
const LARGEST_RHAT = 1.05;
const LARGEST_DIVERGENT_SHARE = 0.02;
/** Tolerance for constants. */
const ROUNDING = 1e-8;

/** Fits a study's program to its data; returns the problems of the draws, or an empty list. */
export async function faults(client: Client, { program, simulate }: Study): Promise<string[]> {
  const { data, truth } = simulate(new Random(SEED));
  const model = await client.compile(read(`test/guide/${program}.stan`));
  const settings = { num_chains: 2, num_warmup: 500, num_samples: 500, random_seed: SEED };
  const draws = drawsOf(await client.fit(model, { function: FUNCTION, data, ...settings }));
  const found: string[] = [];
  for (const [name, value] of flatten(truth)) {
    const chains = draws.get(name);
    if (chains === undefined) {
      found.push(`${name} is missing`);
      continue;
    }
    const all = pool(chains);
    const [center, width] = [mean(all), standardDeviation(all)];
    if (!(Math.abs(value - center) <= FARTHEST * width + ROUNDING)) {
      found.push(`${name} is ${value}, its draws are around ${center} by ${width}`);
    }
    if (width > ROUNDING && !(rhat(chains) <= LARGEST_RHAT)) found.push(`${name} has R-hat ${rhat(chains)}`);
  }
  const divergent = pool(draws.get('divergent__') ?? []);
  if (!(sum([...divergent]) <= LARGEST_DIVERGENT_SHARE * divergent.length))
    found.push(`${sum([...divergent])} diverge`);
  return found;
}
