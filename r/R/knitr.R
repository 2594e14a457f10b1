# Chunks of R Markdown and Quarto.

#' Compile the Stan chunks of R Markdown and Quarto
#'
#' A chunk of Stan is then compiled when the document is rendered. The option `output.var` names the variable that the model is assigned to.
#' If a program does not compile, rendering stops with the compiler's message. Without this call, knitr compiles such chunks with rstan.
#'
#' @return The earlier engine of Stan chunks, invisibly.
#' @examples
#' \dontrun{
#' leapfrog_knitr_engine()
#' # ```{stan, output.var = "model"}
#' # parameters { real x; } model { x ~ std_normal(); }
#' # ```
#' }
#' @export
leapfrog_knitr_engine <- function() {
  if (!requireNamespace("knitr", quietly = TRUE)) leapfrog_stop("Chunks of Stan require the package knitr.")
  earlier <- knitr::knit_engines$get("stan")
  knitr::knit_engines$set(stan = run_stan_chunk)
  invisible(earlier)
}

run_stan_chunk <- function(options) {
  name <- options$output.var
  if (!is.character(name) || length(name) != 1 || !nzchar(name)) {
    leapfrog_stop("A chunk of Stan requires the name of the variable for its model: output.var = \"model\".")
  }
  program <- paste(options$code, collapse = "\n")
  if (isTRUE(options$eval)) assign(name, leapfrog_model(program, name = paste0(name, ".stan")), envir = knitr::knit_global())
  knitr::engine_output(options, program, "")
}
