/**
 * Argument names of other Stan interfaces, and what the packages for Python and R do with them. The tests of both packages run each row.
 */
import type { MethodName } from './methods.js';

/** The interface that has the argument. */
type Interface = 'CmdStanPy' | 'cmdstanr' | 'PyStan' | 'rstan' | 'stanli' | 'Leapfrog';

export interface ForeignArgument {
  readonly name: string;
  readonly of: readonly Interface[];
  readonly methods: readonly MethodName[];
  /** The argument of the engine with the same meaning. */
  readonly means?: string;
  /** For an argument that stands for several (`compound-arguments.ts`): those that the example stands for. */
  readonly becomes?: Readonly<Record<string, unknown>>;
  /** Why the argument is rejected, and what to use instead: a text, or one for each package. */
  readonly instead?: Advice;
  /** Values of a rejected argument that require nothing, and are therefore accepted. */
  readonly harmless?: readonly unknown[];
  /** A valid value, for tests. */
  readonly example: unknown;
}

export type Advice = string | { readonly python: string; readonly r: string };

const PY: readonly Interface[] = ['CmdStanPy'];
const R: readonly Interface[] = ['cmdstanr'];
const CMDSTAN: readonly Interface[] = ['CmdStanPy', 'cmdstanr'];
const OLD: readonly Interface[] = ['PyStan', 'rstan'];

const SAMPLE = ['sample'] as const;
const DRAWING = ['optimize', 'variational', 'pathfinder', 'laplace'] as const;
const STARTING = ['sample', 'optimize', 'variational', 'pathfinder'] as const;
const RUNS = [...SAMPLE, ...DRAWING, 'generate'] as const;

type Examples = Readonly<Record<string, unknown>>;

/** Arguments that the engine has under the same name. */
function same(
  of: readonly Interface[],
  methods: readonly MethodName[],
  examples: Examples,
): readonly ForeignArgument[] {
  return Object.entries(examples).map(([name, example]) => ({ name, of, methods, means: name, example }));
}

function renamed(
  of: readonly Interface[],
  methods: readonly MethodName[],
  name: string,
  means: string,
  example: unknown,
): ForeignArgument {
  return { name, of, methods, means, example };
}

function rejected(
  of: readonly Interface[],
  methods: readonly MethodName[],
  name: string,
  example: unknown,
  instead: Advice,
  harmless: readonly unknown[] = [],
): ForeignArgument {
  return { name, of, methods, instead, harmless, example };
}

const FILES: Advice = {
  python: 'a fit is in memory. Write its files with fit.to_csv(folder) or fit.save(path)',
  r: 'a fit is in memory. Write its files with fit$save_output_files(dir) or fit$save(path)',
};
const CONSOLE = 'a run prints no log. show_progress of sample shows its progress';
const CHAIN_IDS = 'ids are consecutive. Pass chain, the id of the first one';

export const FOREIGN_ARGUMENTS: readonly ForeignArgument[] = [
  // All methods.
  renamed(CMDSTAN, RUNS, 'seed', 'random_seed', 7),
  ...same(['CmdStanPy', 'cmdstanr', 'PyStan', 'rstan'], RUNS, { refresh: 50 }),
  ...same(CMDSTAN, [...SAMPLE, ...DRAWING], { threads_per_chain: 1 }),
  renamed(R, DRAWING, 'threads', 'threads_per_chain', 1),
  renamed(CMDSTAN, ['sample', 'generate'], 'parallel_chains', 'parallel_chains', 1),
  rejected(CMDSTAN, RUNS, 'output_dir', 'fits', FILES),
  rejected(PY, ['generate'], 'gq_output_dir', 'fits', FILES),
  rejected(R, RUNS, 'output_basename', 'schools', FILES),
  rejected(CMDSTAN, RUNS, 'sig_figs', 18, {
    python: 'draws keep all digits. fit.to_csv(folder, sig_figs=…) rounds them in files',
    r: 'draws keep all digits. fit$csv(chain, digits) rounds them in a file',
  }),
  rejected(PY, RUNS, 'show_console', true, CONSOLE, [false]),
  rejected(R, RUNS, 'show_messages', true, CONSOLE, [false]),
  rejected(R, RUNS, 'show_exceptions', true, CONSOLE, [false]),
  rejected(PY, RUNS, 'time_fmt', '%Y', FILES),
  rejected(PY, RUNS, 'timeout', 60, {
    python: 'a run has no time limit. Ctrl-C ends it, and the exception has the draws so far',
    r: 'a run has no time limit. An interrupt ends it, and the condition has the draws so far',
  }),
  rejected(CMDSTAN, RUNS, 'save_profile', true, { python: 'call model.profile(data)', r: 'call model$profile(data)' }, [
    false,
  ]),
  rejected(
    CMDSTAN,
    RUNS,
    'save_latent_dynamics',
    true,
    {
      python: 'diagnostics=True of sample keeps positions, momenta and gradients',
      r: 'positions, momenta and gradients of draws are not kept',
    },
    [false],
  ),
  rejected(
    R,
    RUNS,
    'save_cmdstan_config',
    true,
    { python: 'the arguments are in fit.arguments', r: 'the arguments are in fit$arguments' },
    [false],
  ),
  rejected(R, RUNS, 'opencl_ids', [0, 0], 'OpenCL is not supported. threads_per_chain uses several processors'),

  // Chains and iterations of samplers.
  renamed([...CMDSTAN, ...OLD], SAMPLE, 'chains', 'num_chains', 2),
  ...same(['PyStan'], SAMPLE, { num_chains: 2, num_warmup: 30, num_samples: 20, num_thin: 2 }),
  renamed(CMDSTAN, SAMPLE, 'iter_warmup', 'num_warmup', 30),
  renamed(CMDSTAN, SAMPLE, 'iter_sampling', 'num_samples', 20),
  renamed(OLD, SAMPLE, 'warmup', 'num_warmup', 30),
  renamed(['stanli'], SAMPLE, 'samples', 'num_samples', 20),
  { name: 'iter', of: OLD, methods: SAMPLE, becomes: { num_warmup: 25, num_samples: 25 }, example: 50 },
  renamed([...CMDSTAN, ...OLD], SAMPLE, 'thin', 'num_thin', 2),
  ...same([...CMDSTAN, ...OLD], SAMPLE, { save_warmup: true, show_progress: false }),
  renamed(['rstan'], SAMPLE, 'cores', 'parallel_chains', 1),
  renamed(['PyStan'], SAMPLE, 'n_jobs', 'parallel_chains', 1),
  rejected(CMDSTAN, SAMPLE, 'chain_ids', [1, 2], CHAIN_IDS),
  rejected(OLD, SAMPLE, 'chain_id', 2, CHAIN_IDS),
  rejected(PY, SAMPLE, 'force_one_process_per_chain', true, 'chains run in threads of one process', [false]),

  // The No-U-Turn sampler.
  renamed(CMDSTAN, SAMPLE, 'max_treedepth', 'max_depth', 8),
  renamed(CMDSTAN, SAMPLE, 'adapt_delta', 'delta', 0.9),
  renamed(CMDSTAN, SAMPLE, 'step_size', 'stepsize', 0.5),
  ...same(['PyStan'], SAMPLE, { max_depth: 8, delta: 0.9, stepsize: 0.5, stepsize_jitter: 0.1 }),
  ...same(['PyStan'], SAMPLE, { gamma: 0.1, kappa: 0.8, t0: 5 }),
  ...same(CMDSTAN, SAMPLE, { metric: 'dense_e', inv_metric: [1], adapt_engaged: false }),
  ...same(['cmdstanr', 'PyStan'], SAMPLE, { init_buffer: 10, term_buffer: 10, window: 5 }),
  renamed(PY, SAMPLE, 'adapt_init_phase', 'init_buffer', 10),
  renamed(PY, SAMPLE, 'adapt_step_size', 'term_buffer', 10),
  renamed(PY, SAMPLE, 'adapt_metric_window', 'window', 5),
  renamed(CMDSTAN, SAMPLE, 'fixed_param', 'algorithm', true),
  rejected(R, SAMPLE, 'metric_file', 'metric.json', 'pass the variances or the covariance matrix as inv_metric'),
  rejected(
    R,
    SAMPLE,
    'save_metric',
    true,
    { python: 'the metric is in fit.chains[0].inv_metric', r: 'the metric is in fit$inv_metric()' },
    [false],
  ),
  {
    name: 'control',
    of: OLD,
    methods: SAMPLE,
    becomes: { delta: 0.9, max_depth: 8, init_buffer: 10 },
    example: { adapt_delta: 0.9, max_treedepth: 8, adapt_init_buffer: 10 },
  },
  renamed(OLD, SAMPLE, 'pars', 'save', ['x']),
  rejected(OLD, SAMPLE, 'include', false, 'name the variables to keep as save', [true]),
  rejected(OLD, SAMPLE, 'sample_file', 'draws.csv', FILES),
  rejected(OLD, SAMPLE, 'diagnostic_file', 'draws.csv', FILES),
  rejected(OLD, SAMPLE, 'verbose', true, CONSOLE, [false]),
  rejected(['rstan'], SAMPLE, 'open_progress', true, CONSOLE, [false]),
  renamed(['Leapfrog'], SAMPLE, 'continue_from', 'continue', undefined),

  // Initial values.
  ...same(['cmdstanr', 'PyStan', 'rstan'], STARTING, { init: 0.5 }),
  renamed(PY, STARTING, 'inits', 'init', 0.5),
  renamed(OLD, STARTING, 'init_r', 'init_radius', 0.5),

  // Optimizers.
  ...same(CMDSTAN, ['optimize'], { algorithm: 'LBFGS', iter: 50, jacobian: true, save_iterations: true }),
  ...same(CMDSTAN, ['optimize', 'pathfinder'], { init_alpha: 0.01, tol_obj: 1e-9, tol_rel_obj: 100, tol_grad: 1e-7 }),
  ...same(CMDSTAN, ['optimize', 'pathfinder'], { tol_rel_grad: 1e6, tol_param: 1e-7, history_size: 4 }),
  rejected(
    ['rstan'],
    ['optimize'],
    'hessian',
    true,
    { python: 'call model.hessian(point, data)', r: 'call fit$hessian(point)' },
    [false],
  ),
  rejected(['rstan'], ['optimize'], 'draws', 100, 'laplace draws from the normal approximation at the mode'),
  rejected(PY, ['optimize', 'variational'], 'require_converged', false, 'an optimizer returns where it has ended', []),

  // Approximations.
  renamed(CMDSTAN, ['variational'], 'adapt_iter', 'adapt_iterations', 20),
  renamed(CMDSTAN, ['variational'], 'draws', 'output_samples', 20),
  ...same([...CMDSTAN, 'rstan'], ['variational'], {
    algorithm: 'fullrank',
    iter: 500,
    grad_samples: 2,
    elbo_samples: 50,
  }),
  ...same([...CMDSTAN, 'rstan'], ['variational'], { eta: 0.5, adapt_engaged: false, eval_elbo: 50, tol_rel_obj: 0.05 }),
  ...same(['cmdstanr', 'rstan'], ['variational'], { output_samples: 20 }),
  rejected(['rstan'], ['variational'], 'importance_resampling', true, 'pathfinder resamples by importance', [false]),
  renamed(CMDSTAN, ['pathfinder'], 'draws', 'num_psis_draws', 20),
  renamed(PY, ['pathfinder'], 'num_single_draws', 'num_draws', 20),
  renamed(R, ['pathfinder'], 'single_path_draws', 'num_draws', 20),
  ...same(CMDSTAN, ['pathfinder'], { num_paths: 2, max_lbfgs_iters: 50, num_elbo_draws: 10, psis_resample: false }),
  ...same(CMDSTAN, ['pathfinder'], { calculate_lp: true }),
  rejected(CMDSTAN, ['pathfinder'], 'num_threads', 2, 'threads_per_chain is the number of threads of each path'),
  rejected(R, ['pathfinder'], 'save_single_paths', true, 'draws of single paths are not kept', [false]),
  ...same(CMDSTAN, ['laplace'], { draws: 20, jacobian: true }),
  rejected(
    CMDSTAN,
    ['laplace'],
    'opt_args',
    { iter: 10 },
    { python: 'pass mode=model.optimize(data, …)', r: 'pass mode = model$optimize(data, …)' },
  ),
  renamed(['CmdStanPy', 'Leapfrog'], ['generate'], 'previous_fit', 'fitted_params', undefined),
  ...same(R, ['generate'], { fitted_params: undefined }),
];
