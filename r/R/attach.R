#' Methods of fits without a C++ compiler
#'
#' Gives a fit or a model of cmdstanr, or a fit of brms, the methods that otherwise need a C++ compiler. The program is compiled by Leapfrog, and
#' its log density, gradient, Hessian and transforms are evaluated by a separate process. The fit may come from Leapfrog's CmdStan folder or
#' from CmdStan itself.
#'
#' \itemize{
#'   \item A fit of cmdstanr: `$log_prob()`, `$grad_log_prob()`, `$hessian()`, `$constrain_variables()`, `$unconstrain_variables()`,
#'     `$unconstrain_draws()`, `$variable_skeleton()`, `$functions` and `$expose_functions()`, and therefore `$loo(moment_match = TRUE)` and
#'     `bridgesampling::bridge_sampler()`. `$init_model_methods()` is then not required.
#'   \item A model of cmdstanr: the same for its later fits. These require the package Rcpp.
#'   \item A fit of brms: `loo(moment_match = TRUE)`, `bridge_sampler()`, `bayes_factor()` and `post_prob()`, for all of which it must be
#'     fitted with `save_pars = save_pars(all = TRUE)`.
#' }
#'
#' @param x A fit or a model of cmdstanr, or a `brmsfit`.
#' @param include_paths Folders that are searched for the program's `#include`s.
#' @return `x`; objects of cmdstanr are changed in place.
#' @examples
#' \dontrun{
#' fit <- leapfrog_attach(model$sample(data))
#' fit$loo(moment_match = TRUE)
#' }
#' @export
leapfrog_attach <- function(x, include_paths = character()) {
  if (inherits(x, "brmsfit")) return(attach_brms(x))
  if (!inherits(x, c("CmdStanModel", "CmdStanFit"))) {
    leapfrog_stop("leapfrog_attach takes a model or a fit of cmdstanr, or a fit of brms.")
  }
  is_fit <- inherits(x, "CmdStanFit")
  if (!is_fit) include_paths <- c(include_paths, x$include_paths())
  model <- leapfrog_model(x$code(), include_paths = include_paths)
  methods <- model_methods(model)
  if (is_fit) {
    pointer <- methods$model_ptr(x$data_file(), 0)
    methods <- c(methods, list(
      model_ptr_ = pointer$model_ptr, model_rng_ = pointer$base_rng,
      num_upars_ = methods$get_num_upars(pointer$model_ptr), param_metadata_ = methods$get_param_metadata(pointer$model_ptr)
    ))
    replace_method(x, "init_model_methods", function(seed = 1, verbose = FALSE) invisible(NULL))
    if (!is.null(x$loo)) replace_method(x, "loo", loo_method(x, x$loo, pointer$model_ptr))
  }
  private <- private_of(x)
  if (is.null(private$model_methods_env_)) private$model_methods_env_ <- new.env()
  list2env(methods, private$model_methods_env_)
  attach_functions(x, model)
  invisible(x)
}

# cmdstanr's method `loo`, with moment matching that evaluates all draws at once.
loo_method <- function(fit, own_method, posterior) {
  function(variables = "log_lik", r_eff = FALSE, moment_match = FALSE, ...) {
    if (!isTRUE(moment_match)) return(own_method(variables = variables, r_eff = r_eff, moment_match = FALSE, ...))
    loo_of(function(...) fit$draws(..., format = "draws_array"), posterior, variables, r_eff, TRUE, ...)
  }
}

private_of <- function(x) x$.__enclos_env__$private

replace_method <- function(object, name, value) {
  unlock <- get("unlockBinding", baseenv())
  unlock(name, object)
  assign(name, value, envir = object)
  lockBinding(name, object)
}

# The functions that cmdstanr otherwise compiles from inst/include/model_methods.cpp. Their pointer to a model is a LeapfrogPosterior here.
model_methods <- function(model) {
  list(
    # cmdstanr compiles this code if it has no model_ptr, and requires it.
    hpp_code_ = "// compiled by Leapfrog",
    model_ptr = function(data_file, seed) {
      data <- if (length(data_file) == 1 && nzchar(data_file)) data_file else NULL
      list(model_ptr = model$on(data, seed = seed), base_rng = NULL)
    },
    get_num_upars = function(pointer) pointer$num_unconstrained,
    get_param_metadata = function(pointer) pointer$variables(),
    log_prob = function(pointer, point, jacobian) pointer$log_prob(point, jacobian),
    grad_log_prob = function(pointer, point, jacobian) pointer$grad_log_prob(point, jacobian),
    hessian = function(pointer, point, jacobian) pointer$hessian(point, jacobian),
    unconstrain_variables = function(pointer, values) as.vector(pointer$unconstrain_matrix(matrix(values, 1))),
    unconstrain_draws = function(pointer, draws) {
      points <- pointer$unconstrain_matrix(matrix(draws, nrow(draws)))
      lapply(seq_len(ncol(points)), function(column) points[, column])
    },
    unconstrained_param_names = function(pointer, ...) pointer$unconstrained_names,
    constrained_param_names = function(pointer, ...) pointer$constrained_names(...),
    constrain_variables = function(pointer, rng, point, transformed_parameters, generated_quantities) {
      as.vector(pointer$constrain_rows(point, transformed_parameters, generated_quantities, seed = sample.int(largest_int, 1)))
    }
  )
}

# The functions of a program, in place of those that cmdstanr compiles.
attach_functions <- function(x, model) {
  names <- model$function_names()
  functions <- stats::setNames(lapply(names, function(name) `$.leapfrog_functions`(model$functions, name)), names)
  list2env(c(functions, list(fun_names = names, compiled = TRUE, existing_exe = FALSE)), x$functions)
  replace_method(x, "expose_functions", function(global = FALSE, verbose = FALSE) {
    if (global) list2env(functions, globalenv())
    invisible(NULL)
  })
}
