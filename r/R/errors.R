# Conditions of the package.

leapfrog_stop <- function(message, class = character(), ...) {
  stop(structure(
    class = c(class, "leapfrog_error", "error", "condition"),
    list(message = message, call = NULL, ...)
  ))
}

# Raises the error for an interrupt, with the draws so far, if any. The class `interrupt` is that of R's own interrupts.
stop_interrupted <- function(fit = NULL) {
  message <- if (is.null(fit)) "The call was interrupted." else "The run was interrupted; the element `fit` of this condition has the draws so far."
  stop(structure(
    class = c("leapfrog_interrupted", "leapfrog_error", "error", "interrupt", "condition"),
    list(message = message, call = NULL, fit = fit)
  ))
}

# Raises the error for a failure that the engine reports.
stop_for <- function(failure) {
  switch(failure$kind,
    program = leapfrog_stop(
      failure$message, c("leapfrog_program_error", "leapfrog_stan_error"),
      diagnostics = failure$diagnostics
    ),
    run = leapfrog_stop(failure$message, "leapfrog_stan_error", detail = failure$detail),
    cancelled = stop_interrupted(),
    leapfrog_stop(failure$message)
  )
}
