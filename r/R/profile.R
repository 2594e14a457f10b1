# The time of a gradient by statement of the program.

#' Time of the gradient by statement
#'
#' What `model$profile(data)` returns. Printed, it is a table with the slowest statements first.
#'
#' @section Components:
#' \describe{
#'   \item{`nanoseconds`}{The time of one evaluation of the log density and its gradient.}
#'   \item{`evaluations`}{The number of evaluations that were timed.}
#'   \item{`statements`}{A data frame with one row per statement, in program order: `nanoseconds`; `share` of the time of the gradient;
#'     `executions`, one per iteration of the enclosing loops; `cost`, how a statement that adds to `target` is compiled (data, once,
#'     sums, groups, distinct rows, or rows; `NA` for others); and `text`, `file`, `line` and `end_line`.}
#'   \item{`other`}{Nanoseconds outside all statements.}
#' }
#'
#' @name LeapfrogProfile
#' @seealso [leapfrog_model()]
NULL

profile_of <- function(answer) {
  numbers <- function(name) vapply(answer$statements, function(each) json_numbers(each[[name]]), 0)
  texts <- function(name) vapply(answer$statements, function(each) each[[name]], "")
  statements <- data.frame(
    nanoseconds = numbers("nanoseconds"), share = numbers("share"), executions = as.integer(numbers("executions")),
    cost = vapply(answer$statements, function(each) each$cost$cost %||% NA_character_, ""),
    text = texts("text"), file = texts("file"), line = as.integer(numbers("line")), end_line = as.integer(numbers("end_line"))
  )
  result <- list(
    nanoseconds = json_numbers(answer$nanoseconds), evaluations = answer$evaluations, statements = statements,
    other = json_numbers(answer$other$nanoseconds)
  )
  structure(result, class = "leapfrog_profile")
}

#' @export
print.leapfrog_profile <- function(x, ...) {
  rows <- x$statements[order(-x$statements$nanoseconds), ]
  lines <- strsplit(rows$text, "\n", fixed = TRUE)
  shown <- vapply(lines, function(line) paste0(c(line, "")[[1]], if (length(line) > 1) " \u2026"), "")
  cat("  share  executions  statement\n")
  cat(sprintf("%6.1f%% %11d  line %d: %s\n", 100 * rows$share, rows$executions, rows$line, shown), sep = "")
  cat(format(x$nanoseconds / 1000, digits = 4), "microseconds per gradient\n")
  invisible(x)
}
