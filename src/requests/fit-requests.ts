/**
 * Requests for each function. `npm run accept` generates this file from the tables of the algorithms, and a test fails if the two differ.
 * `Source` is the type of a reference to a finished fit, `Data` that of the data.
 */
import type { Variables } from './variables.js';

type Numbers = readonly number[] | Float64Array;

/** Fields of every request. */
interface Common<Data> {
  /** Values of the data variables. */
  readonly data?: Data;
}

/** A request for a fit by one function: its name, data, some of the arguments, and inputs. */
type Request<Source, Data, Name extends string, Taken extends keyof FitArguments<Source>> = {
  readonly function: Name;
} & Arguments<Source, Data, Taken>;

/** Data, and some of the arguments and inputs. */
type Arguments<Source, Data, Taken extends keyof FitArguments<Source>> = Common<Data> &
  Partial<Pick<FitArguments<Source>, Taken>>;

/** Every argument and input of a function. */
export interface FitArguments<Source> {
  /** Whether the scale of the steps is adapted. */
  readonly adapt_engaged: boolean;
  /** Iterations per scale that the adaptation tries. */
  readonly adapt_iterations: number;
  /** Whether the metric is learned from the variances of positions, as in Stan, or from positions and gradients (not in Stan). */
  readonly adapt_metric: 'variance' | 'fisher';
  /** Whether the log density of each draw is computed. Without it, the log density is NaN. Or: Whether the log density of each draw is computed. Without it, the log density is NaN and draws are not resampled. */
  readonly calculate_lp: boolean;
  /** Chain id: chains with one seed and different ids are independent. */
  readonly chain: number;
  /** A finished fit of the same program, data and sampler (over HTTP its name). Its chains continue where they ended, without warmup, with the same seed, step size and metric. The new fit contains the further draws. */
  readonly continue: Source;
  /** Target mean acceptance statistic of the step-size adaptation; raised in warmup if transitions diverge and the metric is learned from gradients. */
  readonly delta: number;
  /** Number of draws. */
  readonly draws: number;
  /** Draws per evaluation of the ELBO. */
  readonly elbo_samples: number;
  /** Step size of the finite differences. */
  readonly epsilon: number;
  /** Largest difference at which an element of the gradient counts as correct. */
  readonly error: number;
  /** Scale of the steps, if it is not adapted. */
  readonly eta: number;
  /** Iterations between evaluations of the ELBO. */
  readonly eval_elbo: number;
  /** Draws of the parameters: an array of objects, one per draw, with one member per parameter; or a finished fit (over HTTP its name). The new fit has the same chains. */
  readonly fitted_params: readonly Variables[] | Source;
  /** Regularization scale of the step-size adaptation. */
  readonly gamma: number;
  /** Draws per gradient. */
  readonly grad_samples: number;
  /** Number of updates that L-BFGS stores. */
  readonly history_size: number;
  /** Initial values: an object with one member per parameter, where missing parameters start at random; or a finished fit (over HTTP its name), where each chain starts from a different draw. */
  readonly init: Variables | Source;
  /** Step of the line search in the first iteration. */
  readonly init_alpha: number;
  /** Number of first warmup iterations, which adapt only the step size. */
  readonly init_buffer: number;
  /** Parameters without an initial value start uniformly within (-radius, radius) on the unconstrained scale. */
  readonly init_radius: number;
  /** Integration time of a trajectory: number of leapfrog steps times step size. */
  readonly int_time: number;
  /** Whether parameters that are normally distributed given the others, such as the effects of linear mixed models, are integrated out: only the others are sampled, and these parameters are drawn from their conditional distribution (not in Stan). The posterior is the same. */
  readonly integrate: 'none' | 'auto';
  /** Initial inverse metric: a variance for each unconstrained parameter; all 1 if absent. Or: Initial inverse metric: the covariance matrix of the unconstrained parameters, row by row; the identity if absent. Or: Initial inverse metric: a row with the diagonal, then one row per direction, an eigenvector of the metric in scaled coordinates times its eigenvalue; the identity if absent. */
  readonly inv_metric: Numbers | readonly Numbers[];
  /** Maximum number of iterations. */
  readonly iter: number;
  /** Whether the density includes the Jacobians of the constraining transforms. If so, the mode is that of the unconstrained parameters, otherwise that of the constrained ones. Or: Whether the density includes the Jacobians of the transforms; must equal the setting with which the mode was found. */
  readonly jacobian: boolean;
  /** Relaxation exponent of the step-size adaptation. */
  readonly kappa: number;
  /** Maximum depth of the trajectory tree: at most 2^max_depth - 1 leapfrog steps. */
  readonly max_depth: number;
  /** Maximum number of iterations of L-BFGS. */
  readonly max_lbfgs_iters: number;
  /** Maximum number of temperatures, including those of the reference and of the posterior; warmup chooses the number from the rates at which exchanges are rejected. */
  readonly max_temperatures: number;
  /** The mode: an object with one member per parameter, or a finished fit of an optimizer (over HTTP its name). */
  readonly mode: Variables | Source;
  /** Number of chains, with the same seed and ids from `chain` upward. */
  readonly num_chains: number;
  /** Draws from the best approximation of each path. */
  readonly num_draws: number;
  /** Draws per evaluation of the ELBO. */
  readonly num_elbo_draws: number;
  /** Number of paths, each from its own starting point. */
  readonly num_paths: number;
  /** Total number of saved draws from all paths. */
  readonly num_psis_draws: number;
  /** Iterations after warmup. */
  readonly num_samples: number;
  /** Interval between saved draws, in iterations. */
  readonly num_thin: number;
  /** Warmup iterations, in which step size and metric are adapted if the function adapts them. */
  readonly num_warmup: number;
  /** Number of saved draws from the approximation. */
  readonly output_samples: number;
  /** Whether the draws are resampled by Pareto-smoothed importance weights; all are saved otherwise. */
  readonly psis_resample: boolean;
  /** Seed of the random numbers; if absent, drawn at random and recorded. */
  readonly random_seed: number;
  /** Iterations between progress messages; 0 for none. */
  readonly refresh: number;
  /** Whether warmup learns partially centered coordinates for parameters whose priors have a location and a scale, such as `theta ~ normal(mu, tau)` (not in Stan). The posterior is the same. */
  readonly reparameterize: 'none' | 'auto';
  /** Variables to save in draws and diagnostics, besides the function's own columns; all if absent. */
  readonly save: readonly string[];
  /** Whether every iteration is saved. */
  readonly save_iterations: boolean;
  /** Whether warmup draws are saved as well. */
  readonly save_warmup: boolean;
  /** Step size, or the initial value of its search. */
  readonly stepsize: number;
  /** Each transition uses the step size times a uniform draw from 1 - jitter to 1 + jitter; 0 and 1 mean none. */
  readonly stepsize_jitter: number;
  /** Iteration offset of the step-size adaptation. */
  readonly t0: number;
  /** Number of last warmup iterations, which adapt only the step size. */
  readonly term_buffer: number;
  /** Maximum number of threads that evaluate the log density of a chain, each on slices of the rows of the data (not in Stan). Results do not depend on the number, but can differ in their last digits from those without this argument, where the density is one sum. */
  readonly threads_per_chain: number;
  /** Convergence tolerance for the norm of the gradient. */
  readonly tol_grad: number;
  /** Convergence tolerance for the change of the objective. */
  readonly tol_obj: number;
  /** Convergence tolerance for the change of the parameters. */
  readonly tol_param: number;
  /** Convergence tolerance for the decrease that the gradient predicts, relative to the objective, in units of the machine precision. */
  readonly tol_rel_grad: number;
  /** Convergence tolerance for the relative change of the objective, in units of the machine precision. Or: Convergence tolerance for the mean or median relative change of the ELBO. */
  readonly tol_rel_obj: number;
  /** A finished fit (over HTTP its name): the chains start with its last positions, step size and metric. Parameters are matched by name and size; others start as if warm_start were absent, and the log lists them. `init` and `inv_metric` take precedence. */
  readonly warm_start: Source;
  /** Length of the first window of the metric adaptation; each later window is twice as long. */
  readonly window: number;
}

/** Fields of every request. */
type SharedFields = 'random_seed' | 'chain' | 'refresh' | 'save';

/** Fields of every function with initial values. */
type StartFields = SharedFields | 'init' | 'init_radius';

/** Fields of every sampler of Hamiltonian Monte Carlo. */
type HmcFields =
  | StartFields
  | 'warm_start'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'stepsize_jitter'
  | 'threads_per_chain'
  | 'num_chains';

/** Arguments of the step-size adaptation. */
type StepSizeFields = 'delta' | 'gamma' | 'kappa' | 't0';

/** Arguments that divide the warmup of an adapted metric. */
type WindowFields = 'init_buffer' | 'term_buffer' | 'window';

/** Arguments of all optimizers. */
type IterationFields = 'iter' | 'save_iterations' | 'jacobian';

/** Arguments of quasi-Newton methods. */
type LineSearchFields = 'init_alpha' | 'tol_obj' | 'tol_rel_obj' | 'tol_grad' | 'tol_rel_grad' | 'tol_param';

/** Arguments of variational inference. */
type AdviFields =
  | 'iter'
  | 'grad_samples'
  | 'elbo_samples'
  | 'eval_elbo'
  | 'output_samples'
  | 'eta'
  | 'adapt_engaged'
  | 'adapt_iterations'
  | 'tol_rel_obj';

/** No-U-Turn sampler with a unit Euclidean metric; the step size is adapted during warmup. */
export type HmcNutsUnitEAdaptRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_nuts_unit_e_adapt' | 'engine::services::sample::hmc_nuts_unit_e_adapt',
  HmcFields | StepSizeFields | 'continue' | 'max_depth'
>;

/** No-U-Turn sampler with a unit Euclidean metric; nothing is adapted. */
export type HmcNutsUnitERequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_nuts_unit_e' | 'engine::services::sample::hmc_nuts_unit_e',
  HmcFields | 'continue' | 'max_depth'
>;

/** No-U-Turn sampler with a diagonal Euclidean metric; step size and metric are adapted during warmup. */
export type HmcNutsDiagEAdaptRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_nuts_diag_e_adapt' | 'engine::services::sample::hmc_nuts_diag_e_adapt',
  | HmcFields
  | StepSizeFields
  | WindowFields
  | 'continue'
  | 'max_depth'
  | 'inv_metric'
  | 'adapt_metric'
  | 'reparameterize'
  | 'integrate'
>;

/** No-U-Turn sampler with a diagonal Euclidean metric; nothing is adapted. */
export type HmcNutsDiagERequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_nuts_diag_e' | 'engine::services::sample::hmc_nuts_diag_e',
  HmcFields | 'continue' | 'max_depth' | 'inv_metric'
>;

/** No-U-Turn sampler with a dense Euclidean metric; step size and metric are adapted during warmup. */
export type HmcNutsDenseEAdaptRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_nuts_dense_e_adapt' | 'engine::services::sample::hmc_nuts_dense_e_adapt',
  HmcFields | StepSizeFields | WindowFields | 'continue' | 'max_depth' | 'inv_metric' | 'reparameterize' | 'integrate'
>;

/** No-U-Turn sampler with a dense Euclidean metric; nothing is adapted. */
export type HmcNutsDenseERequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_nuts_dense_e' | 'engine::services::sample::hmc_nuts_dense_e',
  HmcFields | 'continue' | 'max_depth' | 'inv_metric'
>;

/** No-U-Turn sampler with a low-rank plus diagonal Euclidean metric; step size and metric are adapted during warmup. */
export type HmcNutsLowRankAdaptRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'leapfrog::services::sample::hmc_nuts_low_rank_adapt',
  HmcFields | StepSizeFields | 'continue' | 'max_depth' | 'inv_metric' | 'reparameterize' | 'integrate'
>;

/** No-U-Turn sampler with a low-rank plus diagonal Euclidean metric; nothing is adapted. */
export type HmcNutsLowRankRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'leapfrog::services::sample::hmc_nuts_low_rank',
  HmcFields | 'continue' | 'max_depth' | 'inv_metric'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a unit Euclidean metric; the step size is adapted during warmup. */
export type HmcStaticUnitEAdaptRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_static_unit_e_adapt' | 'engine::services::sample::hmc_static_unit_e_adapt',
  HmcFields | StepSizeFields | 'int_time'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a unit Euclidean metric; nothing is adapted. */
export type HmcStaticUnitERequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_static_unit_e' | 'engine::services::sample::hmc_static_unit_e',
  HmcFields | 'int_time'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a diagonal Euclidean metric; step size and metric are adapted during warmup. */
export type HmcStaticDiagEAdaptRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_static_diag_e_adapt' | 'engine::services::sample::hmc_static_diag_e_adapt',
  | HmcFields
  | StepSizeFields
  | WindowFields
  | 'int_time'
  | 'inv_metric'
  | 'adapt_metric'
  | 'reparameterize'
  | 'integrate'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a diagonal Euclidean metric; nothing is adapted. */
export type HmcStaticDiagERequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_static_diag_e' | 'engine::services::sample::hmc_static_diag_e',
  HmcFields | 'int_time' | 'inv_metric'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a dense Euclidean metric; step size and metric are adapted during warmup. */
export type HmcStaticDenseEAdaptRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_static_dense_e_adapt' | 'engine::services::sample::hmc_static_dense_e_adapt',
  HmcFields | StepSizeFields | WindowFields | 'int_time' | 'inv_metric' | 'reparameterize' | 'integrate'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a dense Euclidean metric; nothing is adapted. */
export type HmcStaticDenseERequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_static_dense_e' | 'engine::services::sample::hmc_static_dense_e',
  HmcFields | 'int_time' | 'inv_metric'
>;

/** The recommended sampler: the No-U-Turn sampler with a low-rank plus diagonal metric, learned coordinates, and a short warmup that starts near typical draws. */
export type RecommendedRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'leapfrog::services::sample::recommended',
  HmcFields | StepSizeFields | 'continue' | 'max_depth' | 'inv_metric' | 'reparameterize' | 'integrate'
>;

/** Non-reversible parallel tempering, for posteriors with several modes: chains of the No-U-Turn sampler at inverse temperatures between a reference distribution and the posterior, which exchange their positions. Each chain has its own temperatures. */
export type TemperedRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'leapfrog::services::sample::tempered',
  | StartFields
  | StepSizeFields
  | 'continue'
  | 'num_samples'
  | 'num_thin'
  | 'num_warmup'
  | 'save_warmup'
  | 'stepsize'
  | 'max_depth'
  | 'max_temperatures'
  | 'threads_per_chain'
  | 'num_chains'
>;

/** Keeps the parameters at their initial values and draws the generated quantities in each iteration. */
export type FixedParamRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::fixed_param' | 'engine::services::sample::fixed_param',
  StartFields | 'num_samples' | 'num_thin' | 'num_chains'
>;

/** Finds a mode of the density by the limited-memory quasi-Newton method L-BFGS. */
export type LbfgsRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::optimize::lbfgs' | 'engine::services::optimize::lbfgs',
  StartFields | IterationFields | LineSearchFields | 'history_size' | 'threads_per_chain'
>;

/** Finds a mode of the density by the quasi-Newton method BFGS. */
export type BfgsRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::optimize::bfgs' | 'engine::services::optimize::bfgs',
  StartFields | IterationFields | LineSearchFields | 'threads_per_chain'
>;

/** Finds a mode of the density by Newton's method. Second derivatives are exact, or differences of gradients if they cannot be compiled. */
export type NewtonRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::optimize::newton' | 'engine::services::optimize::newton',
  StartFields | IterationFields | 'threads_per_chain'
>;

/** Draws from the Laplace approximation, a normal distribution with the mode and curvature of the density. Second derivatives are exact, or differences of gradients if they cannot be compiled. */
export type LaplaceSampleRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::laplace_sample' | 'engine::services::laplace_sample',
  SharedFields | 'mode' | 'draws' | 'jacobian' | 'calculate_lp' | 'threads_per_chain'
> &
  Pick<FitArguments<Source>, 'mode'>;

/** Automatic differentiation variational inference: fits independent normals to the unconstrained parameters. */
export type MeanfieldRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::experimental::advi::meanfield' | 'engine::services::experimental::advi::meanfield',
  StartFields | AdviFields | 'threads_per_chain'
>;

/** Automatic differentiation variational inference: fits a multivariate normal to the unconstrained parameters. */
export type FullrankRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::experimental::advi::fullrank' | 'engine::services::experimental::advi::fullrank',
  StartFields | AdviFields | 'threads_per_chain'
>;

/** Draws from the best normal approximation along the path of an optimizer. */
export type PathfinderLbfgsSingleRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::pathfinder::pathfinder_lbfgs_single' | 'engine::services::pathfinder::pathfinder_lbfgs_single',
  | StartFields
  | LineSearchFields
  | 'history_size'
  | 'max_lbfgs_iters'
  | 'num_draws'
  | 'num_elbo_draws'
  | 'calculate_lp'
  | 'threads_per_chain'
>;

/** Draws from the best normal approximations of several paths, resampled by importance. */
export type PathfinderLbfgsMultiRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::pathfinder::pathfinder_lbfgs_multi' | 'engine::services::pathfinder::pathfinder_lbfgs_multi',
  | StartFields
  | LineSearchFields
  | 'history_size'
  | 'max_lbfgs_iters'
  | 'num_draws'
  | 'num_elbo_draws'
  | 'calculate_lp'
  | 'num_paths'
  | 'num_psis_draws'
  | 'psis_resample'
  | 'threads_per_chain'
>;

/** Computes the generated quantities for draws of an earlier fit or in the request. */
export type StandaloneGenerateRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::standalone_generate' | 'engine::services::standalone_generate',
  SharedFields | 'fitted_params'
> &
  Pick<FitArguments<Source>, 'fitted_params'>;

/** Compares the gradient of the log density with finite differences. */
export type DiagnoseRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::diagnose::diagnose' | 'engine::services::diagnose::diagnose',
  StartFields | 'epsilon' | 'error' | 'threads_per_chain'
>;

/** A request for a fit: the function, and its fields (`Client.functions`). */
export type FitRequest<Source, Data = Variables> =
  | HmcNutsUnitEAdaptRequest<Source, Data>
  | HmcNutsUnitERequest<Source, Data>
  | HmcNutsDiagEAdaptRequest<Source, Data>
  | HmcNutsDiagERequest<Source, Data>
  | HmcNutsDenseEAdaptRequest<Source, Data>
  | HmcNutsDenseERequest<Source, Data>
  | HmcNutsLowRankAdaptRequest<Source, Data>
  | HmcNutsLowRankRequest<Source, Data>
  | HmcStaticUnitEAdaptRequest<Source, Data>
  | HmcStaticUnitERequest<Source, Data>
  | HmcStaticDiagEAdaptRequest<Source, Data>
  | HmcStaticDiagERequest<Source, Data>
  | HmcStaticDenseEAdaptRequest<Source, Data>
  | HmcStaticDenseERequest<Source, Data>
  | RecommendedRequest<Source, Data>
  | TemperedRequest<Source, Data>
  | FixedParamRequest<Source, Data>
  | LbfgsRequest<Source, Data>
  | BfgsRequest<Source, Data>
  | NewtonRequest<Source, Data>
  | LaplaceSampleRequest<Source, Data>
  | MeanfieldRequest<Source, Data>
  | FullrankRequest<Source, Data>
  | PathfinderLbfgsSingleRequest<Source, Data>
  | PathfinderLbfgsMultiRequest<Source, Data>
  | StandaloneGenerateRequest<Source, Data>
  | DiagnoseRequest<Source, Data>;

/** Fields of the method sample. */
export type SampleFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  | HmcFields
  | StepSizeFields
  | WindowFields
  | 'continue'
  | 'max_depth'
  | 'inv_metric'
  | 'adapt_metric'
  | 'reparameterize'
  | 'integrate'
  | 'int_time'
  | 'max_temperatures'
> & {
  /** Sampler. */
  readonly algorithm?: 'nuts' | 'static' | 'fixed_param' | 'recommended' | 'tempered';
  /** Shape of the metric. */
  readonly metric?: 'diag_e' | 'dense_e' | 'unit_e' | 'low_rank';
  /** Adapt step size and metric during warmup. */
  readonly adapt_engaged?: boolean;
};

/** Fields of the method optimize. */
export type OptimizeFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  StartFields | IterationFields | LineSearchFields | 'history_size' | 'threads_per_chain'
> & {
  /** Optimizer. */
  readonly algorithm?: 'lbfgs' | 'bfgs' | 'newton';
};

/** Fields of the method laplace. */
export type LaplaceFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  SharedFields | 'mode' | 'draws' | 'jacobian' | 'calculate_lp' | 'threads_per_chain'
> &
  Pick<FitArguments<Source>, 'mode'>;

/** Fields of the method variational. */
export type VariationalFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  StartFields | AdviFields | 'threads_per_chain'
> & {
  /** Family of the approximation. */
  readonly algorithm?: 'meanfield' | 'fullrank';
};

/** Fields of the method pathfinder. */
export type PathfinderFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  | StartFields
  | LineSearchFields
  | 'history_size'
  | 'max_lbfgs_iters'
  | 'num_draws'
  | 'num_elbo_draws'
  | 'calculate_lp'
  | 'threads_per_chain'
  | 'num_paths'
  | 'num_psis_draws'
  | 'psis_resample'
>;

/** Fields of the method generate. */
export type GenerateFields<Source, Data = Variables> = Arguments<Source, Data, SharedFields | 'fitted_params'> &
  Pick<FitArguments<Source>, 'fitted_params'>;

/** Fields of the method diagnose_gradient. */
export type DiagnoseGradientFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  StartFields | 'epsilon' | 'error' | 'threads_per_chain'
>;
