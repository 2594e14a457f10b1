# Records what the R package loo computes from the log likelihoods in the file of record-derived-loo.ts:
#   Rscript record-derived-loo.R draws.json derived-loo.json.gz
suppressMessages(library(loo))
library(jsonlite)
paths <- commandArgs(trailingOnly = TRUE)
recorded <- fromJSON(paths[1], simplifyVector = FALSE)
cases <- lapply(recorded$cases, function(case) {
  chains <- lapply(case$logLikelihood, function(chain) sapply(chain, unlist))
  draws <- array(0, c(nrow(chains[[1]]), length(chains), ncol(chains[[1]])))
  for (k in seq_along(chains)) draws[, k, ] <- chains[[k]]
  fit <- suppressWarnings(loo(draws, r_eff = relative_eff(exp(draws))))
  each <- fit$pointwise
  list(
    name = case$name, columns = case$columns, chains = lapply(case$chains, unlist),
    expected = list(
      elpd = each[, "elpd_loo"], effectiveParameters = each[, "p_loo"], paretoK = each[, "influence_pareto_k"],
      estimates = sapply(rownames(fit$estimates), function(row) fit$estimates[row, ], simplify = FALSE)))
})
source <- paste0("R package loo ", packageVersion("loo"), ", ", R.version.string, ": relative_eff, loo.")
out <- gzfile(paths[2], "w")
writeLines(toJSON(list(source = source, cases = cases), digits = NA, auto_unbox = TRUE, na = "null"), out)
close(out)
