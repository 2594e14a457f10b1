// Entry of linear.wasm: linear algebra, sorting, random numbers and rare special functions. Matrices are
// column-major f64 at byte addresses; adjoint kernels add to their outputs. Instantiated once per model in the
// model's memory; static data is below address 65536.

export { bessel_first_kind, bessel_second_kind } from './bessel';
export { cholesky, cholesky_adjoint } from './cholesky';
export { beta_binomial_below, beta_neg_binomial_above, beta_neg_binomial_below } from './count-sums';
export {
  factor_inverse,
  factor_solve,
  inverse_spd,
  log_determinant_spd,
  log_determinant_spd_adjoint,
  spd_solve,
} from './definite';
export { complex_schur_adjoint, eigen_adjoint, eigen_hermitian_adjoint } from './complex-adjoints';
export { eigen_symmetric, eigen_symmetric_adjoint } from './eigen';
export { eigen_complex } from './eigen-complex';
export { eigen_hermitian } from './eigen-hermitian';
export { eigen_real } from './eigen-real';
export { log_exp_mod_normal, log_exp_mod_normal_upper } from './exp-mod-normal';
export { fft, fft_add } from './fft';
export { inc_beta, inc_beta_da, inc_beta_db, inc_beta_upper, log_inc_beta } from './incomplete-beta';
export { gamma_p, gamma_p_da, gamma_q, log_gamma_p, log_gamma_q } from './incomplete-gamma';
export {
  log_modified_bessel_first_kind,
  log_modified_bessel_first_kind_dv,
  log_modified_bessel_first_kind_dx,
  modified_bessel_first_kind,
  modified_bessel_second_kind,
} from './modified-bessel';
export { digamma_cross, lgamma_cross } from './gamma-cross';
export { neg_binomial_2_above, neg_binomial_2_below } from './gamma-poisson';
export { hmm_forward, hmm_forward_adjoint, hmm_smooth } from './hidden-markov';
export {
  hypergeometric_2f1,
  hypergeometric_2f1_converges,
  hypergeometric_2f1_is_elementary,
  hypergeometric_pfq,
  hypergeometric_pfq_adjoint,
} from './hypergeometric';
export { inv_erfc, inv_inc_beta, inv_log_Phi, lambert_w0, lambert_wm1 } from './inverses';
export { last_conditional_variance, least_conditional_variance } from './ldlt';
export { determinant, determinant_adjoint, inverse, log_abs_determinant, lu, lu_solve, lu_solve_t } from './lu';
export { matrix_exp, matrix_exp_adjoint } from './matrix-exponential';
export { owens_t } from './owens';
export {
  crossprod,
  crossprod_adjoint,
  gemm,
  gemm_add,
  gemm_nt_add,
  gemm_nt_subtract,
  gemm_rows,
  gemm_rows_adjoint,
  gemm_symmetric,
  gemm_tn,
  gemm_tn_add,
  gemv,
  gemv_add,
  gemv_t,
  gemv_t_add,
  ger_add,
  tcrossprod,
  tcrossprod_adjoint,
  transpose,
} from './products';
export { group_form, moments_factor } from './group-forms';
export {
  all_within,
  bound_of,
  largest_add,
  linear_form,
  moments_add,
  sums_add,
} from './moments';
export { generalized_inverse, generalized_inverse_adjoint } from './pseudo-inverse';
export { qr, qr_adjoint } from './qr';
export { residual_factor, residual_form } from './residual-forms';
export { rng_exponential, rng_normal, rng_seed, rng_uniform } from './random';
export { group_rows } from './rows';
export { complex_schur } from './schur';
export { sparse_gemm, sparse_gemm_t_add, sparse_rows, sparse_size } from './sparse';
export {
  sort_asc,
  sort_asc_int,
  sort_desc,
  sort_desc_int,
  sort_indices_asc,
  sort_indices_asc_int,
  sort_indices_desc,
  sort_indices_desc_int,
} from './sorting';
export { svd, svd_adjoint } from './svd';
export { complex_svd, complex_svd_adjoint } from './svd-complex';
export { use_scratch } from './scratch';
export {
  solve_lower,
  solve_lower_adjoint,
  solve_lower_t,
  solve_lower_t_adjoint,
  solve_right_lower,
  solve_right_lower_adjoint,
  solve_right_lower_t,
  solve_right_lower_t_adjoint,
} from './triangular';
export {
  rng_binomial,
  rng_categorical,
  rng_hypergeometric,
  rng_log_gamma,
  rng_poisson,
  rng_von_mises,
} from './variates';
export {
  add_to,
  axpy,
  dot,
  sum,
} from './vectors';
export { wiener_density } from './wiener-density';
export { wiener_full, wiener_full_distribution } from './wiener-full';
export { first_passage } from './wiener-series';
export { skew_normal_below } from './skew-normal';
export { student_t_below, student_t_quantile, student_t_quantile_slope } from './student';
export { von_mises_below } from './von-mises';
