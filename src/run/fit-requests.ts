/**
 * What each function takes. Made from the tables of the algorithms by `npm run accept`; a test fails when it is out of step.
 * `Source` is how a finished fit is given, `Data` how the data are.
 */
import type { Variables } from './variables.js';

type Numbers = readonly number[] | Float64Array;

/** What every function takes beside its arguments. */
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
  /** Iterations for each scale that the adaptation tries. */
  readonly adapt_iterations: number;
  /** What the metric is learned from: the positions' variances as in Stan, or positions and gradients (not in Stan). */
  readonly adapt_metric: 'variance' | 'fisher';
  /** Whether the log density of each draw is computed. Without it, the log density is NaN. Or: Whether the log density of each draw is computed. Without it, the log density is NaN and draws are not resampled. */
  readonly calculate_lp: boolean;
  /** Chain id: chains with one seed and different ids are independent. */
  readonly chain: number;
  /** A finished fit of the same program, data and sampler (over HTTP its name), whose chains go on where they ended, without warmup, with its seed, step size and metric. The new fit has the further draws. */
  readonly continue: Source;
  /** Target mean acceptance statistic of the step-size adaptation. */
  readonly delta: number;
  /** Number of draws. */
  readonly draws: number;
  /** Draws for each value of the ELBO. */
  readonly elbo_samples: number;
  /** Step size of the finite differences. */
  readonly epsilon: number;
  /** Largest difference at which an element of the gradient counts as correct. */
  readonly error: number;
  /** Scale of the steps, if it is not adapted. */
  readonly eta: number;
  /** Iterations between two values of the ELBO. */
  readonly eval_elbo: number;
  /** Draws of the parameters: an array of objects, one per draw, with one member per parameter; or a finished fit (over HTTP its name), whose chains become those of the new one. */
  readonly fitted_params: readonly Variables[] | Source;
  /** Regularization scale of the step-size adaptation. */
  readonly gamma: number;
  /** Draws for each gradient. */
  readonly grad_samples: number;
  /** Number of updates that L-BFGS stores. */
  readonly history_size: number;
  /** Initial values: an object with one member per parameter, where missing parameters start at random; or a finished fit (over HTTP its name), where each chain starts from a different draw. */
  readonly init: Variables | Source;
  /** Step of the line search in the first iteration. */
  readonly init_alpha: number;
  /** First warmup iterations, which adapt the step size only. */
  readonly init_buffer: number;
  /** Parameters without an initial value start uniformly within (-radius, radius) on the unconstrained scale. */
  readonly init_radius: number;
  /** Integration time of a trajectory: its number of leapfrog steps times their size. */
  readonly int_time: number;
  /** Inverse metric to start with: a variance for each unconstrained parameter; all 1 when absent. Or: Inverse metric to start with: the covariance matrix of the unconstrained parameters, row by row; the identity when absent. Or: Inverse metric to start with: a row with the diagonal, then one row per direction, an eigenvector of the metric in scaled coordinates times its eigenvalue; the identity when absent. */
  readonly inv_metric: Numbers | readonly Numbers[];
  /** Maximum number of iterations. */
  readonly iter: number;
  /** Whether the Jacobians of the constraining transforms count: the mode of the unconstrained parameters, not of the constrained ones. Or: Whether the density includes the Jacobians of the transforms; must equal the setting with which the mode was found. */
  readonly jacobian: boolean;
  /** Relaxation exponent of the step-size adaptation. */
  readonly kappa: number;
  /** A trajectory has at most 2^max_depth - 1 leapfrog steps. */
  readonly max_depth: number;
  /** Maximum number of iterations of L-BFGS. */
  readonly max_lbfgs_iters: number;
  /** The mode: an object with one member per parameter, or a finished fit of an optimizer (over HTTP its name). */
  readonly mode: Variables | Source;
  /** Chains to run, with ids from `chain` upward and the same seed. */
  readonly num_chains: number;
  /** Draws of the best approximation of a path. */
  readonly num_draws: number;
  /** Draws for each value of the ELBO. */
  readonly num_elbo_draws: number;
  /** Paths, each from a starting point of its own. */
  readonly num_paths: number;
  /** Number of draws to save from all paths together. */
  readonly num_psis_draws: number;
  /** Iterations after warmup. */
  readonly num_samples: number;
  /** Number of iterations for each saved draw. */
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
  /** Whether parameters with a prior of locations and scales, such as `theta ~ normal(mu, tau)`, are sampled in coordinates between centered and non-centered ones that are learned during warmup (not in Stan). The posterior is the same. */
  readonly reparameterize: 'none' | 'auto';
  /** Variables whose columns are kept in draws and diagnostics, in addition to the function's own columns; all if absent. */
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
  /** Maximum number of threads that evaluate the log density of a chain, in slices of the rows of its data (not in Stan). Results are the same for any number; without it they can differ in their last digits, because the density is then one sum. */
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
  /** A finished fit (over HTTP its name) whose last positions, step size and metric the chains start with. Parameters are matched by name and size; what does not match starts as without it, which the log reports. `init` and `inv_metric` take precedence. */
  readonly warm_start: Source;
  /** Length of the first window of the metric adaptation; each further one is twice as long. */
  readonly window: number;
}

/** What every function takes. */
type SharedFields = 'random_seed' | 'chain' | 'refresh' | 'save';

/** What every function with initial values takes. */
type StartFields = SharedFields | 'init' | 'init_radius';

/** What every sampler of Hamiltonian Monte Carlo takes. */
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
  HmcFields | StepSizeFields | WindowFields | 'continue' | 'max_depth' | 'inv_metric' | 'reparameterize'
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
  HmcFields | StepSizeFields | 'continue' | 'max_depth' | 'inv_metric' | 'reparameterize'
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
  HmcFields | StepSizeFields | WindowFields | 'int_time' | 'inv_metric' | 'adapt_metric' | 'reparameterize'
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
  HmcFields | StepSizeFields | WindowFields | 'int_time' | 'inv_metric' | 'reparameterize'
>;

/** Hamiltonian Monte Carlo with trajectories of fixed length with a dense Euclidean metric; nothing is adapted. */
export type HmcStaticDenseERequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::hmc_static_dense_e' | 'engine::services::sample::hmc_static_dense_e',
  HmcFields | 'int_time' | 'inv_metric'
>;

/** The sampler that we recommend: the No-U-Turn sampler with a low-rank plus diagonal metric, learned coordinates and a short warmup from starts near typical draws. */
export type RecommendedRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'leapfrog::services::sample::recommended',
  HmcFields | StepSizeFields | 'continue' | 'max_depth' | 'inv_metric' | 'reparameterize'
>;

/** Keeps the parameters at their initial values and draws generated quantities anew at each iteration. */
export type FixedParamRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::sample::fixed_param' | 'engine::services::sample::fixed_param',
  StartFields | 'num_samples' | 'num_thin' | 'num_chains'
>;

/** Climbs to a mode of the density with limited-memory quasi-Newton steps (L-BFGS). */
export type LbfgsRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::optimize::lbfgs' | 'engine::services::optimize::lbfgs',
  StartFields | IterationFields | LineSearchFields | 'history_size' | 'threads_per_chain'
>;

/** Climbs to a mode of the density with quasi-Newton steps (BFGS). */
export type BfgsRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::optimize::bfgs' | 'engine::services::optimize::bfgs',
  StartFields | IterationFields | LineSearchFields | 'threads_per_chain'
>;

/** Climbs to a mode of the density with Newton's method; second derivatives are exact, or differences of gradients where they cannot be compiled. */
export type NewtonRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::optimize::newton' | 'engine::services::optimize::newton',
  StartFields | IterationFields | 'threads_per_chain'
>;

/** Draws from the Laplace approximation: a normal distribution with the mode and curvature of the density, which is exact, or taken from differences of gradients where it cannot be compiled. */
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

/** Checks the gradient of the log density against finite differences. */
export type DiagnoseRequest<Source, Data = Variables> = Request<
  Source,
  Data,
  'stan::services::diagnose::diagnose' | 'engine::services::diagnose::diagnose',
  StartFields | 'epsilon' | 'error' | 'threads_per_chain'
>;

/** A request for a fit: the function, and whatever that function takes (`Client.functions`). */
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

/** What the method sample takes. */
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
  | 'int_time'
> & {
  /** Sampler. */
  readonly algorithm?: 'nuts' | 'static' | 'fixed_param' | 'recommended';
  /** Shape of the metric. */
  readonly metric?: 'diag_e' | 'dense_e' | 'unit_e' | 'low_rank';
  /** Adapt step size and metric during warmup. */
  readonly adapt_engaged?: boolean;
};

/** What the method optimize takes. */
export type OptimizeFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  StartFields | IterationFields | LineSearchFields | 'history_size' | 'threads_per_chain'
> & {
  /** Optimizer. */
  readonly algorithm?: 'lbfgs' | 'bfgs' | 'newton';
};

/** What the method laplace takes. */
export type LaplaceFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  SharedFields | 'mode' | 'draws' | 'jacobian' | 'calculate_lp' | 'threads_per_chain'
> &
  Pick<FitArguments<Source>, 'mode'>;

/** What the method variational takes. */
export type VariationalFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  StartFields | AdviFields | 'threads_per_chain'
> & {
  /** Family of the approximation. */
  readonly algorithm?: 'meanfield' | 'fullrank';
};

/** What the method pathfinder takes. */
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

/** What the method generate takes. */
export type GenerateFields<Source, Data = Variables> = Arguments<Source, Data, SharedFields | 'fitted_params'> &
  Pick<FitArguments<Source>, 'fitted_params'>;

/** What the method diagnose_gradient takes. */
export type DiagnoseGradientFields<Source, Data = Variables> = Arguments<
  Source,
  Data,
  StartFields | 'epsilon' | 'error' | 'threads_per_chain'
>;
