import { type Argument, countArgument } from '../arguments.js';
import { historyArgument, quasiNewtonArguments } from '../optimize/arguments.js';

/** Arguments of a path. */
export const pathArguments: readonly Argument[] = [
  ...quasiNewtonArguments,
  historyArgument,
  countArgument('max_lbfgs_iters', 1000, 'Maximum number of iterations of L-BFGS.'),
  countArgument('num_draws', 1000, 'Draws from the best approximation of each path.'),
  countArgument('num_elbo_draws', 25, 'Draws per evaluation of the ELBO.'),
  {
    name: 'calculate_lp',
    type: 'boolean',
    default: true,
    description:
      'Whether the log density of each draw is computed. Without it, the log density is NaN and draws are not resampled.',
  },
];

/** Arguments of runs with several paths. */
export const multiArguments: readonly Argument[] = [
  countArgument('num_paths', 4, 'Number of paths, each from its own starting point.'),
  countArgument('num_psis_draws', 1000, 'Total number of saved draws from all paths.'),
  {
    name: 'psis_resample',
    type: 'boolean',
    default: true,
    description: 'Whether the draws are resampled by Pareto-smoothed importance weights; all are saved otherwise.',
  },
];
