# Records what loo_moment_match of the R package loo computes for two models in the file of record-derived-loo.ts:
#   Rscript record-moment-matching.R draws.json moment-matching.json
suppressMessages(library(loo))
library(jsonlite)
paths <- commandArgs(trailingOnly = TRUE)
recorded <- fromJSON(paths[1], simplifyVector = FALSE)

# The densities of derived-loo.ts at unconstrained positions, up to constants: one row per draw.
models <- list(
  "regression" = list(
    unconstrain = function(draws) cbind(draws[, 1:2], log(draws[, 3])),
    log_lik = function(u, i, d) dnorm(d$y[i], u[, 1] + u[, 2] * d$x[i], exp(u[, 3]), log = TRUE),
    prior = function(u) dnorm(u[, 1], 0, 5, TRUE) + dnorm(u[, 2], 0, 5, TRUE) + dexp(exp(u[, 3]), 1, TRUE) + u[, 3]),
  "counts with an effect each" = list(
    unconstrain = function(draws) cbind(draws[, 1:21], log(draws[, 22])),
    log_lik = function(u, i, d) dpois(d$y[i], exp(u[, 1] + u[, 1 + i]), log = TRUE),
    prior = function(u) {
      effects <- rowSums(sapply(2:21, function(k) dnorm(u[, k], 0, exp(u[, 22]), TRUE)))
      dnorm(u[, 1], 0, 2, TRUE) + dexp(exp(u[, 22]), 1, TRUE) + u[, 22] + effects
    }))

cases <- lapply(names(models), function(name) {
  case <- Filter(function(each) each$name == name, recorded$cases)[[1]]
  model <- models[[name]]
  d <- list(x = unlist(case$data$x), y = unlist(case$data$y))
  n <- length(d$y)
  width <- length(case$columns)
  draws <- do.call(rbind, lapply(case$chains, function(chain) matrix(unlist(chain), ncol = width, byrow = TRUE)))
  chains <- length(case$chains)
  log_lik <- function(x, i, ...) matrix(model$log_lik(model$unconstrain(draws), i, d), ncol = chains)
  log_prob <- function(x, upars, ...) model$prior(upars) + rowSums(sapply(seq_len(n), function(i) model$log_lik(upars, i, d)))
  all <- array(sapply(seq_len(n), function(i) log_lik(NULL, i)), c(nrow(draws) / chains, chains, n))
  fit <- suppressWarnings(loo(all, r_eff = relative_eff(exp(all))))
  matched <- suppressWarnings(loo_moment_match(
    list(), fit, post_draws = function(x, ...) draws, log_lik_i = log_lik,
    unconstrain_pars = function(x, pars, ...) model$unconstrain(pars), log_prob_upars = log_prob,
    log_lik_i_upars = function(x, upars, i, ...) model$log_lik(upars, i, d)))
  list(
    name = name, before = fit$diagnostics$pareto_k, paretoK = matched$diagnostics$pareto_k,
    elpd = matched$pointwise[, "elpd_loo"], effectiveParameters = matched$pointwise[, "p_loo"],
    estimate = matched$estimates["elpd_loo", "Estimate"], standardError = matched$estimates["elpd_loo", "SE"])
})
source <- paste0("R package loo ", packageVersion("loo"), ", ", R.version.string, ": loo_moment_match.")
writeLines(toJSON(list(source = source, cases = cases), digits = NA, auto_unbox = TRUE, na = "null"), paths[2])
