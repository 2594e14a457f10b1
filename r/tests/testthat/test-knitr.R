test_that("chunks of Stan are compiled by knitr", {
  skip_if_not_installed("knitr")
  earlier <- leapfrog_knitr_engine()
  on.exit(knitr::knit_engines$set(stan = earlier))
  document <- function(...) knitr::knit(text = paste(c(...), collapse = "\n"), quiet = TRUE, envir = new.env())
  chunk <- function(header, ...) c(paste0("```{", header, "}"), ..., "```", "")
  program <- "parameters { real x; } model { x ~ std_normal(); }"
  printed <- document(
    chunk("stan, output.var = 'from_chunk'", program),
    chunk("r", "dim(from_chunk$sample(seed = 1)$draws('x'))")
  )
  expect_match(printed, program, fixed = TRUE)
  expect_match(printed, "[1] 1000    4    1", fixed = TRUE)
  expect_error(document(chunk("stan, output.var = 'wrong'", "parameters { real x }")), "'wrong.stan', line 1", class = "leapfrog_program_error")
  expect_error(document(chunk("stan", program)), "output.var", class = "leapfrog_error")
  expect_match(document(chunk("stan, eval = FALSE, output.var = 'never'", "parameters { real x }")), "real x }", fixed = TRUE)
})
