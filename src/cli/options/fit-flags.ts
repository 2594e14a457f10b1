/** Sampler options of commands that fit a program more than once. */
import { type Command, Option } from 'commander';
import { fraction, integer } from './values.js';

const METRICS = ['diag_e', 'dense_e', 'unit_e', 'low_rank'] as const;
const COORDINATES = ['none', 'auto'] as const;

export interface FitFlags {
  readonly numWarmup: number;
  readonly numSamples: number;
  readonly seed: number;
  readonly recommended: boolean;
  readonly metric?: (typeof METRICS)[number];
  readonly reparameterize?: (typeof COORDINATES)[number];
  readonly delta?: number;
}

/** Adds the options to a command. `counted` describes the option for iterations after warmup. */
export function withFitFlags(command: Command, counted: string): Command {
  return command
    .option('--num-warmup <integer>', 'warmup iterations of each fit', integer(0), 1000)
    .option('--num-samples <integer>', counted, integer(1), 1000)
    .option('--seed <integer>', 'seed', integer(0), 1)
    .option('--recommended', 'use the recommended sampler (docs/sampling.md) instead of the default', false)
    .addOption(new Option('--metric <word>', 'metric of the No-U-Turn sampler (default: "diag_e")').choices(METRICS))
    .addOption(
      new Option(
        '--reparameterize <word>',
        'whether warmup adapts coordinates of parameters whose priors have a location and a scale',
      ).choices(COORDINATES),
    )
    .option('--delta <number>', 'target mean acceptance statistic of the warmup', fraction);
}

/** The fields of a `sample` request that correspond to the options. */
export function fitFields({ delta, metric, numSamples, numWarmup, recommended, reparameterize, seed }: FitFlags) {
  return {
    num_warmup: numWarmup,
    num_samples: numSamples,
    random_seed: seed,
    ...(recommended && { algorithm: 'recommended' as const }),
    ...(metric !== undefined && { metric }),
    ...(reparameterize !== undefined && { reparameterize }),
    ...(delta !== undefined && { delta }),
  };
}
