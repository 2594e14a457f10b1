#' Stan programs without a C++ toolchain
#'
#' [leapfrog_model()] compiles a program. [leapfrog_cmdstan_path()] creates a folder for cmdstanr and brms, and [leapfrog_attach()] gives
#' their fits the methods that otherwise require a C++ compiler.
#'
#' The engine is a part of the package and runs in Node.js, which is found in this order: the option `leapfrog.node`, the environment
#' variable `LEAPFROG_NODE`, the version that [leapfrog_install_node()] has installed, and `node` on the path. The option
#' `leapfrog.engine`, or the environment variable `LEAPFROG_ENGINE`, names the folder of another build of the engine.
#'
#' Errors have the class `leapfrog_error`. Errors of a program, its data or a point also have the class `leapfrog_stan_error` and,
#' in the member `detail`, a code and the variable or location. Those of a program that does not compile also have the class
#' `leapfrog_program_error`, with the member `diagnostics`.
#'
#' @importFrom R6 R6Class
#' @keywords internal
"_PACKAGE"

# The processes that this session of R has started. A model that was saved and loaded again belongs to another session.
session <- new.env(parent = emptyenv())

.onLoad <- function(libname, pkgname) {
  session$key <- paste(Sys.getpid(), format(as.numeric(Sys.time()), digits = 17))
  session$engine <- NULL
  register_older_bridge_sampler()
}
