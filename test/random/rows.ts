/** A random number function, its arguments, and known properties of the distribution of its result `r`, as Stan source. */
export type Row = {
  /** The tested call. */
  readonly draw: string;
  /** Type of `r`. */
  readonly type: string;
} & (
  | {
      /** An expression of `r` that is uniform on (0, 1). */
      readonly uniform: string;
      /** Draws outside of these limits are only counted: many are rounded to the smallest or largest double. */
      readonly ends?: readonly [least: string, most: string];
    }
  | {
      /** An int of `r`, the log probability that it is `k`, and the values that are counted. */
      readonly count: string;
      readonly logMass: string;
      readonly from: number;
      readonly to: number;
    }
);

/** A continuous distribution, tested by its own distribution function. */
function byCdf(family: string, ...parameters: string[]): Row[] {
  return parameters.map((args) => ({
    draw: `${family}_rng(${args})`,
    type: 'real',
    uniform: `${family}_cdf(r | ${args})`,
  }));
}

const LEAST = '4.9406564584124654e-324';
const MOST = '1.7976931348623157e308';
/** The largest number below 1. */
const BELOW_1 = '1 - 0.5 * machine_precision()';

/** A continuous distribution, many of whose variates are rounded to the smallest or largest double. */
function rounded(family: string, ends: readonly [string, string], ...parameters: string[]): Row[] {
  return parameters.map((args) => ({
    draw: `${family}_rng(${args})`,
    type: 'real',
    uniform: `${family}_cdf(fmin(fmax(r, ${ends[0]}), ${ends[1]}) | ${args})`,
    ends,
  }));
}

/** A continuous distribution that has only the logarithm of its distribution function. */
function byLcdf(family: string, ...parameters: string[]): Row[] {
  return parameters.map((args) => ({
    draw: `${family}_rng(${args})`,
    type: 'real',
    uniform: `exp(${family}_lcdf(r | ${args}))`,
  }));
}

/** A discrete distribution, tested by its own mass function. */
function byMass(family: string, from: number, to: number, ...parameters: string[]): Row[] {
  return parameters.map((args) => ({
    draw: `${family}_rng(${args})`,
    type: 'int',
    count: 'r',
    logMass: `${family}_lpmf(k | ${args})`,
    from,
    to,
  }));
}

/** A function of a structured result that is uniform. */
function derived(draw: string, type: string, uniform: string): { draw: string; type: string; uniform: string } {
  return { draw, type, uniform };
}

function derivedCount(draw: string, type: string, count: string, logMass: string, from: number, to: number): Row {
  return { draw, type, count, logMass, from, to };
}

const MATRIX = '[[2, 0.6, 0.1], [0.6, 1, -0.3], [0.1, -0.3, 0.5]]';
const MEAN = "[1, -2, 0.5]'";
const FACTOR = `cholesky_decompose(${MATRIX})`;
const DISTANCE = `quad_form(inverse_spd(${MATRIX}), r - ${MEAN})`;
const SIMPLEX = "[0.2, 0.5, 0.05, 0.25]'";
const CUTS = "[-1, 0.3, 2]'";
const GAMMA = '[[0.7, 0.3], [0.4, 0.6]]';
const OMEGAS = '[[-1, -2, -0.5], [-1.5, -0.3, -2]]';

export const CONTINUOUS: readonly Row[] = [
  derived('std_normal_rng()', 'real', 'std_normal_cdf(r | )'),
  ...byCdf('normal', '-3, 0.5', '1e3, 20'),
  ...byCdf('exp_mod_normal', '0.5, 2, 0.3', '-1, 0.4, 5'),
  ...byCdf('skew_normal', '1, 2, 4', '0, 1, -0.7'),
  ...byCdf('student_t', '0.7, 0, 1', '3, 1, 2', '40, -5, 0.1'),
  ...byCdf('cauchy', '2, 3'),
  ...byCdf('double_exponential', '1, 2.5'),
  ...byCdf('skew_double_exponential', '1, 2.5, 0.2', '0, 1, 0.9'),
  ...byCdf('logistic', '-1, 0.7'),
  ...byCdf('gumbel', '2, 1.5'),
  ...byCdf('lognormal', '0.3, 1.2'),
  ...byCdf('chi_square', '0.4', '3', '250'),
  ...byCdf('inv_chi_square', '0.8', '7'),
  ...byCdf('scaled_inv_chi_square', '1.2, 0.5', '30, 2'),
  ...byCdf('exponential', '0.2'),
  ...byCdf('gamma', '0.05, 1', '0.6, 2', '1, 3', '2.5, 0.1', '1000, 5'),
  ...byCdf('inv_gamma', '0.5, 2', '4, 0.3'),
  ...byCdf('weibull', '0.6, 2', '3, 0.5'),
  ...byCdf('frechet', '0.8, 2', '5, 1'),
  ...byCdf('rayleigh', '1.7'),
  ...byCdf('loglogistic', '2, 1.5', '0.5, 6.0'),
  ...byCdf('pareto', '1.5, 0.7', '2, 8'),
  ...byCdf('pareto_type_2', '1, 2, 1.3'),
  ...byCdf('beta', '0.1, 0.2', '0.5, 4', '2, 3', '300, 700'),
  ...byLcdf('beta_proportion', '0.3, 5', '0.9, 4'),
  ...byCdf('von_mises', '0, 0.3', '0, 2', '0, 40'),
  derived('von_mises_rng(-1, 3)', 'real', 'von_mises_cdf(r - 2 * pi() + 1 | 0, 3)'),
  ...byCdf('uniform', '-2, 7'),
  ...rounded('gamma', [LEAST, MOST], '0.001, 1', '0.001, 1e300', '0.001, 1e-300'),
  ...rounded('inv_gamma', [LEAST, MOST], '0.001, 1', '0.001, 1e-300'),
  ...rounded('chi_square', [LEAST, MOST], '0.002'),
  ...rounded('inv_chi_square', [LEAST, MOST], '0.002'),
  ...rounded('scaled_inv_chi_square', [LEAST, MOST], '0.002, 1'),
  ...rounded('student_t', [`-${MOST}`, MOST], '0.002, 0, 1'),
  ...rounded('weibull', [LEAST, MOST], '0.001, 1'),
  ...rounded('frechet', [LEAST, MOST], '0.001, 1'),
  ...rounded('loglogistic', [LEAST, MOST], '1, 0.001'),
  ...rounded('pareto', [LEAST, MOST], '2, 0.001'),
  ...rounded('lognormal', [LEAST, MOST], '0, 1000'),
  ...rounded('beta', [LEAST, BELOW_1], '0.001, 0.001', '0.001, 2', '2, 0.01'),
];

export const DISCRETE: readonly Row[] = [
  ...byMass('bernoulli', 0, 1, '0.03', '0.6'),
  ...byMass('bernoulli_logit', 0, 1, '-1.2'),
  ...byMass('binomial', 0, 1, '1, 0.3'),
  ...byMass('binomial', 0, 10, '10, 0.02'),
  ...byMass('binomial', 0, 60, '60, 0.9'),
  ...byMass('binomial', 850, 1150, '2000, 0.5'),
  ...byMass('beta_binomial', 0, 30, '30, 0.5, 0.7', '30, 4, 9'),
  ...byMass('discrete_range', -3, 8, '-3, 8', '2, 2'),
  ...byMass('hypergeometric', 0, 5, '5, 6, 7'),
  ...byMass('hypergeometric', 0, 1, '5, 1, 9', '1, 1, 1'),
  ...byMass('hypergeometric', 2, 3, '3, 9, 1'),
  ...byMass('hypergeometric', 0, 20, '20, 30, 25', '20, 2000000000, 2000000000'),
  ...byMass('poisson', 0, 60, '0.2', '3.7', '9.99', '10', '31'),
  ...byMass('poisson', 900, 1100, '1000'),
  ...byMass('poisson_log', 0, 60, '1.3', '3'),
  ...byMass('neg_binomial', 0, 120, '0.3, 0.2', '5, 0.5'),
  ...byMass('neg_binomial_2', 0, 120, '4, 0.7', '30, 12'),
  ...byMass('neg_binomial_2_log', 0, 120, '1.5, 2'),
  ...byMass('beta_neg_binomial', 0, 150, '3, 2.5, 4', '0.6, 1.2, 0.5'),
  ...byMass('yule_simon', 1, 80, '0.8', '3'),
  ...byMass('categorical', 1, 4, SIMPLEX),
  ...byMass('categorical_logit', 1, 3, "[0.5, -1, 2]'"),
  ...byMass('ordered_logistic', 1, 4, `0.4, ${CUTS}`),
  ...byMass('poisson_binomial', 0, 5, "[0.3, 0.6, 0.05, 0.9, 0.5]'"),
  ...byMass('ordered_probit', 1, 4, `0.4, ${CUTS}`),
];

export const STRUCTURED: readonly Row[] = [
  derived(`multi_normal_rng(${MEAN}, ${MATRIX})`, 'vector[3]', `chi_square_cdf(${DISTANCE} | 3)`),
  derived(`multi_normal_rng(${MEAN}, ${MATRIX})`, 'vector[3]', 'normal_cdf(r[2] | -2, 1)'),
  derived(`multi_normal_cholesky_rng(${MEAN}, ${FACTOR})`, 'vector[3]', `chi_square_cdf(${DISTANCE} | 3)`),
  derived(
    `multi_student_t_rng(4, ${MEAN}, ${MATRIX})`,
    'vector[3]',
    `beta_cdf(${DISTANCE} / (${DISTANCE} + 4) | 1.5, 2)`,
  ),
  derived(
    `multi_student_t_cholesky_rng(4, ${MEAN}, ${FACTOR})`,
    'vector[3]',
    `beta_cdf(${DISTANCE} / (${DISTANCE} + 4) | 1.5, 2)`,
  ),
  derived(`wishart_rng(5.5, ${MATRIX})`, 'matrix[3, 3]', 'chi_square_cdf(r[3, 3] / 0.5 | 5.5)'),
  derived(
    `wishart_rng(5.5, ${MATRIX})`,
    'matrix[3, 3]',
    `chi_square_cdf(inverse(${MATRIX})[2, 2] / inverse(r)[2, 2] | 3.5)`,
  ),
  derived(`wishart_cholesky_rng(5.5, ${FACTOR})`, 'matrix[3, 3]', 'chi_square_cdf(dot_self(r[3]) / 0.5 | 5.5)'),
  derived(`inv_wishart_rng(6.5, ${MATRIX})`, 'matrix[3, 3]', 'chi_square_cdf(0.5 / r[3, 3] | 4.5)'),
  derived(`inv_wishart_cholesky_rng(6.5, ${FACTOR})`, 'matrix[3, 3]', 'chi_square_cdf(0.5 / dot_self(r[3]) | 4.5)'),
  derived('lkj_corr_rng(4, 1.5)', 'matrix[4, 4]', 'beta_cdf((1 + r[2, 4]) / 2 | 2.5, 2.5)'),
  derived('lkj_corr_cholesky_rng(4, 0.5)', 'matrix[4, 4]', 'beta_cdf((1 + dot_product(r[3], r[4])) / 2 | 1.5, 1.5)'),
  // a gamma variate of shape nu / 2 underflows, but its square root does not
  {
    ...derived("multi_student_t_rng(0.002, [0]', [[1]])[1]", 'real', 'student_t_cdf(r | 0.002, 0, 1)'),
    ends: [`-${MOST}`, MOST],
  },
  {
    draw: 'wishart_cholesky_rng(0.002, [[1]])[1, 1]',
    type: 'real',
    uniform: `r > 1e-9 ? gamma_cdf(r ^ 2 | 0.001, 0.5) : exp(0.002 * log(r) - 0.001 * log2() - lgamma(1.001))`,
    ends: [LEAST, MOST],
  },
  derived('lkj_corr_cholesky_rng(2, 0.02)[2, 2]', 'real', 'beta_cdf(r ^ 2 | 0.02, 0.5)'),
  {
    ...derived("dirichlet_rng([0.01, 0.01]')[1]", 'real', 'beta_cdf(r | 0.01, 0.01)'),
    ends: [LEAST, BELOW_1],
  },
  derived("dirichlet_rng([0.3, 2, 0.9]')", 'vector[3]', 'beta_cdf(r[3] | 0.9, 2.3)'),
  derivedCount(`multinomial_rng(${SIMPLEX}, 25)`, 'array[4] int', 'r[2]', 'binomial_lpmf(k | 25, 0.5)', 0, 25),
  derivedCount(
    `multinomial_logit_rng(log(${SIMPLEX}), 25)`,
    'array[4] int',
    'r[4]',
    'binomial_lpmf(k | 25, 0.25)',
    0,
    25,
  ),
  derivedCount(
    "dirichlet_multinomial_rng([0.3, 2, 0.9]', 12)",
    'array[3] int',
    'r[2]',
    'beta_binomial_lpmf(k | 12, 2, 1.2)',
    0,
    12,
  ),
  derivedCount(
    "bernoulli_logit_glm_rng([[1, 2], [0, -1]], [0.3, 1]', [0.5, -0.4]')",
    'array[2] int',
    'r[1] + 2 * r[2]',
    'bernoulli_logit_lpmf(k % 2 | 0) + bernoulli_logit_lpmf(k %/% 2 | 1.4)',
    0,
    3,
  ),
  derivedCount(
    `hmm_latent_rng(${OMEGAS}, ${GAMMA}, [0.3, 0.7]')`,
    'array[3] int',
    'r[2]',
    `log(hmm_hidden_state_prob(${OMEGAS}, ${GAMMA}, [0.3, 0.7]')[k, 2])`,
    1,
    2,
  ),
];
