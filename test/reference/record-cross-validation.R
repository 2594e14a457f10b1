# Records what the R package loo computes from the draws in cross-validation.json.gz, and writes the file again:
#   Rscript record-cross-validation.R cross-validation.json.gz
# A case's `logLikelihood` has one array per chain, which contains one array per quantity log_lik[i] with one number per draw.
suppressMessages(library(loo))
library(jsonlite)
path <- commandArgs(trailingOnly = TRUE)[1]
recorded <- fromJSON(gzfile(path), simplifyVector = FALSE)
fits <- list()
cases <- lapply(recorded$cases, function(case) {
  chains <- lapply(case$logLikelihood, function(chain) sapply(chain, unlist))
  draws <- array(0, c(nrow(chains[[1]]), length(chains), ncol(chains[[1]])))
  for (k in seq_along(chains)) draws[, k, ] <- chains[[k]]
  fit <- loo(draws, r_eff = relative_eff(exp(draws)))
  fits[[case$name]] <<- fit
  each <- fit$pointwise
  case$expected <- list(
    elpd = each[, "elpd_loo"], mcse = each[, "mcse_elpd_loo"], effectiveParameters = each[, "p_loo"],
    paretoK = each[, "influence_pareto_k"],
    estimates = sapply(rownames(fit$estimates), function(row) fit$estimates[row, ], simplify = FALSE),
    mcseTotal = mcse_loo(fit), greatestK = min(1 - 1 / log10(length(draws[, , 1])), 0.7))
  case
})
compared <- as.data.frame(loo_compare(fits[startsWith(names(fits), "milk")]))
comparison <- list(
  names = compared$model, difference = compared$elpd_diff, standardError = compared$se_diff,
  probabilityWorse = compared$p_worse)
source <- paste0("R package loo ", packageVersion("loo"), " with posterior ", packageVersion("posterior"), ", ", R.version.string,
  ": relative_eff, loo, loo_compare. Data: eight schools (D. B. Rubin, 1981); milk and Kline of the package loo (R. McElreath).")
out <- gzfile(path, "w")
writeLines(toJSON(list(source = source, cases = cases, comparison = comparison), digits = NA, auto_unbox = TRUE, na = "null"), out)
close(out)
