/**
 * Names in CmdStanPy 1.3 and cmdstanr 0.9 of the functions of the services namespace and their arguments. Arguments without a name are not supported
 * there. Sources: the API references at https://mc-stan.org/cmdstanpy/api.html and https://mc-stan.org/cmdstanr/reference.
 */

export interface OtherNames {
  /** The method of the model object. */
  readonly method: string;
  /** Their names of arguments, by ours. */
  readonly arguments: Readonly<Record<string, string>>;
}

export interface FunctionNames {
  /** Matches the end of the function's full name. */
  readonly pattern: RegExp;
  /** Arguments that select the function among those of the method, from the groups of the pattern. */
  readonly chosen: (groups: Readonly<Record<string, string | undefined>>) => Readonly<Record<string, string | boolean>>;
  readonly python: OtherNames;
  readonly r: OtherNames;
}

function same(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

const SAMPLE = {
  num_chains: 'chains',
  num_warmup: 'iter_warmup',
  num_samples: 'iter_sampling',
  random_seed: 'seed',
  num_thin: 'thin',
  save_warmup: 'save_warmup',
  max_depth: 'max_treedepth',
  delta: 'adapt_delta',
  stepsize: 'step_size',
};
const SEARCH = same('init_alpha', 'tol_obj', 'tol_rel_obj', 'tol_grad', 'tol_rel_grad', 'tol_param', 'history_size');
const VARIATIONAL = {
  ...same('iter', 'grad_samples', 'elbo_samples', 'eval_elbo', 'eta', 'adapt_engaged', 'tol_rel_obj'),
  random_seed: 'seed',
  adapt_iterations: 'adapt_iter',
};
const PATHFINDER = {
  ...SEARCH,
  ...same('num_paths', 'max_lbfgs_iters', 'num_elbo_draws', 'psis_resample', 'calculate_lp'),
  random_seed: 'seed',
  num_psis_draws: 'draws',
};
const PYTHON_INIT = { init_radius: 'inits' };
const R_INIT = { init_radius: 'init' };

export const functionNames: readonly FunctionNames[] = [
  {
    pattern: /::hmc_nuts_(?<metric>\w+_e)(?<adapt>_adapt)?$/,
    chosen: ({ metric = '', adapt }) => ({
      ...(metric !== 'diag_e' && { metric }),
      ...(adapt === undefined && { adapt_engaged: false }),
    }),
    python: {
      method: 'sample',
      arguments: {
        ...SAMPLE,
        ...PYTHON_INIT,
        init_buffer: 'adapt_init_phase',
        window: 'adapt_metric_window',
        term_buffer: 'adapt_step_size',
      },
    },
    r: { method: 'sample', arguments: { ...SAMPLE, ...R_INIT, ...same('init_buffer', 'term_buffer', 'window') } },
  },
  {
    pattern: /::fixed_param$/,
    chosen: () => ({ fixed_param: true }),
    python: { method: 'sample', arguments: { ...SAMPLE, ...PYTHON_INIT } },
    r: { method: 'sample', arguments: { ...SAMPLE, ...R_INIT } },
  },
  {
    pattern: /optimize::(?<algorithm>\w+)$/,
    chosen: ({ algorithm = '' }) => ({ algorithm }),
    python: {
      method: 'optimize',
      arguments: { ...SEARCH, ...PYTHON_INIT, ...same('iter', 'save_iterations', 'jacobian'), random_seed: 'seed' },
    },
    r: { method: 'optimize', arguments: { ...SEARCH, ...R_INIT, ...same('iter', 'jacobian'), random_seed: 'seed' } },
  },
  {
    pattern: /advi::(?<algorithm>\w+)$/,
    chosen: ({ algorithm = '' }) => ({ algorithm }),
    python: { method: 'variational', arguments: { ...VARIATIONAL, ...PYTHON_INIT, output_samples: 'draws' } },
    r: { method: 'variational', arguments: { ...VARIATIONAL, ...R_INIT, output_samples: 'draws' } },
  },
  {
    pattern: /::pathfinder_lbfgs_single$/,
    chosen: () => ({ num_paths: '1' }),
    python: { method: 'pathfinder', arguments: { ...PATHFINDER, ...PYTHON_INIT, num_draws: 'draws' } },
    r: { method: 'pathfinder', arguments: { ...PATHFINDER, ...R_INIT, num_draws: 'draws' } },
  },
  {
    pattern: /::pathfinder_lbfgs_multi$/,
    chosen: () => ({}),
    python: { method: 'pathfinder', arguments: { ...PATHFINDER, ...PYTHON_INIT, num_draws: 'num_single_draws' } },
    r: { method: 'pathfinder', arguments: { ...PATHFINDER, ...R_INIT, num_draws: 'single_path_draws' } },
  },
];
