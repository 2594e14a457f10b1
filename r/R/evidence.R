# Log evidences of fits, by bridge sampling in the engine.

#' Bayes factors and probabilities of models
#'
#' Estimates the log evidence (marginal likelihood) of each fit as `fit$log_evidence()` does, by bridge sampling with all constants of the
#' density, and compares them. Unlike the package bridgesampling, this checks that the fits have the same outcomes.
#'
#' @param ... Fits with different names: `leapfrog_evidence(null = fit1, effect = fit2)`.
#' @param prior Probabilities of the models before the data, up to a common factor, in the order of the fits; equal by default.
#' @param seed Seed of the random numbers.
#' @return A data frame with one row per fit, the one with the greatest evidence first: `log_evidence`, its Monte Carlo standard error `se`,
#'   `log_bayes_factor` in favor of the fit and against the first one, its standard error `se_diff`, and the probabilities `prior` and
#'   `posterior`. The attribute `cautions` has reasons why the numbers may be less reliable than they seem.
#' @examples
#' \dontrun{
#' leapfrog_evidence(null = null$sample(data), effect = effect$sample(data))
#' }
#' @export
leapfrog_evidence <- function(..., prior = NULL, seed = 1) {
  fits <- list(...)
  names <- names(fits)
  if (length(fits) < 2) leapfrog_stop("A comparison requires at least two fits. fit$log_evidence() returns the log evidence of one.")
  if (is.null(names) || any(names == "") || anyDuplicated(names)) leapfrog_stop("Give each fit a different name.")
  if (!all(vapply(fits, inherits, NA, "LeapfrogFit"))) leapfrog_stop("Only fits of this package can be compared.")
  if (!is.null(prior) && length(prior) != length(fits)) leapfrog_stop("prior must have one number per fit.")
  header <- request_evidence(fits, seed, if (!is.null(prior)) stats::setNames(as.list(as.double(prior)), names))
  numbers <- function(name) vapply(header$models, function(each) json_numbers(each[[name]]), 0)
  result <- data.frame(
    log_evidence = numbers("logEvidence"), se = numbers("standardError"), log_bayes_factor = numbers("logBayesFactor"),
    se_diff = numbers("bayesFactorError"), prior = numbers("prior"), posterior = numbers("posterior"),
    row.names = vapply(header$models, function(each) each$name, "")
  )
  structure(result, class = c("leapfrog_comparison", "data.frame"), cautions = as.character(unlist(header$cautions)))
}

# The response of the engine.
request_evidence <- function(fits, seed, priors = NULL) {
  writer <- value_writer()
  sent <- Map(function(name, fit) c(list(name = name), fit$sent_in(writer)), names(fits), fits)
  header <- list(op = "evidence", fits = I(unname(sent)), seed = as.integer(seed))
  if (!is.null(priors)) header$priors <- json_object(priors)
  header$arrays <- writer$arrays
  engine()$request(header, writer$parts)$header
}

# A result that is not `ok` is also a warning.
evidence_of <- function(sent) {
  result <- list(
    log_evidence = json_numbers(sent$logEvidence), se = json_numbers(sent$standardError), draws = sent$draws, ok = isTRUE(sent$ok),
    message = sent$message
  )
  if (!result$ok) warning(result$message, call. = FALSE)
  structure(result, class = "leapfrog_log_evidence")
}

#' @export
print.leapfrog_log_evidence <- function(x, ...) {
  cat("log evidence ", format(x$log_evidence, nsmall = 3), " (standard error ", format(x$se, digits = 2), ")\n", x$message, "\n", sep = "")
  invisible(x)
}
