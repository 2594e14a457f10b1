# Fits in files.

#' Open a saved fit
#'
#' Opens a file that `fit$save()`, Python's `fit.save` or `leapfrog sample --output fit.arrow` has written. All methods of the fit work; its
#' program is compiled when it is first required. It also opens netCDF files of ArviZ, which have only the draws.
#'
#' @param path The path of the file.
#' @return A [LeapfrogFit].
#' @examples
#' \dontrun{
#' fit$save("schools.arrow")
#' fit <- leapfrog_load("schools.arrow")
#' }
#' @export
leapfrog_load <- function(path) {
  reply <- engine()$request(list(op = "load fit", path = full_path(path)))$header
  fit_in_file(reply, NULL, read_data_text(reply$data %||% "{}"), reply$source)
}

#' Read CmdStan's CSV files
#'
#' @param files The paths of the files, one per chain, or of a folder with them. CmdStan, CmdStanPy, cmdstanr and `fit$save_csv()` write such
#'   files.
#' @param model,data The [model][leapfrog_model()] and the data of the run, which methods require that run the program again.
#' @return A [LeapfrogFit].
#' @export
leapfrog_from_csv <- function(files, model = NULL, data = NULL) {
  paths <- vapply(files, full_path, "", USE.NAMES = FALSE)
  fit_in_file(engine()$request(list(op = "read csv", paths = I(paths)))$header, model, data)
}

fit_in_file <- function(header, model, data, source = NULL) {
  for (text in header$warnings) warning(text, call. = FALSE)
  Fit$new(engine(), header, model, data, source)
}

# The path of a file that need not exist. The engine may have another working directory.
full_path <- function(path) {
  path <- path.expand(path)
  file.path(normalizePath(dirname(path), mustWork = FALSE), basename(path))
}

# Data in Stan's JSON format, in which non-finite numbers are strings.
read_data_text <- function(text) {
  numeric <- function(value) {
    if (is.list(value)) return(lapply(value, numeric))
    if (is.character(value)) storage.mode(value) <- "double"
    value
  }
  lapply(jsonlite::fromJSON(text, simplifyDataFrame = FALSE), numeric)
}
