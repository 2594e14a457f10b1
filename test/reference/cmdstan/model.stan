// The program of the CSV files in this folder, which CmdStan wrote (built from its sources of December 2024, with stanc 2.39.0 and Stan Math 5.4):
//
//     sample num_samples=6 num_warmup=20 num_chains=2 thin=2 random seed=7 output file=chain.csv diagnostic_file=diagnostic.csv sig_figs=12
//     optimize random seed=7 output file=mode.csv sig_figs=17
//     laplace mode=mode.csv jacobian=0 draws=4 random seed=7 output file=laplace.csv
//     generate_quantities fitted_params=chain_1.csv random seed=7 output file=generated.csv
//     variational output_samples=4 grad_samples=1 elbo_samples=10 iter=200 adapt engaged=0 random seed=7 output file=variational.csv diagnostic_file=elbo.csv
//
// The data are ten points near the line 1 + 2 x. The files are stored as .txt.
data { int N; vector[N] x; vector[N] y; }
parameters { real alpha; real beta; real<lower=0> sigma; matrix[2,3] M; array[2] vector[2] v; cholesky_factor_corr[3] L; simplex[3] s; complex z; }
model { alpha ~ normal(0,5); beta ~ normal(0,2); sigma ~ exponential(1); to_vector(M) ~ normal(0,1); v[1] ~ normal(1,1); v[2] ~ normal(2,1); L ~ lkj_corr_cholesky(2); s ~ dirichlet(rep_vector(2,3)); get_real(z) ~ normal(0,1); get_imag(z) ~ normal(0,1);
 y ~ normal(alpha + beta*x, sigma); }
generated quantities { array[N] real y_rep = normal_rng(alpha+beta*x, sigma); vector[N] log_lik; corr_matrix[3] Omega = multiply_lower_tri_self_transpose(L); tuple(real, vector[2]) tt = (alpha, v[1]); complex_vector[2] zz = [z, 2*z]'; int k = poisson_rng(3);
 for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | alpha+beta*x[n], sigma); }
