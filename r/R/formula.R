# Models from formulas.

#' A Stan program and its data from a model formula
#'
#' Writes a regression with weakly informative priors, scaled to the data, from a formula in the notation of lme4 and brms.
#'
#' @param formula A formula, such as `y ~ x + (1 + x | g)`, or its text.
#' @param data A data frame, or the path of a table (CSV or .xlsx). Factors keep the order of their levels.
#' @param family The distribution of the outcome: normal, student, bernoulli, cumulative, poisson or negbinomial. Names of families in R, such as
#'   gaussian and binomial, are also accepted.
#' @param order Categories of an ordinal outcome in order. Those of a factor have the order of its levels.
#' @param sheet Sheet of a workbook.
#' @param missing `"omit"` leaves rows with missing values out; with `"parameters"`, missing numbers are parameters instead.
#' @return A list with `program`, `data`, `labels` (those of the variables with codes, such as groups), and `omitted`, the number of rows that are left
#'   out because of missing values. An invalid formula is an error with the part that is wrong.
#' @examples
#' \dontrun{
#' made <- leapfrog_model_from_formula(score ~ hours + (1 | school), pupils)
#' fit <- leapfrog_model(made$program)$sample(made$data, algorithm = "recommended")
#' }
#' @export
leapfrog_model_from_formula <- function(formula, data, family = "normal", order = NULL, sheet = NULL, missing = "omit") {
  text <- if (inherits(formula, "formula")) paste(deparse(formula, width.cutoff = 500L), collapse = " ") else formula
  table <- if (is.character(data)) list(path = full_path(data), sheet = sheet) else list(columns = unname(Map(typed_column, names(data), data)))
  header <- list(op = "formula", formula = text, family = family, table = Filter(Negate(is.null), table), missing = missing)
  if (!is.null(order)) header$order <- I(as.character(order))
  reply <- engine()$request(header)$header
  labels <- lapply(reply$levels, function(each) as.character(unlist(each$labels)))
  list(
    program = reply$program, data = read_data_text(reply$data),
    labels = stats::setNames(labels, vapply(reply$levels, function(each) each$variable, "")), omitted = as.integer(reply$omitted)
  )
}

# A column as the engine reads it. Missing values are null.
typed_column <- function(name, values) {
  cells <- function(texts) structure(paste0("[", paste(ifelse(is.na(values), "null", texts), collapse = ","), "]"), class = "json")
  if (is.numeric(values) || is.logical(values)) return(list(name = name, numbers = cells(number_text(as.double(values)))))
  column <- list(name = name, texts = cells(quoted(as.character(values))))
  if (is.factor(values)) column$levels <- I(levels(values))
  column
}
