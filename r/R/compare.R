# Comparison of fits by leave-one-out cross-validation in the engine.

#' Compare how well fits predict the same observations
#'
#' Cross-validates each fit as `fit$loo()` does, and compares the expected log predictive densities (Vehtari, Gelman and Gabry, 2017, section 5.2).
#' `elpd_diff` and `se_diff` are those of `loo::loo_compare()`, which compares results of `fit$loo()` but does not see the data.
#'
#' @param ... Fits with different names: `leapfrog_compare(pooled = fit1, hierarchical = fit2)`.
#' @param variable The variable with the log likelihood of each observation. If the draws have no `log_lik`, it is derived from the program.
#' @param moment_match,exact,iter_warmup,iter_sampling,seed As in `fit$loo()`.
#' @return A data frame with one row per fit, the best first: `elpd_diff`, the difference from the best one, its standard error `se_diff`, the
#'   probability `p_worse` that the fit predicts worse than the best one, `elpd_loo`, and weights of the fits by `stacking` and
#'   `pseudo_bma_plus`. The attribute `cautions` has reasons why the numbers may be less reliable than they seem. It is an error to compare
#'   fits of different observations: the outcomes must have the same names and the same values in the same order.
#' @examples
#' \dontrun{
#' leapfrog_compare(pooled = pooled$sample(data), hierarchical = hierarchical$sample(data))
#' }
#' @export
leapfrog_compare <- function(..., variable = "log_lik", moment_match = FALSE, exact = FALSE, iter_warmup = NULL, iter_sampling = NULL,
                             seed = NULL) {
  fits <- list(...)
  names <- names(fits)
  if (length(fits) > 0 && (is.null(names) || any(names == "") || anyDuplicated(names))) leapfrog_stop("Give each fit a different name.")
  if (!all(vapply(fits, inherits, NA, "LeapfrogFit"))) leapfrog_stop("Only fits of this package can be compared.")
  sampler <- sampler_of_refits(exact, iter_warmup, iter_sampling, seed)
  writer <- value_writer()
  compared <- Map(function(name, fit) c(list(name = name), fit$sent_in(writer)), names, fits)
  header <- list(op = "compare", fits = I(unname(compared)), momentMatch = moment_match)
  if (!identical(variable, "log_lik")) header$variable <- variable
  if (exact) header$exact <- json_object(sampler)
  header$arrays <- writer$arrays
  comparison_of(engine()$request(header, writer$parts)$header)
}

comparison_of <- function(header) {
  numbers <- function(name) vapply(header$models, function(each) json_numbers(each[[name]]), 0)
  result <- data.frame(
    elpd_diff = numbers("difference"), se_diff = numbers("standardError"), p_worse = numbers("probabilityWorse"), elpd_loo = numbers("elpd"),
    stacking = numbers("stacking"), pseudo_bma_plus = numbers("pseudoBmaPlus"),
    row.names = vapply(header$models, function(each) each$name, "")
  )
  structure(result, class = c("leapfrog_comparison", "data.frame"), cautions = as.character(unlist(header$cautions)))
}

#' @export
print.leapfrog_comparison <- function(x, digits = 2, ...) {
  print.data.frame(x, digits = digits, ...)
  for (caution in attr(x, "cautions")) cat(caution, "\n", sep = "")
  invisible(x)
}
