# Records what the R package loo computes for several models of the same observations:
#   Rscript record-model-weights.R model-weights.json
# `pointwise` has an array per model, in it one elpd per observation. `shares` are the bootstrap samples of pseudo-BMA+. loo's optimizer stops
# before it reaches the maximum if there are many models: `stackingByEm` is the maximum, by the EM algorithm for proportions of a mixture.
suppressMessages(library(loo))
library(jsonlite)
set.seed(36)

pointwise <- function(observations, offsets, spread) {
  shared <- rnorm(observations, -2, 1)
  round(sapply(offsets, function(offset) shared + offset + rnorm(observations, 0, spread)), 4)
}

cases <- list(
  "three models that complement each other" = pointwise(12, c(0, -0.05, -0.1), 0.8),
  "two of four models without weight" = pointwise(30, c(0, -0.1, -1.5, -2), 0.4),
  "ten models" = pointwise(60, seq(0, -0.4, length.out = 10), 0.6)
)

by_em <- function(elpd) {
  densities <- exp(elpd)
  weights <- rep(1 / ncol(elpd), ncol(elpd))
  for (iteration in 1:300000) weights <- weights * colMeans(densities / as.numeric(densities %*% weights))
  weights
}

recorded <- lapply(names(cases), function(name) {
  elpd <- cases[[name]]
  models <- lapply(seq_len(ncol(elpd)), function(k) {
    column <- cbind(elpd_loo = elpd[, k])
    estimates <- cbind(Estimate = sum(column), SE = sqrt(nrow(elpd)) * sd(column))
    rownames(estimates) <- "elpd_loo"
    structure(list(pointwise = column, estimates = estimates), class = c("psis_loo", "loo"), dims = c(1000, nrow(elpd)))
  })
  names(models) <- paste0("model", seq_along(models))
  compared <- suppressWarnings(loo_compare(models))
  seed <- 7
  set.seed(seed)
  shares <- loo:::dirichlet_rng(20, rep(1, nrow(elpd)))
  set.seed(seed)
  given <- pseudobma_weights(elpd, BB_n = 20)
  samples <- loo:::dirichlet_rng(1e5, rep(1, nrow(elpd)))
  sums <- samples %*% elpd * nrow(elpd)
  weights <- exp(sums - apply(sums, 1, max))
  weights <- weights / rowSums(weights)
  list(
    name = name, pointwise = t(elpd),
    order = rownames(compared), difference = compared[, "elpd_diff"], standardError = compared[, "se_diff"],
    stacking = as.numeric(stacking_weights(elpd)), stackingByEm = by_em(elpd),
    shares = shares, pseudoBmaOfShares = as.numeric(given),
    pseudoBmaPlus = colMeans(weights), pseudoBmaPlusSd = apply(weights, 2, sd))
})
source <- paste0("R package loo ", packageVersion("loo"), ", ", R.version.string, ": loo_compare, stacking_weights, pseudobma_weights")
writeLines(toJSON(list(source = source, cases = recorded), digits = NA, auto_unbox = TRUE), commandArgs(trailingOnly = TRUE)[1])
