/** A function that is less accurate than the others. `docs/differences.md` has the same table; a test holds both in step. */
export interface Known {
  readonly function: string;
  /** The relative error that its values, and its derivatives, keep within. */
  readonly value?: number;
  readonly derivatives?: number;
  readonly reason: string;
}

export const KNOWN: readonly Known[] = [
  {
    function: 'beta_lpdf',
    derivatives: 2e-8,
    reason: 'By the second shape where the first is nearly 0: a difference of near values of ψ',
  },
  {
    function: 'beta_proportion_lccdf',
    derivatives: 0.000001,
    reason: 'By the precision: derivatives by both shapes that cancel',
  },
  {
    function: 'beta_proportion_lcdf',
    derivatives: 0.000001,
    reason: 'By the precision: derivatives by both shapes that cancel',
  },
  {
    function: 'exp_mod_normal_cdf',
    derivatives: 0.01,
    reason:
      'By sigma, through which both the standardized variable and the rate change: they cancel where lambda sigma is nearly 0, or far from mu',
  },
  {
    function: 'exp_mod_normal_lccdf',
    derivatives: 0.001,
    reason: 'As `exp_mod_normal_cdf`',
  },
  {
    function: 'exp_mod_normal_lcdf',
    derivatives: 0.001,
    reason: 'As `exp_mod_normal_cdf`',
  },
  {
    function: 'exp_mod_normal_lpdf',
    derivatives: 5e-10,
    reason: 'By lambda where lambda sigma is large: differences of near numbers',
  },
  {
    function: 'Phi_approx',
    derivatives: 1,
    reason: 'beyond 5, where the value is 1 but for rounding; less than 1e-16 in all',
  },
  {
    function: 'inv_logit',
    derivatives: 1,
    reason: 'beyond 30, where the value is 1 but for rounding; less than 1e-16 in all',
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
    reason: 'by orders next to -1, a pole of the derivative',
  },
  {
    function: 'loglogistic_lpdf',
    derivatives: 1e-9,
    reason: 'by the scale, near the mode: terms of either sign that Stan drops apart cancel',
  },
  {
    function: 'weibull_lpdf',
    derivatives: 1e-7,
    reason:
      'by the scale, where it is 0: the logarithms of outcome and scale are taken apart, so that those of data are taken once',
  },
  {
    function: 'wiener_lpdf',
    value: 1e-7,
    derivatives: 1e-6,
    reason: 'of five arguments: the series end where those of Stan do, at an absolute error of 1e-6',
  },
];
