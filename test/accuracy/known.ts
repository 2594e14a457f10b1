/** A function that is less accurate than the others. A test checks that `docs/differences.md` contains the same table. */
export interface Known {
  readonly function: string;
  /** The bounds on the relative errors of its values and of its derivatives. */
  readonly value?: number;
  readonly derivatives?: number;
  readonly reason: string;
}

export const KNOWN: readonly Known[] = [
  {
    function: 'bernoulli_lpmf',
    value: 1,
    reason: 'of a single outcome 0: exact in sums, but 0 where theta is below 1e-16',
  },
  {
    function: 'beta_binomial_lpmf',
    derivatives: 1e-7,
    reason: 'derivatives with respect to a shape are differences of ψ, which cancel among 10⁷ trials',
  },
  {
    function: 'beta_neg_binomial_lpmf',
    value: 1e-10,
    derivatives: 1e-4,
    reason: 'derivatives are differences of ψ, which cancel where two shapes are below 1e-8',
  },
  {
    function: 'binomial_lpmf',
    value: 1e-6,
    reason: 'counts above 10⁶ near their mean, where terms like n log(n) cancel',
  },
  {
    function: 'binomial_logit_lpmf',
    value: 1e-6,
    reason: 'as `binomial_lpmf`',
  },
  {
    function: 'neg_binomial_2_log_lpmf',
    value: 1e-6,
    derivatives: 0.1,
    reason: 'as `binomial_lpmf`; derivatives also where the precision is below 1e-5 or above 10⁵ times the mean',
  },
  {
    function: 'neg_binomial_2_lpmf',
    value: 1e-6,
    derivatives: 0.01,
    reason: 'as `binomial_lpmf`; derivatives also where the precision is below 1e-5 or above 10⁵ times the mean',
  },
  {
    function: 'neg_binomial_lpmf',
    value: 1e-6,
    reason: 'as `binomial_lpmf`',
  },
  {
    function: 'poisson_log_lpmf',
    value: 1e-6,
    reason: 'as `binomial_lpmf`',
  },
  {
    function: 'poisson_lpmf',
    value: 1e-6,
    reason: 'as `binomial_lpmf`',
  },
  {
    function: 'neg_binomial_cdf',
    value: 1e-8,
    derivatives: 1e-8,
    reason: 'where the shape is above 10⁸, from the continued fraction of the incomplete beta function',
  },
  {
    function: 'neg_binomial_lccdf',
    value: 1e-8,
    derivatives: 1e-8,
    reason: 'as `neg_binomial_cdf`',
  },
  {
    function: 'gaussian_dlm_obs_lpdf',
    derivatives: 1e-9,
    reason: 'with respect to variances that are nearly singular',
  },
  {
    function: 'hypergeometric_3F2',
    derivatives: 1e-10,
    reason: 'with respect to the argument where the upper parameters are small, and the value is nearly 1',
  },
  {
    function: 'student_t_qf',
    derivatives: 1e-10,
    reason: 'with respect to the degrees of freedom far out in a tail, where the quantile is nearly the normal one',
  },
  {
    function: 'wishart_lpdf',
    derivatives: 1e-10,
    reason: 'with respect to variances that are nearly singular',
  },
  {
    function: 'von_mises_lcdf',
    derivatives: 1e-8,
    reason: 'of concentrations above 10⁶, which are the exponents of density and distribution function',
  },
  {
    function: 'von_mises_lccdf',
    derivatives: 1e-8,
    reason: 'as `von_mises_lcdf`',
  },
  {
    function: 'von_mises_cdf',
    derivatives: 1e-10,
    reason: 'of concentrations above 10⁶, with respect to the concentration',
  },
  {
    function: 'poisson_cdf',
    derivatives: 1,
    reason: 'with respect to a rate near 0, where the derivative is below 1e-260: an intermediate value underflows',
  },
  {
    function: 'poisson_lcdf',
    derivatives: 1,
    reason: 'as `poisson_cdf`',
  },
  {
    function: 'beta_lpdf',
    derivatives: 2e-8,
    reason: 'with respect to the second shape where the first is nearly 0: a difference of close values of ψ',
  },
  {
    function: 'beta_proportion_lccdf',
    derivatives: 0.000001,
    reason: 'with respect to the precision: the derivatives with respect to both shapes cancel',
  },
  {
    function: 'beta_proportion_lcdf',
    derivatives: 0.000001,
    reason: 'as `beta_proportion_lccdf`',
  },
  {
    function: 'exp_mod_normal_cdf',
    derivatives: 0.01,
    reason: 'with respect to sigma: two terms cancel where lambda sigma is nearly 0, or far from mu',
  },
  {
    function: 'exp_mod_normal_lccdf',
    derivatives: 0.01,
    reason: 'as `exp_mod_normal_cdf`',
  },
  {
    function: 'exp_mod_normal_lcdf',
    derivatives: 0.001,
    reason: 'as `exp_mod_normal_cdf`',
  },
  {
    function: 'exp_mod_normal_lpdf',
    derivatives: 5e-10,
    reason: 'with respect to lambda where lambda sigma is large: differences of close numbers',
  },
  {
    function: 'Phi_approx',
    derivatives: 1,
    reason: 'above 5, where the value rounds to 1; the derivative is below 1e-16',
  },
  {
    function: 'inv_logit',
    derivatives: 1,
    reason: 'above 30, where the value rounds to 1; the derivative is below 1e-16',
  },
  {
    function: 'lchoose',
    value: 2e-8,
    derivatives: 1e-8,
    reason: 'where both arguments are tiny, and the value is less than 1e-15',
  },
  {
    function: 'log_modified_bessel_first_kind',
    derivatives: 0.1,
    reason: 'with respect to orders near -1, a pole of the derivative',
  },
  {
    function: 'logistic_lpdf',
    derivatives: 0.0001,
    reason: 'with respect to outcome and location near the mode, where they are below 1e-16 in units of the scale',
  },
  {
    function: 'loglogistic_lpdf',
    derivatives: 1e-9,
    reason: 'with respect to the scale, near the mode: terms of opposite signs cancel',
  },
  {
    function: 'weibull_lpdf',
    derivatives: 1e-7,
    reason: 'with respect to the scale, where it is 0: the logarithms of outcome and scale are separate terms',
  },
  {
    function: 'wiener_lpdf',
    value: 1e-7,
    derivatives: 1e-6,
    reason: 'of five arguments: the series end, as in Stan, at an absolute error of 1e-6',
  },
  {
    function: 'wiener_lpdf of variable drift, start and time',
    value: 1e-5,
    derivatives: 1e-4,
    reason: 'of eight arguments: the integrals end, as in Stan, at a relative error of 1e-4',
  },
];
