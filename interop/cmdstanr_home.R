# cmdstanr with Leapfrog's CmdStan home: compile, sample, pass draws to the other methods and to posterior.
# Set CMDSTAN to the home, and run this in a writable folder.
suppressMessages(library(cmdstanr))
set_cmdstan_path(Sys.getenv("CMDSTAN"))

program <- "
data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] eta; }
transformed parameters { vector[J] theta = mu + tau * eta; }
model { mu ~ normal(0, 5); tau ~ normal(0, 5); eta ~ std_normal(); y ~ normal(theta, sigma); }
generated quantities { vector[J] log_lik; for (j in 1:J) log_lik[j] = normal_lpdf(y[j] | theta[j], sigma[j]); }
"
schools <- list(J = 8, y = c(28, 8, -3, 7, -1, 1, 18, 12), sigma = c(15, 10, 16, 11, 9, 11, 10, 18))
writeLines(program, "schools.stan")
model <- cmdstan_model("schools.stan")
stopifnot(setequal(names(model$variables()$parameters), c("mu", "tau", "eta")), model$check_syntax(quiet = TRUE))

fit <- model$sample(data = schools, chains = 4, parallel_chains = 2, seed = 1, refresh = 0, show_messages = FALSE)
summary <- posterior::summarise_draws(fit$draws(c("mu", "tau")))
# Posterior means of this model by 200,000 draws: 4.46 and 3.30; standard deviations: 3.29 and 2.48.
stopifnot(all(abs(summary$mean - c(4.46, 3.3)) < 0.5), all(summary$rhat < 1.02))
stopifnot(all(fit$return_codes() == 0), length(fit$inv_metric(matrix = FALSE)[[1]]) == 10)

again <- model$generate_quantities(fit, data = schools, seed = 2, parallel_chains = 2)
stopifnot(max(abs(again$draws("log_lik") - fit$draws("log_lik"))) < 1e-4)
mode <- model$optimize(data = schools, seed = 1, jacobian = TRUE, refresh = 0)
stopifnot(nrow(model$laplace(data = schools, mode = mode, draws = 100, refresh = 0)$draws()) == 100)
stopifnot(nrow(model$pathfinder(data = schools, seed = 1, refresh = 0)$draws()) == 1000)
stopifnot(nrow(model$variational(data = schools, seed = 1, refresh = 0)$draws()) == 1000)
