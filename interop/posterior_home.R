# Leapfrog's CmdStan home in R without cmdstanr: make, sample, and read the draws into posterior and loo.
# Set CMDSTAN to the home, and run this in a writable folder. Requires only the packages posterior, loo and jsonlite.
suppressMessages({
  library(posterior)
  library(loo)
})

program <- "
data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] eta; }
transformed parameters { vector[J] theta = mu + tau * eta; }
model { mu ~ normal(0, 5); tau ~ normal(0, 5); eta ~ std_normal(); y ~ normal(theta, sigma); }
generated quantities { vector[J] log_lik; for (j in 1:J) log_lik[j] = normal_lpdf(y[j] | theta[j], sigma[j]); }
"
schools <- list(J = 8, y = c(28, 8, -3, 7, -1, 1, 18, 12), sigma = c(15, 10, 16, 11, 9, 11, 10, 18))
writeLines(program, "schools.stan")
jsonlite::write_json(schools, "schools.json", auto_unbox = TRUE)
run <- function(command, ...) {
  code <- system2(command, c(...), stdout = FALSE)
  if (code != 0) stop(command, " ended with ", code)
}
run("make", "-s", "-C", Sys.getenv("CMDSTAN"), file.path(getwd(), "schools"))
run("./schools", "sample", "num_chains=4", "data", "file=schools.json", "output", "file=draws.csv", "random", "seed=1")

chains <- lapply(sprintf("draws_%d.csv", 1:4), function(file) as.matrix(read.csv(file, comment.char = "#", check.names = FALSE)))
draws <- as_draws_array(aperm(simplify2array(chains), c(1, 3, 2)))
stopifnot(dim(draws) == c(1000, 4, 33))
summary <- summarise_draws(subset_draws(draws, c("mu", "tau")))
# Posterior means of this model by 200,000 draws: 4.46 and 3.30; standard deviations: 3.29 and 2.48.
stopifnot(abs(summary$mean - c(4.46, 3.3)) < 0.5, summary$rhat < 1.02)

log_lik <- simplify2array(lapply(chains, function(chain) chain[, grepl("^log_lik", colnames(chain))]))
log_lik <- aperm(log_lik, c(1, 3, 2))
estimate <- loo(log_lik, r_eff = relative_eff(exp(log_lik)))
stopifnot(is.finite(estimate$estimates["elpd_loo", "Estimate"]), pareto_k_values(estimate) < 0.7)
