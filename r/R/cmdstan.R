#' Create a CmdStan folder
#'
#' Creates or updates a folder that cmdstanr uses as CmdStan, and sets cmdstanr's path to it if cmdstanr is installed. brms with `backend =
#' "cmdstanr"` then requires no C++ compiler.
#'
#' @param folder The folder; `~/.cmdstan/leapfrog/cmdstan-2.40.0` by default.
#' @return The folder's path, invisibly.
#' @examples
#' \dontrun{
#' leapfrog_cmdstan_path()
#' model <- cmdstanr::cmdstan_model("model.stan")
#' }
#' @export
leapfrog_cmdstan_path <- function(folder = file.path("~", ".cmdstan", "leapfrog", "cmdstan-2.40.0")) {
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  folder <- normalizePath(folder)
  engine()$request(list(op = "cmdstan", folder = folder))
  if (!nzchar(Sys.which("make")) && !nzchar(Sys.getenv("MAKE"))) Sys.setenv(MAKE = file.path(folder, "bin", "make"))
  if (requireNamespace("cmdstanr", quietly = TRUE)) suppressMessages(cmdstanr::set_cmdstan_path(folder))
  invisible(folder)
}
