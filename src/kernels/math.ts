// Entry of math.wasm: elementary and everyday special functions, scalar and over two lanes (_v). Linked into every
// generated module, so nothing here allocates, and the only data is the table of 2/π.

export { erf, erf_v, erfc, erfc_v, inv_Phi, log_Phi, log_Phi_between, log_Phi_v, normal_tail, normal_tail_v, Phi, Phi_approx, Phi_v } from './special/error';
export { exp, exp_v, exp2, expm1, expm1_v } from './elementary/exponential';
export { fma } from './elementary/fused';
export {
  digamma,
  digamma_v,
  lgamma,
  lgamma_digamma_v,
  lgamma_v,
  tetragamma,
  tgamma,
  trigamma,
} from './special/gamma';
export {
  digamma_rise,
  digamma_rise_v,
  lbeta,
  lbeta_v,
  lchoose,
  lchoose_v,
  lgamma_digamma_rise_v,
  lgamma_rise,
  lgamma_rise_v,
  rise_share,
  rise_share_digamma_v,
  rise_share_v,
} from './special/gamma-rise';
export { acosh, asinh, atanh, cosh, fmod, hypot, sinh, tanh, tanh_v } from './elementary/hyperbolic';
export {
  lmultiply,
  log,
  log_v,
  log1m,
  log1p,
  log1p_square,
  log1p_square_v,
  log1p_unit,
  log1p_unit_v,
  log1p_v,
  log2,
  log10,
} from './elementary/logarithm';
export {
  inv_logit,
  inv_logit_v,
  log_diff_exp,
  log_inv_logit,
  log_inv_logit_v,
  log_sum_exp,
  log_sum_exp_v,
  log1m_exp,
  log1m_exp_v,
  log1m_exp_of_odds,
  log1m_exp_of_odds_v,
  log1m_inv_logit,
  log1p_exp,
  log1p_exp_v,
} from './elementary/logistic';
export { cbrt, log_high, log_low, pow, pow_of_log, pow_of_log_v, pow_v } from './elementary/power';
export { acos, asin, atan, atan_v, atan2, cos, cos_v, sin, sin_v, tan } from './elementary/trigonometric';
