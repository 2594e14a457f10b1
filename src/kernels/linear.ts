// Entry of linear.wasm: linear algebra, sorting, random numbers and rare special functions. Matrices are
// column-major f64 at byte addresses; adjoint kernels add to their outputs. Instantiated once per model in the
// model's memory; static data is below address 65536.

export { bessel_first_kind, bessel_second_kind } from './special/bessel';
export { cholesky, cholesky_adjoint } from './linear-algebra/cholesky';
export { beta_binomial_below, beta_neg_binomial_above, beta_neg_binomial_below } from './distributions/count-sums';
export {
  factor_inverse,
  factor_solve,
  inverse_spd,
  log_determinant_spd,
  log_determinant_spd_adjoint,
  spd_solve,
} from './linear-algebra/definite';
export { complex_schur_adjoint, eigen_adjoint, eigen_hermitian_adjoint } from './linear-algebra/complex-adjoints';
export { eigen_symmetric, eigen_symmetric_adjoint } from './linear-algebra/eigen';
export { eigen_complex } from './linear-algebra/eigen-complex';
export { eigen_hermitian } from './linear-algebra/eigen-hermitian';
export { eigen_real } from './linear-algebra/eigen-real';
export { log_exp_mod_normal, log_exp_mod_normal_upper } from './distributions/exp-mod-normal';
export { fft, fft_add } from './linear-algebra/fft';
export { inc_beta, inc_beta_da, inc_beta_db, inc_beta_upper, log_inc_beta } from './special/incomplete-beta';
export { gamma_p, gamma_p_da, gamma_q, log_gamma_p, log_gamma_q } from './special/incomplete-gamma';
export {
  log_modified_bessel_first_kind,
  log_modified_bessel_first_kind_dv,
  log_modified_bessel_first_kind_dx,
  modified_bessel_first_kind,
  modified_bessel_second_kind,
} from './special/modified-bessel';
export { digamma_cross, lgamma_cross } from './special/gamma-cross';
export { neg_binomial_2_above, neg_binomial_2_below } from './distributions/gamma-poisson';
export { hmm_forward, hmm_forward_adjoint, hmm_smooth } from './distributions/hidden-markov';
export {
  hypergeometric_2f1,
  hypergeometric_2f1_converges,
  hypergeometric_2f1_is_elementary,
  hypergeometric_pfq,
  hypergeometric_pfq_adjoint,
} from './special/hypergeometric';
export { inv_erfc, inv_inc_beta, inv_log_Phi, lambert_w0, lambert_wm1 } from './special/inverses';
export { last_conditional_variance, least_conditional_variance } from './linear-algebra/ldlt';
export { determinant, determinant_adjoint, inverse, log_abs_determinant, lu, lu_solve, lu_solve_t } from './linear-algebra/lu';
export { matrix_exp, matrix_exp_adjoint } from './linear-algebra/matrix-exponential';
export { owens_t } from './special/owens';
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
} from './linear-algebra/products';
export { group_form, moments_factor } from './rows/group-forms';
export {
  all_within,
  bound_of,
  largest_add,
  linear_form,
  moments_add,
  sums_add,
} from './rows/moments';
export { generalized_inverse, generalized_inverse_adjoint } from './linear-algebra/pseudo-inverse';
export { qr, qr_adjoint } from './linear-algebra/qr';
export { residual_factor, residual_form } from './rows/residual-forms';
export { rng_exponential, rng_normal, rng_seed, rng_uniform } from './distributions/random';
export { group_rows } from './rows/rows';
export { complex_schur } from './linear-algebra/schur';
export { sparse_gemm, sparse_gemm_t_add, sparse_rows, sparse_size } from './linear-algebra/sparse';
export {
  sort_asc,
  sort_asc_int,
  sort_desc,
  sort_desc_int,
  sort_indices_asc,
  sort_indices_asc_int,
  sort_indices_desc,
  sort_indices_desc_int,
} from './rows/sorting';
export { svd, svd_adjoint } from './linear-algebra/svd';
export { complex_svd, complex_svd_adjoint } from './linear-algebra/svd-complex';
export { use_scratch } from './linear-algebra/scratch';
export {
  solve_lower,
  solve_lower_adjoint,
  solve_lower_t,
  solve_lower_t_adjoint,
  solve_right_lower,
  solve_right_lower_adjoint,
  solve_right_lower_t,
  solve_right_lower_t_adjoint,
} from './linear-algebra/triangular';
export {
  rng_binomial,
  rng_categorical,
  rng_hypergeometric,
  rng_log_gamma,
  rng_poisson,
  rng_von_mises,
} from './distributions/variates';
export {
  add_to,
  axpy,
  dot,
  sum,
} from './linear-algebra/vectors';
export { wiener_density } from './distributions/wiener-density';
export { wiener_full, wiener_full_distribution } from './distributions/wiener-full';
export { first_passage } from './distributions/wiener-series';
export { skew_normal_below } from './distributions/skew-normal';
export { student_t_below, student_t_quantile, student_t_quantile_slope } from './distributions/student';
export { von_mises_below } from './distributions/von-mises';
