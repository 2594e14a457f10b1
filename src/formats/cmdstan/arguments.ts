/**
 * Every argument of CmdStan 2.39's command line. Names, defaults and descriptions are those in its help and at the start of its files
 * (CmdStan User's Guide, "Command-line interface overview").
 */
import {
  type Argument,
  between,
  type Choice,
  choice,
  count,
  countOrNone,
  file,
  flag,
  group,
  positive,
  type Valued,
  value,
  width,
  word,
} from './argument.js';

const JACOBIAN = 'When true, include change-of-variables adjustment for constraining parameter transforms';

const bfgsArguments: readonly Valued[] = [
  positive('init_alpha', 0.001, 'Line search step size for first iteration'),
  positive('tol_obj', 1e-12, 'Convergence tolerance on absolute changes in objective function value'),
  positive('tol_rel_obj', 1e4, 'Convergence tolerance on relative changes in objective function value'),
  positive('tol_grad', 1e-8, 'Convergence tolerance on the norm of the gradient'),
  positive('tol_rel_grad', 1e7, 'Convergence tolerance on the relative norm of the gradient'),
  positive('tol_param', 1e-8, 'Convergence tolerance on changes in parameter value'),
];
const lbfgsArguments: readonly Valued[] = [
  ...bfgsArguments,
  count('history_size', 5, 'Amount of history to keep for L-BFGS'),
];

/** The largest double below 1. */
const BELOW_ONE = 1 - Number.EPSILON / 2;

const sample = group(
  'sample',
  'Bayesian inference with Markov Chain Monte Carlo',
  countOrNone('num_samples', 1000, 'Number of sampling iterations'),
  countOrNone('num_warmup', 1000, 'Number of warmup iterations'),
  flag('save_warmup', false, 'Stream warmup samples to output?'),
  count('thin', 1, 'Period between saved samples'),
  group(
    'adapt',
    'Warmup Adaptation',
    flag('engaged', true, 'Adaptation engaged?'),
    positive('gamma', 0.05, 'Adaptation regularization scale'),
    between('delta', 0.8, 0.1, BELOW_ONE, 'Adaptation target acceptance statistic'),
    positive('kappa', 0.75, 'Adaptation relaxation exponent'),
    positive('t0', 10, 'Adaptation iteration offset'),
    width('init_buffer', 75, 'Width of initial fast adaptation interval'),
    width('term_buffer', 50, 'Width of final fast adaptation interval'),
    width('window', 25, 'Initial width of slow adaptation interval'),
    flag('save_metric', false, 'Save metric as JSON?'),
  ),
  choice(
    'algorithm',
    'Sampling algorithm',
    'hmc',
    group(
      'hmc',
      'Hamiltonian Monte Carlo',
      choice(
        'engine',
        'Engine for Hamiltonian Monte Carlo',
        'nuts',
        group(
          'static',
          'Static integration time',
          positive('int_time', 2 * Math.PI, 'Total integration time for Hamiltonian evolution, default is 2 * pi'),
        ),
        group('nuts', 'The No-U-Turn Sampler', count('max_depth', 10, 'Maximum tree depth')),
      ),
      choice(
        'metric',
        'Geometry of base manifold',
        'diag_e',
        word('unit_e', 'Euclidean manifold with unit metric'),
        word('diag_e', 'Euclidean manifold with diag metric'),
        word('dense_e', 'Euclidean manifold with dense metric'),
      ),
      value('metric_file', 'string', '', 'Input file with precomputed Euclidean metric'),
      positive('stepsize', 1, 'Step size for discrete evolution'),
      between('stepsize_jitter', 0, 0, 1, 'Uniformly random jitter of the stepsize, in percent'),
    ),
    word('fixed_param', 'Fixed Parameter Sampler'),
  ),
  count('num_chains', 1, 'Number of chains'),
);

const optimize = group(
  'optimize',
  'Point estimation',
  choice(
    'algorithm',
    'Optimization algorithm',
    'lbfgs',
    group('bfgs', 'BFGS with linesearch', ...bfgsArguments),
    group('lbfgs', 'LBFGS with linesearch', ...lbfgsArguments),
    group('newton', "Newton's method"),
  ),
  flag('jacobian', false, JACOBIAN),
  count('iter', 2000, 'Total number of iterations'),
  flag('save_iterations', false, 'Stream optimization progress to output?'),
);

const variational = group(
  'variational',
  'Variational inference',
  choice(
    'algorithm',
    'Variational inference algorithm',
    'meanfield',
    group('meanfield', 'mean-field approximation'),
    group('fullrank', 'full-rank covariance'),
  ),
  count('iter', 10000, 'Maximum number of ADVI iterations.'),
  count('grad_samples', 1, 'Number of Monte Carlo draws for computing the gradient.'),
  count('elbo_samples', 100, 'Number of Monte Carlo draws for estimate of ELBO.'),
  positive('eta', 1, 'Stepsize scaling parameter.'),
  group(
    'adapt',
    'Eta Adaptation for Variational Inference',
    flag('engaged', true, 'Boolean flag for eta adaptation.'),
    count('iter', 50, 'Number of iterations for eta adaptation.'),
  ),
  positive('tol_rel_obj', 0.01, 'Relative tolerance parameter for convergence.'),
  count('eval_elbo', 100, 'Number of interations between ELBO evaluations'),
  count('output_samples', 1000, 'Number of approximate posterior output draws to save.'),
);

const diagnose = group(
  'diagnose',
  'Model diagnostics',
  choice(
    'test',
    'Diagnostic test',
    'gradient',
    group(
      'gradient',
      'Check model gradient against finite differences',
      positive('epsilon', 1e-6, 'Finite difference step size'),
      positive('error', 1e-6, 'Error threshold'),
    ),
  ),
);

const generateQuantities = group(
  'generate_quantities',
  'Generate quantities of interest',
  file('fitted_params', 'Input file of sample of fitted parameter values for model conditioned on data'),
  count('num_chains', 1, 'Number of chains'),
);

const pathfinder = group(
  'pathfinder',
  'Pathfinder algorithm',
  ...lbfgsArguments,
  count('num_psis_draws', 1000, 'Number of draws from PSIS sample'),
  count('num_paths', 4, 'Number of single pathfinders'),
  flag('save_single_paths', false, 'Output single-path pathfinder draws as CSV'),
  flag(
    'psis_resample',
    true,
    'If true, perform psis resampling on samples returned from individual pathfinders. If false, returns num_paths * num_draws samples',
  ),
  flag(
    'calculate_lp',
    true,
    'If true, individual pathfinders lp calculations are calculated and returned with the output. If false, each pathfinder will only  calculate the lp values needed for the elbo calculation. If false, psis resampling cannot be performed and the algorithm returns num_paths * num_draws samples. The output will still contain any lp values used when calculating ELBO scores within LBFGS iterations.',
  ),
  count('max_lbfgs_iters', 1000, 'Maximum number of LBFGS iterations'),
  count('num_draws', 1000, 'Number of approximate posterior draws'),
  count('num_elbo_draws', 25, 'Number of Monte Carlo draws to evaluate ELBO'),
);

const logProb = group(
  'log_prob',
  'Return the log density up to a constant and its gradients, given supplied parameters',
  file('unconstrained_params', 'Input file (JSON or R dump) of parameter values on unconstrained scale'),
  file('constrained_params', 'Input file (JSON or R dump) of parameter values on constrained scale'),
  flag('jacobian', true, JACOBIAN),
);

const laplace = group(
  'laplace',
  'Sample from a Laplace approximation',
  value(
    'mode',
    'string',
    '',
    'A specification of a mode on the constrained scale for all model parameters, either in JSON or CSV format.',
  ),
  flag('jacobian', true, `${JACOBIAN}.`),
  countOrNone('draws', 1000, 'Number of draws from the laplace approximation'),
  flag('calculate_lp', true, 'If true, calculate the log probability of the model at each draw.'),
);

export const method: Choice = choice(
  'method',
  'Analysis method (Note that method= is optional)',
  'sample',
  sample,
  optimize,
  variational,
  diagnose,
  generateQuantities,
  pathfinder,
  logProb,
  laplace,
);

const MOST_SEED = 2 ** 32 - 1;

const general: readonly Argument[] = [
  value('id', 'int', 1, 'Unique process identifier', {
    validity: 'id >= 0',
    isValid: (given) => Number(given) >= 0,
  }),
  group('data', 'Input data options', file('file', 'Input data file')),
  value(
    'init',
    'string',
    '2',
    'Initialization method: "x" initializes randomly between [-x, x], "0" initializes to 0, anything else identifies a file of values',
    { usualText: '"2"' },
  ),
  group(
    'random',
    'Random number configuration',
    value('seed', 'long', -1, 'Random number generator seed', {
      validity: 'non-negative integer < 4294967296  or -1 to generate seed from system time',
      isValid: (given) => Number(given) >= -1 && Number(given) <= MOST_SEED,
    }),
  ),
  group(
    'output',
    'File output options',
    file('file', 'Output file', 'output.csv', 'output.csv'),
    file('diagnostic_file', 'Auxiliary output file for diagnostic information'),
    value('refresh', 'int', 100, 'Number of iterations between screen updates', {
      validity: '0 <= refresh',
      isValid: (given) => Number(given) >= 0,
    }),
    value(
      'sig_figs',
      'int',
      8,
      "The number of significant figures used for the output CSV files. Stan recommends at least 8 (the default) if you will be using the output as part of a future input (e.g., for standalone generated quantities or as an initialization). If -1 is supplied, Stan will use the current operating system's default precision (This typically be smaller than Stan's default; on many systems it is 6 digits).",
      {
        validity: '0 <= sig_figs <= 18 || sig_figs == -1',
        isValid: (given) => Number(given) >= -1 && Number(given) <= 18,
      },
    ),
    value('profile_file', 'string', 'profile.csv', 'File to store profiling information', {
      validity: 'Valid path and write access to the folder',
      usualText: '""',
    }),
    flag(
      'save_cmdstan_config',
      false,
      'Save the CmdStan configuration (parsed arguments + default values) as JSON alongside the output files',
    ),
  ),
];

/** The tree of all arguments. An executable supports several threads if its model was built with STAN_THREADS. */
export function cmdstanArguments(threads?: { readonly usual: number }): readonly Argument[] {
  return [method, ...general, threads === undefined ? ONE_THREAD : severalThreads(threads.usual)];
}

const ONE_THREAD = value(
  'num_threads',
  'int',
  1,
  'Number of threads available to the program. To use this argument, re-compile this model with STAN_THREADS=true.',
  { validity: 'num_threads == 1', isValid: (given) => given === 1 },
);

function severalThreads(usual: number): Argument {
  return value('num_threads', 'int', usual, 'Number of threads available to the program.', {
    validity: 'num_threads > 0 || num_threads == -1',
    usualText: '1 or the value of the STAN_NUM_THREADS environment variable if set.',
    isValid: (given) => Number(given) > -2 && given !== 0,
  });
}
