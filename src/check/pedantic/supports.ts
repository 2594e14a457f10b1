/** A requirement of a distribution on its variate or on an argument. */
interface Demand {
  /** stanc's name for it. */
  readonly name: string;
  readonly of: Support;
}

export type Support =
  | { readonly kind: 'range'; readonly lower?: Bound; readonly upper?: Bound }
  /** Any of these declared types. */
  | { readonly kind: 'types'; readonly types: readonly string[] };

export interface Bound {
  readonly value: number;
  readonly isIncluded: boolean;
}

const open = (value: number): Bound => ({ value, isIncluded: false });
const closed = (value: number): Bound => ({ value, isIncluded: true });
const types = (name: string, ...allowed: readonly string[]): Demand => ({
  name,
  of: { kind: 'types', types: allowed },
});

const POSITIVE: Demand = { name: 'strictly positive', of: { kind: 'range', lower: open(0) } };
const NONNEGATIVE: Demand = { name: 'non-negative', of: { kind: 'range', lower: closed(0) } };
const UNIT: Demand = { name: '[0,1]', of: { kind: 'range', lower: closed(0), upper: closed(1) } };
const INSIDE_UNIT: Demand = { name: '(0,1)', of: { kind: 'range', lower: open(0), upper: open(1) } };
const SIMPLEX = types('simplex', 'simplex');
const ORDERED = types('ordered', 'ordered');
const CORRELATION = types('correlation', 'corr_matrix');
const COVARIANCE = types('covariance', 'cov_matrix', 'corr_matrix');
const CORRELATION_FACTOR = types('Cholesky factor of correlation', 'cholesky_factor_corr');
const COVARIANCE_FACTOR = types('Cholesky factor of covariance', 'cholesky_factor_cov', 'cholesky_factor_corr');

const SCALE = 'a scale parameter';
const SCALE_MATRIX = 'a scale matrix';
const INVERSE_SCALE = 'an inverse scale parameter';
const SHAPE = 'a shape parameter';
const FREEDOM = 'degrees of freedom';
const COVARIANCE_MATRIX = 'a covariance matrix';
const PRECISION = 'a precision parameter';
const COUNT = 'a count parameter';
const OVERDISPERSION = 'an inverse overdispersion control parameter';

/** A requirement on the variate (position 0) or on the argument at a position, with the role of that argument. */
export interface Requirement {
  readonly position: number;
  readonly role: string;
  readonly demand: Demand;
}

const variate = (demand: Demand): Requirement => ({ position: 0, role: '', demand });
const argument = (position: number, role: string, demand: Demand): Requirement => ({ position, role, demand });

/**
 * The requirements of the distributions, by name, in stanc's order.
 * Source: Stan Functions Reference, the parts on distributions.
 */
export const REQUIREMENTS: Readonly<Record<string, readonly Requirement[]>> = {
  bernoulli: [argument(1, 'chance of success', UNIT)],
  binomial: [argument(2, 'chance of success', UNIT)],
  beta_binomial: [argument(2, 'a prior success count', POSITIVE), argument(3, 'a prior failure count', POSITIVE)],
  categorical: [argument(1, 'a vector of outcome probabilities', SIMPLEX)],
  ordered_logistic: [argument(2, 'cutpoints', ORDERED)],
  ordered_probit: [argument(2, 'cutpoints', ORDERED)],
  neg_binomial: [argument(1, SHAPE, POSITIVE), argument(2, INVERSE_SCALE, POSITIVE)],
  neg_binomial_2: [argument(1, SHAPE, POSITIVE), argument(2, PRECISION, POSITIVE)],
  neg_binomial_2_log: [argument(2, OVERDISPERSION, POSITIVE)],
  neg_binomial_2_log_glm: [argument(4, OVERDISPERSION, POSITIVE)],
  poisson: [argument(1, 'a rate parameter', POSITIVE)],
  multinomial: [argument(1, 'a distribution parameter', SIMPLEX)],
  normal: [argument(2, SCALE, POSITIVE)],
  normal_id_glm: [argument(4, SCALE, POSITIVE)],
  exp_mod_normal: [argument(2, SCALE, POSITIVE), argument(3, SHAPE, POSITIVE)],
  skew_normal: [argument(2, SCALE, POSITIVE)],
  student_t: [argument(1, FREEDOM, POSITIVE), argument(3, SCALE, POSITIVE)],
  cauchy: [argument(2, SCALE, POSITIVE)],
  double_exponential: [argument(2, SCALE, POSITIVE)],
  logistic: [argument(2, SCALE, POSITIVE)],
  gumbel: [argument(2, SCALE, POSITIVE)],
  lognormal: [variate(POSITIVE), argument(2, SCALE, POSITIVE)],
  chi_square: [variate(POSITIVE), argument(1, FREEDOM, POSITIVE)],
  inv_chi_square: [variate(POSITIVE), argument(1, FREEDOM, POSITIVE)],
  scaled_inv_chi_square: [variate(POSITIVE), argument(1, FREEDOM, POSITIVE), argument(2, SCALE, POSITIVE)],
  exponential: [variate(POSITIVE), argument(1, SCALE, POSITIVE)],
  gamma: [variate(POSITIVE), argument(1, SHAPE, POSITIVE), argument(2, INVERSE_SCALE, POSITIVE)],
  inv_gamma: [variate(POSITIVE), argument(1, SHAPE, POSITIVE), argument(2, SCALE, POSITIVE)],
  weibull: [variate(NONNEGATIVE), argument(1, SHAPE, POSITIVE), argument(2, SCALE, POSITIVE)],
  frechet: [variate(POSITIVE), argument(1, SHAPE, POSITIVE), argument(2, SCALE, POSITIVE)],
  rayleigh: [variate(NONNEGATIVE), argument(1, SCALE, POSITIVE)],
  wiener: [
    variate(POSITIVE),
    argument(1, 'a boundary separation parameter', POSITIVE),
    argument(2, 'a non-decision time parameter', POSITIVE),
    argument(3, 'an a-priori bias parameter', UNIT),
  ],
  pareto: [variate(POSITIVE), argument(1, 'a positive minimum parameter', POSITIVE), argument(2, SHAPE, POSITIVE)],
  pareto_type_2: [argument(2, SCALE, POSITIVE), argument(3, SHAPE, POSITIVE)],
  beta: [variate(INSIDE_UNIT), argument(1, COUNT, POSITIVE), argument(2, COUNT, POSITIVE)],
  beta_proportion: [
    variate(INSIDE_UNIT),
    argument(1, 'a unit mean parameter', INSIDE_UNIT),
    argument(2, PRECISION, POSITIVE),
  ],
  von_mises: [argument(2, SCALE, POSITIVE)],
  multi_normal: [argument(2, COVARIANCE_MATRIX, COVARIANCE)],
  multi_normal_prec: [argument(2, 'a precision matrix', COVARIANCE)],
  multi_normal_cholesky: [argument(2, COVARIANCE_MATRIX, COVARIANCE_FACTOR)],
  multi_gp: [argument(1, 'a kernel matrix', COVARIANCE)],
  multi_gp_cholesky: [argument(1, 'Cholesky factor of the kernel matrix', COVARIANCE_FACTOR)],
  multi_student_t: [argument(1, FREEDOM, POSITIVE), argument(3, SCALE_MATRIX, COVARIANCE)],
  multi_student_t_cholesky: [argument(1, FREEDOM, POSITIVE), argument(3, COVARIANCE_MATRIX, COVARIANCE_FACTOR)],
  gaussian_dlm_obs: [
    argument(3, 'observation covariance matrix', COVARIANCE),
    argument(4, 'system covariance matrix', COVARIANCE),
  ],
  dirichlet: [variate(SIMPLEX), argument(1, COUNT, POSITIVE)],
  lkj_corr: [variate(CORRELATION), argument(1, SHAPE, POSITIVE)],
  lkj_corr_cholesky: [variate(CORRELATION_FACTOR), argument(1, SHAPE, POSITIVE)],
  wishart_cholesky: [
    variate(COVARIANCE_FACTOR),
    argument(1, FREEDOM, POSITIVE),
    argument(2, SCALE_MATRIX, COVARIANCE_FACTOR),
  ],
  wishart: [variate(COVARIANCE), argument(1, FREEDOM, POSITIVE), argument(2, SCALE_MATRIX, COVARIANCE)],
  inv_wishart_cholesky: [
    variate(COVARIANCE_FACTOR),
    argument(1, FREEDOM, POSITIVE),
    argument(2, SCALE_MATRIX, COVARIANCE_FACTOR),
  ],
  inv_wishart: [variate(COVARIANCE), argument(1, FREEDOM, POSITIVE), argument(2, SCALE_MATRIX, COVARIANCE)],
};
