import type { Algorithm } from '../algorithm.js';
import type { Argument } from '../arguments.js';
import { hmcAlgorithm } from './hmc.js';
import { lowRank } from './metrics.js';
import { nuts } from './trajectories.js';

const base = hmcAlgorithm(nuts, lowRank, true);

/**
 * The settings that require the fewest gradients for the posteriors of `npm run bench -- efficiency`: the low-rank metric, learned
 * coordinates, effects integrated out, and a short warmup. `delta` rises from 0.8 at the first divergence of warmup (`DivergenceWatch`),
 * because the metric permits long steps, which miss narrow regions.
 */
export const recommended: Algorithm = {
  ...base,
  name: 'recommended',
  functionName: 'leapfrog::services::sample::recommended',
  description:
    'The recommended sampler: the No-U-Turn sampler with a low-rank plus diagonal metric, learned coordinates, and a short warmup that starts near typical draws.',
  arguments: base.arguments.map(withOwnDefault),
  samplesCoefficients: true,
};

function withOwnDefault(argument: Argument): Argument {
  if (argument.name === 'num_warmup' && argument.type === 'integer') return { ...argument, default: 300 };
  const isAutomatic = argument.name === 'reparameterize' || argument.name === 'integrate';
  if (isAutomatic && argument.type === 'string') return { ...argument, default: 'auto' };
  return argument;
}
