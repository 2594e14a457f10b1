# Conditions of the package.

leapfrog_stop <- function(message, class = character(), ...) {
  stop(structure(
    class = c(class, "leapfrog_error", "error", "condition"),
    list(message = message, call = NULL, ...)
  ))
}

# Raises the error for a failure that the engine reports.
stop_for <- function(failure) {
  switch(failure$kind,
    program = leapfrog_stop(
      failure$message, c("leapfrog_program_error", "leapfrog_stan_error"),
      diagnostics = failure$diagnostics
    ),
    run = leapfrog_stop(failure$message, "leapfrog_stan_error"),
    cancelled = leapfrog_stop("The call was interrupted.", "leapfrog_interrupted"),
    leapfrog_stop(failure$message)
  )
}
