# Simulation-based calibration.

#' Simulation-based calibration
#'
#' What `model$sbc(data)` returns.
#'
#' @section Components:
#' \describe{
#'   \item{`ok`, `message`}{Whether the ranks of all parameters are compatible with a uniform distribution, and the verdict.}
#'   \item{`simulations`, `greatest_rank`}{The number of simulated data sets, and the number of draws per fit that are counted.}
#'   \item{`divergent_fits`}{The number of fits with divergent transitions after warmup.}
#'   \item{`ranks`}{A matrix with one row per fit and one column per parameter: the number of draws below the value with which the data were
#'     simulated.}
#'   \item{`places`, `differences`}{Fractions of the possible ranks, and a matrix with one column per parameter: the distribution of the ranks at
#'     these fractions, minus the uniform one.}
#'   \item{`band`}{Half the width of the band that contains the differences of uniform ranks with probability 0.95 at all `places`.}
#'   \item{`probabilities`}{For each parameter, the probability that uniform ranks have a difference at least as large as the greatest one.}
#'   \item{`fit`}{The run, a [LeapfrogFit] whose draws are the ranks.}
#' }
#' `plot()` shows the differences with the band, for the first 12 parameters or for the named `variables` or elements. A warning is given if
#' the ranks are not compatible with a uniform distribution.
#'
#' @name LeapfrogCalibration
#' @seealso [leapfrog_model()]
NULL

# The result of a run of simulations.
calibration_of <- function(fit) {
  reply <- engine()$request(list(op = "calibration", fit = fit$key_in(engine())))
  header <- reply$header
  names <- as.character(unlist(header$names))
  columns <- lapply(reply$parts, doubles)
  # The ranks and the differences of each parameter alternate.
  matrix_of <- function(first) {
    values <- columns[seq(first, by = 2, length.out = length(names))]
    matrix(as.double(unlist(values)), ncol = length(names), dimnames = list(NULL, names))
  }
  ranks <- matrix_of(3)
  storage.mode(ranks) <- "integer"
  result <- list(
    ok = header$ok, message = header$message, simulations = header$simulations, greatest_rank = header$greatestRank,
    divergent_fits = header$divergentFits, ranks = ranks, places = columns[[1]], differences = matrix_of(4), band = columns[[2]],
    probabilities = stats::setNames(json_numbers(header$probabilities), names), fit = fit
  )
  if (!result$ok) warning(result$message, call. = FALSE)
  structure(result, class = "leapfrog_calibration")
}

#' @export
print.leapfrog_calibration <- function(x, ...) {
  parameters <- ncol(x$ranks)
  noun <- if (parameters == 1) " parameter by " else " parameters by "
  cat("<Calibration of ", parameters, noun, x$simulations, " simulations>\n", x$message, "\n", sep = "")
  invisible(x)
}

#' @export
plot.leapfrog_calibration <- function(x, variables = NULL, ...) {
  names <- colnames(x$ranks)
  is_shown <- if (is.null(variables)) seq_along(names) <= 12 else names %in% variables | sub("(\\[|\\.).*", "", names) %in% variables
  if (!any(is_shown)) leapfrog_stop(paste0("There is no parameter ", paste(variables, collapse = ", "), "."))
  shown <- names[is_shown]
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(shown)))
  on.exit(graphics::par(old))
  limit <- 1.05 * max(abs(x$differences[, shown]), x$band)
  for (name in shown) {
    plot(x$places, x$differences[, name], type = "n", ylim = c(-limit, limit), main = name, xlab = "fraction of ranks", ylab = "difference", ...)
    graphics::polygon(c(x$places, rev(x$places)), c(x$band, -rev(x$band)), col = "grey90", border = NA)
    graphics::lines(x$places, x$differences[, name], type = "s")
  }
  invisible(x)
}
