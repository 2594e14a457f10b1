# Cross-validation with refits. Results have the classes of the package loo.

#' Cross-validation with refits
#'
#' What `model$kfold(data)` returns: an object of the class `kfold` of the package loo, which `loo::loo_compare()` accepts.
#'
#' @section Components:
#' \describe{
#'   \item{`estimates`}{A matrix with `elpd_kfold`, the expected log pointwise predictive density over all observations, and `kfoldic`, each with
#'     its standard error.}
#'   \item{`pointwise`}{A matrix with one row per observation: `elpd_kfold`, its Monte Carlo standard error `mcse_elpd_kfold`, and `kfoldic`.}
#'   \item{`elpd`, `se`, `mcse`}{The estimate of `elpd_kfold`, its standard error, and its Monte Carlo standard error.}
#'   \item{`names`, `folds`}{Each observation by name, such as `y[3]`, and the number of the refit that leaves it out.}
#'   \item{`refits`}{A data frame with one row per refit: `fold`, the number of its `observations`, the largest `rhat`, and `divergences`.}
#'   \item{`ok`, `message`}{Whether the chains of all refits agree, and the verdict.}
#'   \item{`fit`}{The run, a [LeapfrogFit] whose draws are the estimates of each observation.}
#' }
#' If the chains of a refit do not agree, a warning is given.
#'
#' @name LeapfrogKFold
#' @seealso [leapfrog_model()]
NULL

# The result of a run of refits.
kfold_of <- function(fit) {
  reply <- engine()$request(list(op = "refits", fit = fit$key_in(engine())))
  header <- reply$header
  columns <- lapply(reply$parts, doubles)
  refits <- function(name) vapply(header$refits, function(each) json_numbers(each[[name]]), 0)
  result <- list(
    estimates = rbind(elpd_kfold = estimate(header$elpd), kfoldic = estimate(header$kfoldic)),
    pointwise = cbind(elpd_kfold = columns[[2]], mcse_elpd_kfold = columns[[3]], kfoldic = -2 * columns[[2]]),
    elpd = json_numbers(header$elpd$estimate),
    se = json_numbers(header$elpd$standardError),
    mcse = json_numbers(header$mcse),
    names = as.character(unlist(header$names)),
    folds = as.integer(columns[[1]]),
    refits = data.frame(
      fold = as.integer(refits("fold")), observations = as.integer(refits("observations")),
      rhat = refits("rhat"), divergences = as.integer(refits("divergences"))
    ),
    ok = header$ok,
    message = header$message,
    fit = fit
  )
  if (!result$ok) warning(result$message, call. = FALSE)
  draws <- posterior::ndraws(fit$draws())
  structure(result, class = c("leapfrog_kfold", "kfold", "loo"), K = nrow(result$refits), dims = c(draws, length(result$names)))
}

#' @export
print.leapfrog_kfold <- function(x, digits = 1, ...) {
  count <- nrow(x$refits)
  cat("\nBased on ", count, if (count == 1) " refit" else " refits", "\n\n", sep = "")
  print(format(round(as.data.frame(x$estimates), digits), nsmall = digits), quote = FALSE)
  cat("------\n", x$message, "\n", sep = "")
  invisible(x)
}

# Leave-one-out cross-validation by the engine, from its answer and the number of draws.
derived_loo_of <- function(reply, draws) {
  header <- reply$header
  columns <- stats::setNames(lapply(reply$parts, doubles), as.character(unlist(header$statistics)))
  result <- list(
    estimates = rbind(
      elpd_loo = estimate(header$elpd), p_loo = estimate(header$effectiveParameters), looic = estimate(header$looic)
    ),
    pointwise = cbind(
      elpd_loo = columns$elpd, mcse_elpd_loo = columns$mcse, p_loo = columns$effectiveParameters, looic = -2 * columns$elpd,
      influence_pareto_k = columns$paretoK
    ),
    diagnostics = list(pareto_k = columns$paretoK),
    names = display_names(as.character(unlist(header$names))),
    ok = header$ok,
    message = header$message
  )
  if (!result$ok) warning(result$message, call. = FALSE)
  structure(result, class = c("psis_loo", "importance_sampling_loo", "loo"), dims = c(draws, length(result$names)))
}

estimate <- function(of) c(Estimate = json_numbers(of$estimate), SE = json_numbers(of$standardError))

# The arguments of the sampler for exact refits, which are an error without `exact`.
sampler_of_refits <- function(exact, iter_warmup, iter_sampling, seed) {
  given <- Filter(Negate(is.null), list(iter_warmup = iter_warmup, iter_sampling = iter_sampling, seed = seed))
  if (!exact && length(given) > 0) leapfrog_stop("iter_warmup, iter_sampling and seed require exact = TRUE.")
  given
}
