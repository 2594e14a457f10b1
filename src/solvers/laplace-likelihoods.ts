import type { Method } from './method.js';

/**
 * The likelihoods that are built into embedded Laplace approximations: observation i belongs to the latent value at `index[i]`. Source: Stan
 * Functions Reference, "Embedded Laplace approximation".
 */
export const LAPLACE_LIKELIHOODS: Method = {
  name: 'laplace_likelihoods',
  text: `
  vector counts_at(array[] int index, int N, int M) {
    vector[N] counts = rep_vector(0, N);
    for (i in 1 : M) counts[index[i]] += 1;
    return counts;
  }

  vector sums_at(array[] int y, array[] int index, int N, int M) {
    vector[N] sums = rep_vector(0, N);
    for (i in 1 : M) sums[index[i]] += y[i];
    return sums;
  }

  real poisson_log(vector theta, array[] int y, array[] int index, vector mean) {
    int N = size(theta);
    int M = size(y);
    vector[N] counts = counts_at(index, N, M);
    vector[N] sums = sums_at(y, index, N, M);
    vector[N] log_rate = theta + mean;
    return sum(sums .* log_rate - counts .* exp(log_rate)) - sum(lgamma(to_vector(y) + 1));
  }

  real bernoulli_logit(vector theta, array[] int y, array[] int index, vector mean) {
    int N = size(theta);
    int M = size(y);
    vector[N] counts = counts_at(index, N, M);
    vector[N] sums = sums_at(y, index, N, M);
    vector[N] logit_p = theta + mean;
    return sum(sums .* logit_p - counts .* log1p_exp(logit_p));
  }

  // Where there is one dispersion, it is that of all latent values.
  real neg_binomial_2_log(vector theta, array[] int y, array[] int index, vector eta, vector mean) {
    int N = size(theta);
    int M = size(y);
    vector[N] counts = counts_at(index, N, M);
    vector[N] sums = sums_at(y, index, N, M);
    vector[N] log_mean = theta + mean;
    vector[N] dispersion = size(eta) == 1 ? rep_vector(eta[1], N) : eta;
    real result = 0;
    for (i in 1 : M) {
      real phi = dispersion[index[i]];
      result += lgamma(y[i] + phi) - lgamma(phi) - lgamma(y[i] + 1);
    }
    for (n in 1 : N) {
      real log_phi = log(dispersion[n]);
      real log_total = log_sum_exp(log_mean[n], log_phi);
      result += sums[n] * (log_mean[n] - log_total) + counts[n] * dispersion[n] * (log_phi - log_total);
    }
    return result;
  }
`,
};
