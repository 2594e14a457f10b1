/** What each function takes. Made from the tables of the algorithms by `npm run accept`; a test fails when it is out of step. */
import type { Variables } from './types.js';

type Numbers = readonly number[] | Float64Array;

/** A request for a fit by one function: its name, data, some of the arguments, and inputs. */
type Request<Name extends string, Taken extends keyof FitArguments> = {
  readonly function: `stan::services::${Name}` | `engine::services::${Name}`;
  /** Values of the data variables. */
  readonly data?: Variables;
} & Partial<Pick<FitArguments, Taken>>;

/** Every argument and input of a function. */
export interface FitArguments {
  /** Whether the scale of the steps is adapted. */
  readonly adapt_engaged: boolean;
  /** Iterations for each scale that the adaptation tries. */
  readonly adapt_iterations: number;
  /** What the metric is learnt from: the positions' variances as in Stan, or positions and gradients (not in Stan). */
  readonly adapt_metric: 'variance' | 'fisher';
  /** Whether the log density of each draw is computed; NaN otherwise. Or: Whether the log density of each draw is computed; NaN otherwise, and no importance resampling. */
  readonly calculate_lp: boolean;
  /** Chain id: chains with one seed and different ids are independent. */
  readonly chain: number;
  /** Target mean acceptance statistic of the step-size adaptation. */
  readonly delta: number;
  /** Draws to make. */
  readonly draws: number;
  /** Draws for each value of the ELBO. */
  readonly elbo_samples: number;
  /** Distance of the differences. */
  readonly epsilon: number;
  /** Difference from which on an element of the gradient counts as wrong. */
  readonly error: number;
  /** Scale of the steps, where it is not adapted. */
  readonly eta: number;
  /** Iterations between two values of the ELBO. */
  readonly eval_elbo: number;
  /** Draws of the parameters: an array of objects, one a draw, with one member a parameter each; or the name of a finished fit, whose chains become those of the new one. */
  readonly fitted_params: readonly Variables[] | string;
  /** Regularisation scale of the step-size adaptation. */
  readonly gamma: number;
  /** Draws for each gradient. */
  readonly grad_samples: number;
  /** Updates that L-BFGS remembers. */
  readonly history_size: number;
  /** Initial values: an object with one member a parameter, those that are missing being drawn at random; or the name of a finished fit, of whose draws each chain takes another. */
  readonly init: Variables | string;
  /** Step of the line search in the first iteration. */
  readonly init_alpha: number;
  /** First warmup iterations, which adapt the step size only. */
  readonly init_buffer: number;
  /** Parameters without an initial value start uniformly within (-radius, radius) on the unconstrained scale. */
  readonly init_radius: number;
  /** Integration time of a trajectory: its number of leapfrog steps times their size. */
  readonly int_time: number;
  /** Inverse metric to start with: a variance for each unconstrained parameter; all 1 when absent. Or: Inverse metric to start with: the covariance matrix of the unconstrained parameters, row by row; the identity when absent. */
  readonly inv_metric: Numbers | readonly Numbers[];
  /** Iterations at most. */
  readonly iter: number;
  /** Whether the Jacobians of the constraining transforms count: the mode of the unconstrained parameters, not of the constrained ones. Or: Whether the density includes the Jacobians of the transforms; it must be as when the mode was found. */
  readonly jacobian: boolean;
  /** Relaxation exponent of the step-size adaptation. */
  readonly kappa: number;
  /** A trajectory has at most 2^max_depth - 1 leapfrog steps. */
  readonly max_depth: number;
  /** Iterations of L-BFGS at most. */
  readonly max_lbfgs_iters: number;
  /** The mode: an object with one member a parameter, or the name of a finished fit of an optimizer. */
  readonly mode: Variables | string;
  /** Chains to run, with ids from `chain` upward and the same seed. */
  readonly num_chains: number;
  /** Draws of the best approximation of a path. */
  readonly num_draws: number;
  /** Draws for each value of the ELBO. */
  readonly num_elbo_draws: number;
  /** Paths, each from a starting point of its own. */
  readonly num_paths: number;
  /** Draws to save of those of all paths. */
  readonly num_psis_draws: number;
  /** Iterations after warmup. */
  readonly num_samples: number;
  /** Every how many iterations a draw is saved. */
  readonly num_thin: number;
  /** Warmup iterations, in which step size and metric are adapted if the function adapts them. */
  readonly num_warmup: number;
  /** Draws of the approximation to save. */
  readonly output_samples: number;
  /** Whether the draws are resampled by Pareto-smoothed importance weights; all are saved otherwise. */
  readonly psis_resample: boolean;
  /** Seed of the random numbers; drawn at random and recorded when absent. */
  readonly random_seed: number;
  /** Iterations between progress messages; 0 for none. */
  readonly refresh: number;
  /** Variables whose columns are kept in draws and diagnostics, beside the function's own; all of them when absent. */
  readonly save: readonly string[];
  /** Whether every iteration is saved. */
  readonly save_iterations: boolean;
  /** Whether warmup draws are saved as well. */
  readonly save_warmup: boolean;
  /** Step size, or where the search for one starts. */
  readonly stepsize: number;
  /** Each transition uses the step size times a uniform draw from 1 - jitter to 1 + jitter; 0 and 1 mean none. */
  readonly stepsize_jitter: number;
  /** Iteration offset of the step-size adaptation. */
  readonly t0: number;
  /** Last warmup iterations, which adapt the step size only. */
  readonly term_buffer: number;
  /** Converged when the gradient is shorter. */
  readonly tol_grad: number;
  /** Converged when the objective changes by less. */
  readonly tol_obj: number;
  /** Converged when the parameters move by less. */
  readonly tol_param: number;
  /** Converged when the gradient promises less decrease, relative to the objective, in units of the machine precision. */
  readonly tol_rel_grad: number;
  /** Converged when the objective changes by less, relative to itself, in units of the machine precision. Or: Converged when the mean or median relative change of the ELBO is smaller. */
  readonly tol_rel_obj: number;
  /** Length of the first window of the metric adaptation; each further one is twice as long. */
  readonly window: number;
}

/** No-U-Turn sampler with a unit Euclidean metric; the step size is adapted during warmup. */
export type HmcNutsUnitEAdaptRequest = Request<
  'sample::hmc_nuts_unit_e_adapt',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'max_depth'
  | 'delta'
  | 'gamma'
  | 'kappa'
  | 't0'
  | 'num_chains'
  | 'save'
>;

/** No-U-Turn sampler with a unit Euclidean metric; nothing is adapted. */
export type HmcNutsUnitERequest = Request<
  'sample::hmc_nuts_unit_e',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'max_depth'
  | 'num_chains'
  | 'save'
>;

/** No-U-Turn sampler with a diagonal Euclidean metric; step size and metric are adapted during warmup. */
export type HmcNutsDiagEAdaptRequest = Request<
  'sample::hmc_nuts_diag_e_adapt',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'max_depth'
  | 'inv_metric'
  | 'delta'
  | 'gamma'
  | 'kappa'
  | 't0'
  | 'init_buffer'
  | 'term_buffer'
  | 'window'
  | 'adapt_metric'
  | 'num_chains'
  | 'save'
>;

/** No-U-Turn sampler with a diagonal Euclidean metric; nothing is adapted. */
export type HmcNutsDiagERequest = Request<
  'sample::hmc_nuts_diag_e',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'max_depth'
  | 'inv_metric'
  | 'num_chains'
  | 'save'
>;

/** No-U-Turn sampler with a dense Euclidean metric; step size and metric are adapted during warmup. */
export type HmcNutsDenseEAdaptRequest = Request<
  'sample::hmc_nuts_dense_e_adapt',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'max_depth'
  | 'inv_metric'
  | 'delta'
  | 'gamma'
  | 'kappa'
  | 't0'
  | 'init_buffer'
  | 'term_buffer'
  | 'window'
  | 'num_chains'
  | 'save'
>;

/** No-U-Turn sampler with a dense Euclidean metric; nothing is adapted. */
export type HmcNutsDenseERequest = Request<
  'sample::hmc_nuts_dense_e',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'max_depth'
  | 'inv_metric'
  | 'num_chains'
  | 'save'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a unit Euclidean metric; the step size is adapted during warmup. */
export type HmcStaticUnitEAdaptRequest = Request<
  'sample::hmc_static_unit_e_adapt',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'int_time'
  | 'delta'
  | 'gamma'
  | 'kappa'
  | 't0'
  | 'num_chains'
  | 'save'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a unit Euclidean metric; nothing is adapted. */
export type HmcStaticUnitERequest = Request<
  'sample::hmc_static_unit_e',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'int_time'
  | 'num_chains'
  | 'save'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a diagonal Euclidean metric; step size and metric are adapted during warmup. */
export type HmcStaticDiagEAdaptRequest = Request<
  'sample::hmc_static_diag_e_adapt',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'int_time'
  | 'inv_metric'
  | 'delta'
  | 'gamma'
  | 'kappa'
  | 't0'
  | 'init_buffer'
  | 'term_buffer'
  | 'window'
  | 'adapt_metric'
  | 'num_chains'
  | 'save'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a diagonal Euclidean metric; nothing is adapted. */
export type HmcStaticDiagERequest = Request<
  'sample::hmc_static_diag_e',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'int_time'
  | 'inv_metric'
  | 'num_chains'
  | 'save'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a dense Euclidean metric; step size and metric are adapted during warmup. */
export type HmcStaticDenseEAdaptRequest = Request<
  'sample::hmc_static_dense_e_adapt',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'int_time'
  | 'inv_metric'
  | 'delta'
  | 'gamma'
  | 'kappa'
  | 't0'
  | 'init_buffer'
  | 'term_buffer'
  | 'window'
  | 'num_chains'
  | 'save'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a dense Euclidean metric; nothing is adapted. */
export type HmcStaticDenseERequest = Request<
  'sample::hmc_static_dense_e',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'int_time'
  | 'inv_metric'
  | 'num_chains'
  | 'save'
>;

/** Keeps the parameters at their initial values and draws generated quantities anew at each iteration. */
export type FixedParamRequest = Request<
  'sample::fixed_param',
  'init' | 'random_seed' | 'chain' | 'init_radius' | 'refresh' | 'num_samples' | 'num_thin' | 'num_chains' | 'save'
>;

/** Climbs to a mode of the density with limited-memory quasi-Newton steps (L-BFGS). */
export type LbfgsRequest = Request<
  'optimize::lbfgs',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'iter'
  | 'save_iterations'
  | 'jacobian'
  | 'init_alpha'
  | 'tol_obj'
  | 'tol_rel_obj'
  | 'tol_grad'
  | 'tol_rel_grad'
  | 'tol_param'
  | 'history_size'
  | 'save'
>;

/** Climbs to a mode of the density with quasi-Newton steps (BFGS). */
export type BfgsRequest = Request<
  'optimize::bfgs',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'iter'
  | 'save_iterations'
  | 'jacobian'
  | 'init_alpha'
  | 'tol_obj'
  | 'tol_rel_obj'
  | 'tol_grad'
  | 'tol_rel_grad'
  | 'tol_param'
  | 'save'
>;

/** Climbs to a mode of the density with Newton's method; second derivatives are differences of gradients. */
export type NewtonRequest = Request<
  'optimize::newton',
  'init' | 'random_seed' | 'chain' | 'init_radius' | 'refresh' | 'iter' | 'save_iterations' | 'jacobian' | 'save'
>;

/** Draws from the Laplace approximation: a normal distribution with the mode and curvature of the density. */
export type LaplaceSampleRequest = Request<
  'laplace_sample',
  'mode' | 'random_seed' | 'chain' | 'refresh' | 'draws' | 'jacobian' | 'calculate_lp' | 'save'
> &
  Pick<FitArguments, 'mode'>;

/** Automatic differentiation variational inference: fits independent normals to the unconstrained parameters. */
export type MeanfieldRequest = Request<
  'experimental::advi::meanfield',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'iter'
  | 'grad_samples'
  | 'elbo_samples'
  | 'eval_elbo'
  | 'output_samples'
  | 'eta'
  | 'adapt_engaged'
  | 'adapt_iterations'
  | 'tol_rel_obj'
  | 'save'
>;

/** Automatic differentiation variational inference: fits a multivariate normal to the unconstrained parameters. */
export type FullrankRequest = Request<
  'experimental::advi::fullrank',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'iter'
  | 'grad_samples'
  | 'elbo_samples'
  | 'eval_elbo'
  | 'output_samples'
  | 'eta'
  | 'adapt_engaged'
  | 'adapt_iterations'
  | 'tol_rel_obj'
  | 'save'
>;

/** Draws from the best normal approximation along the path of an optimizer. */
export type PathfinderLbfgsSingleRequest = Request<
  'pathfinder::pathfinder_lbfgs_single',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'init_alpha'
  | 'tol_obj'
  | 'tol_rel_obj'
  | 'tol_grad'
  | 'tol_rel_grad'
  | 'tol_param'
  | 'history_size'
  | 'max_lbfgs_iters'
  | 'num_draws'
  | 'num_elbo_draws'
  | 'calculate_lp'
  | 'save'
>;

/** Draws from the best normal approximations of several paths, resampled by importance. */
export type PathfinderLbfgsMultiRequest = Request<
  'pathfinder::pathfinder_lbfgs_multi',
  | 'init'
  | 'random_seed'
  | 'chain'
  | 'init_radius'
  | 'refresh'
  | 'init_alpha'
  | 'tol_obj'
  | 'tol_rel_obj'
  | 'tol_grad'
  | 'tol_rel_grad'
  | 'tol_param'
  | 'history_size'
  | 'max_lbfgs_iters'
  | 'num_draws'
  | 'num_elbo_draws'
  | 'calculate_lp'
  | 'num_paths'
  | 'num_psis_draws'
  | 'psis_resample'
  | 'save'
>;

/** Computes the generated quantities for draws of an earlier fit or in the request. */
export type StandaloneGenerateRequest = Request<
  'standalone_generate',
  'fitted_params' | 'random_seed' | 'chain' | 'refresh' | 'save'
> &
  Pick<FitArguments, 'fitted_params'>;

/** Checks the gradient of the log density against finite differences. */
export type DiagnoseRequest = Request<
  'diagnose::diagnose',
  'init' | 'random_seed' | 'chain' | 'init_radius' | 'refresh' | 'epsilon' | 'error' | 'save'
>;

/** A request for a fit: the function, and whatever that function takes (`Client.functions`). */
export type FitRequest =
  | HmcNutsUnitEAdaptRequest
  | HmcNutsUnitERequest
  | HmcNutsDiagEAdaptRequest
  | HmcNutsDiagERequest
  | HmcNutsDenseEAdaptRequest
  | HmcNutsDenseERequest
  | HmcStaticUnitEAdaptRequest
  | HmcStaticUnitERequest
  | HmcStaticDiagEAdaptRequest
  | HmcStaticDiagERequest
  | HmcStaticDenseEAdaptRequest
  | HmcStaticDenseERequest
  | FixedParamRequest
  | LbfgsRequest
  | BfgsRequest
  | NewtonRequest
  | LaplaceSampleRequest
  | MeanfieldRequest
  | FullrankRequest
  | PathfinderLbfgsSingleRequest
  | PathfinderLbfgsMultiRequest
  | StandaloneGenerateRequest
  | DiagnoseRequest;
