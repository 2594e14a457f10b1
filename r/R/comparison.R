# Cross-validation and marginal likelihoods, by the packages loo and bridgesampling.

#' @exportS3Method loo::loo
loo.LeapfrogFit <- function(x, ...) x$loo(...)

#' @exportS3Method loo::loo_moment_match
loo_moment_match.LeapfrogFit <- function(x, loo, variables = "log_lik", ...) match_moments(x$draws, x$posterior(), loo, variables, ...)

# Moment matching with all draws in one exchange with the process. `draws` returns draws of variables.
match_moments <- function(draws, posterior, result, variables, ...) {
  columns <- elements_of(display_names(posterior$constrained_names()), variables)
  loo::loo_moment_match.default(
    posterior, result,
    post_draws = function(x, ...) plain_matrix(draws()),
    log_lik_i = function(x, i, ...) {
      values <- draws(variables)
      matrix(values[, , i], nrow = dim(values)[[1]])
    },
    unconstrain_pars = function(x, pars, ...) plain_matrix(x$unconstrain_draws(posterior::as_draws_matrix(pars))),
    log_prob_upars = function(x, upars, ...) x$log_prob(upars),
    log_lik_i_upars = function(x, upars, i, ...) x$constrain_rows(upars)[, columns[[i]]],
    ...
  )
}

elements_of <- function(names, variable) which(names == variable | startsWith(names, paste0(variable, "[")))

# Cross-validation of the log likelihood among draws. The posterior is needed for moment matching.
loo_of <- function(draws, posterior, variables, r_eff, moment_match, ...) {
  if (length(variables) != 1) leapfrog_stop("loo takes one variable.")
  log_lik <- unclass(posterior::as_draws_array(draws(variables)))
  effective <- if (isTRUE(r_eff)) loo::relative_eff(exp(log_lik - max(log_lik))) else if (is.numeric(r_eff)) r_eff
  if (!moment_match) return(loo::loo(log_lik, r_eff = effective, ...))
  result <- suppressWarnings(loo::loo(log_lik, r_eff = effective, ...))
  match_moments(draws, posterior, result, variables, ...)
}

#' @exportS3Method bridgesampling::bridge_sampler
bridge_sampler.LeapfrogFit <- function(samples, ...) bridge_of(plain_matrix(samples$unconstrain_draws()), samples$log_prob, ...)

# The estimate of the marginal likelihood from a matrix of unconstrained draws. The log density keeps all constants.
bridge_of <- function(points, log_prob, ...) {
  names <- colnames(points)
  bound <- function(value) stats::setNames(rep(value, length(names)), names)
  bridgesampling::bridge_sampler(
    points,
    log_posterior = function(point, data) {
      value <- tryCatch(log_prob(as.numeric(point)), leapfrog_stan_error = function(error) -Inf)
      if (is.nan(value)) -Inf else value
    },
    data = NULL, lb = bound(-Inf), ub = bound(Inf), ...
  )
}

# Draws as a matrix, with the chains concatenated.
plain_matrix <- function(draws) {
  values <- posterior::as_draws_matrix(draws)
  matrix(values, nrow(values), dimnames = list(NULL, posterior::variables(values)))
}

# bridgesampling has had a method for fits of cmdstanr since version 1.2.
register_older_bridge_sampler <- function() {
  register <- function(...) {
    if (is.null(utils::getS3method("bridge_sampler", "CmdStanMCMC", optional = TRUE, envir = asNamespace("bridgesampling")))) {
      registerS3method(
        "bridge_sampler", "CmdStanMCMC",
        function(samples, ...) bridge_of(plain_matrix(samples$unconstrain_draws()), samples$log_prob, ...),
        envir = asNamespace("bridgesampling")
      )
    }
  }
  if (isNamespaceLoaded("bridgesampling")) register()
  setHook(packageEvent("bridgesampling", "onLoad"), register)
}
