# Fits of brms. A LeapfrogPosterior replaces the compiled code of rstan.

attach_brms <- function(fit) {
  for (name in c("brms", "rstan")) {
    if (!requireNamespace(name, quietly = TRUE)) leapfrog_stop(paste0("Fits of brms require the package ", name, "."))
  }
  posterior <- leapfrog_model(as.character(fit$model))$on(unclass(brms::standata(fit)))
  misc <- new.env(parent = emptyenv())
  misc$stan_fit_instance <- stanfit_instance(posterior, setdiff(fit$fit@model_pars, "lp__"))
  misc$posterior <- posterior
  fit$fit@.MISC <- misc
  class(fit) <- union("leapfrog_brmsfit", class(fit))
  fit
}

# An object with the methods of a compiled rstan model.
stanfit_instance <- function(posterior, kept) {
  instance <- methods::new(".environment")
  # rstan checks that these are not null pointers, and does not use them otherwise.
  pointer <- getLoadedDLLs()[["rstan"]][["handle"]]
  list2env(list(
    .pointer = pointer, .module = pointer, .cppclass = pointer,
    log_prob = function(point, jacobian, gradient) {
      if (!gradient) return(posterior$log_prob(point, jacobian))
      found <- posterior$grad_log_prob(point, jacobian)
      structure(attr(found, "log_prob"), gradient = as.vector(found))
    },
    grad_log_prob = function(point, jacobian) posterior$grad_log_prob(point, jacobian),
    unconstrain_pars = function(values) posterior$unconstrain_variables(values),
    constrain_pars = function(point) unlist(posterior$constrain_variables(point)[kept], use.names = FALSE),
    num_pars_unconstrained = function() posterior$num_unconstrained,
    unconstrained_param_names = function(...) posterior$unconstrained_names,
    param_names = function() names(posterior$variables()),
    param_dims = function() posterior$variables()
  ), instance@.xData)
  instance
}

# brms compiles its fits again for these methods. Attached fits do not require this.

#' @exportS3Method bridgesampling::bridge_sampler
bridge_sampler.leapfrog_brmsfit <- function(samples, ...) {
  samples <- brms::restructure(samples)
  posterior <- samples$fit@.MISC$posterior
  points <- posterior$unconstrain_matrix(original_parameters(samples$fit, posterior))
  bridge_of(points, posterior$log_prob, ...)
}

#' @exportS3Method loo::loo_moment_match
loo_moment_match.leapfrog_brmsfit <- function(x, loo, newdata = NULL, resp = NULL, k_threshold = 0.7, check = TRUE, ...) {
  newdata <- if (is.null(newdata)) stats::model.frame(x) else as.data.frame(newdata)
  posterior <- x$fit@.MISC$posterior
  log_lik_i <- function(x, i, newdata, ...) as.vector(brms::log_lik(x, newdata = newdata[i, , drop = FALSE], ...))
  loo::loo_moment_match.default(
    x, loo,
    post_draws = as.matrix,
    log_lik_i = log_lik_i,
    unconstrain_pars = function(x, pars, ...) posterior$unconstrain_matrix(original_parameters(x$fit, posterior)),
    log_prob_upars = function(x, upars, ...) posterior$log_prob(upars),
    log_lik_i_upars = function(x, upars, i, ndraws = NULL, draw_ids = NULL, ...) log_lik_i(with_draws(x, upars, posterior), i = i, ...),
    k_threshold = k_threshold, newdata = newdata, resp = resp, ...
  )
}

# Draws of the program's parameters, from a fit whose variables brms has renamed. Rows are draws, with the chains concatenated.
original_parameters <- function(stanfit, posterior) {
  # brms has renamed and ordered the draws, but keeps the names of variables in this order.
  names <- unlist(lapply(stanfit@sim$pars_oi, function(name) element_names(name, stanfit@par_dims[[name]])))
  places <- match(display_names(posterior$constrained_names(FALSE, FALSE)), names)
  if (anyNA(places)) leapfrog_stop("The fit lacks parameters of its program: brms fits need save_pars = save_pars(all = TRUE) for this.")
  chains <- lapply(stanfit@sim$samples, function(chain) {
    values <- do.call(cbind, unname(as.list(chain))[places])
    values[seq_len(nrow(values)) > stanfit@sim$warmup2[[1]], , drop = FALSE]
  })
  do.call(rbind, chains)
}

# `theta[1]`, `theta[2]`, in column-major order.
element_names <- function(name, shape) {
  if (length(shape) == 0) return(name)
  indices <- do.call(expand.grid, lapply(shape, seq_len))
  if (nrow(indices) == 0) return(character())
  paste0(name, "[", do.call(paste, c(unname(indices), sep = ",")), "]")
}

# The fit with its draws replaced by those at unconstrained points.
with_draws <- function(fit, points, posterior) {
  values <- posterior$constrain_rows(points)
  kept <- fit$fit@sim$fnames_oi_old
  columns <- match(kept, display_names(posterior$constrained_names()))
  count <- nrow(points)
  draws <- lapply(columns, function(column) if (is.na(column)) numeric(count) else values[, column])
  fit$fit@sim <- list(
    samples = list(stats::setNames(draws, kept)), iter = count, thin = 1, warmup = 0, chains = 1, n_save = count, warmup2 = 0,
    permutation = list(seq_len(count)), pars_oi = fit$fit@sim$pars_oi_old, dims_oi = fit$fit@sim$dims_oi_old, fnames_oi = kept,
    n_flatnames = length(kept)
  )
  fit$fit@stan_args <- list(list(chain_id = 1, iter = count, thin = 1, warmup = 0))
  brms::rename_pars(fit)
}

#' Fit a model of brms
#'
#' Like `brms::brm()`, but without cmdstanr and without a C++ compiler. The fit has the methods that [leapfrog_attach()] gives.
#'
#' @param formula,data,... As in `brms::brm()`. Arguments of its sampler are below; `backend`, `cores` and `threads` do not apply.
#' @param chains,iter,warmup,thin,seed As in `brms::brm()`.
#' @param control A list with `adapt_delta` and `max_treedepth`.
#' @param init As in `model$sample()`.
#' @param show_progress Whether to show the progress of chains.
#' @return A `brmsfit`.
#' @examples
#' \dontrun{
#' fit <- leapfrog_brm(count ~ zAge + zBase * Trt + (1 | patient), brms::epilepsy, family = poisson())
#' }
#' @export
leapfrog_brm <- function(formula, data, ..., chains = 4, iter = 2000, warmup = floor(iter / 2), thin = 1, seed = NULL,
                         control = list(), init = NULL, show_progress = interactive()) {
  empty <- brms::brm(formula, data, ..., empty = TRUE)
  empty$model[] <- modern_arrays(empty$model)
  model <- leapfrog_model(as.character(empty$model), name = "brms.stan")
  draws <- do.call(model$sample, c(list(
    data = unclass(brms::standata(empty)), chains = chains, iter_warmup = warmup, iter_sampling = iter - warmup, thin = thin,
    seed = seed, init = init, show_progress = show_progress, save_warmup = FALSE
  ), control))
  empty$fit <- stanfit_of(draws)
  attach_brms(brms::rename_pars(empty))
}

# The draws of a fit in rstan's form. rstan reads CmdStan files; files of older versions have numbers for logical settings.
stanfit_of <- function(draws) {
  folder <- tempfile("leapfrog-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  files <- draws$save_csv(folder)
  for (file in files) {
    lines <- readLines(file)
    lines <- sub("^(#.* = )false\\b", "\\10", sub("^(#.* = )true\\b", "\\11", lines))
    writeLines(lines, file)
  }
  rstan::read_stan_csv(files)
}

# brms before 2.20.3 declares arrays in the syntax that Stan has removed: `int Y[N];`, and `int[] y` for an argument.
modern_arrays <- function(code) {
  lines <- strsplit(code, "\n", fixed = TRUE)[[1]]
  lines <- gsub("\\b(int|real|vector|matrix)\\[(,*)\\] (\\w+)", "array[\\2] \\1 \\3", lines)
  lines <- sub("^(\\s*)(\\w+(?:<[^>]*>)?(?:\\[[^]]*\\])?) (\\w+)\\[([^]]+)\\](;| =)", "\\1array[\\4] \\2 \\3\\5", lines, perl = TRUE)
  paste(lines, collapse = "\n")
}
