# Argument names of cmdstanr, rstan, CmdStanPy and PyStan are accepted, or an error states what to use instead.

names_program <- "parameters { real x; } model { x ~ std_normal(); } generated quantities { real y = x; }"
names_model <- function() {
  if (is.null(made$names_model)) made$names_model <- leapfrog_model(names_program)
  made$names_model
}

usual_arguments <- list(
  sample = list(iter_warmup = 30, iter_sampling = 20, chains = 1),
  variational = list(draws = 20, adapt_engaged = FALSE, eta = 0.1),
  pathfinder = list(draws = 20, num_paths = 2),
  laplace = list(draws = 20)
)
# The argument above that means the same, or that the value excludes.
same_argument <- c(
  num_chains = "chains", num_warmup = "iter_warmup", num_samples = "iter_sampling", output_samples = "draws", algorithm = "iter_warmup"
)

run_with <- function(row, method, value) {
  arguments <- usual_arguments[[method]]
  arguments <- arguments[setdiff(names(arguments), c(row$name, if (!is.null(row$means)) same_argument[row$means]))]
  if (row$name != "seed") arguments$seed <- 1
  if (method == "generate" && !identical(row$means, "fitted_params")) arguments$fitted_params <- made$names_fit
  arguments[[row$name]] <- value
  name <- if (method == "generate") "generate_quantities" else method
  do.call(names_model()[[name]], arguments)
}

expect_row <- function(row, method) {
  example <- if (is.null(row$example)) made$names_fit else row$example
  if (is.list(example) && is.null(names(example))) example <- unlist(example)
  if (!is.null(row$becomes)) {
    arguments <- c(list(chains = 1, seed = 1), setNames(list(example), row$name))
    fit <- do.call(names_model()$sample, arguments)
    expect_equal(fit$arguments[names(row$becomes)], row$becomes)
    return(invisible())
  }
  if (is.null(row$means)) {
    expect_error(run_with(row, method, example), sprintf("^%s is not an argument of \\w+: .+\\.$", row$name), class = "leapfrog_error")
    for (value in row$harmless) run_with(row, method, value)
    return(invisible())
  }
  fit <- run_with(row, method, example)
  used <- switch(row$means,
    num_chains = fit$num_chains(),
    random_seed = fit$seed,
    init = fit$arguments$init_radius,
    fit$arguments[[row$means]]
  )
  if (row$name == "pars") expect_identical(posterior::variables(fit$draws()), c("lp__", "x"))
  if (!is.null(used) && row$name != "inv_metric") expect_equal(used, example, info = paste(method, row$name))
}

test_that("each name of the table is accepted, or rejected with advice", {
  made$names_fit <- names_model()$sample(chains = 1, iter_warmup = 10, iter_sampling = 5, seed = 1)
  rows <- leapfrog:::engine()$request(list(op = "foreign arguments"))$header$rows
  expect_gte(length(unique(vapply(rows, function(row) row$name, ""))), 40)
  for (row in rows) for (method in row$methods) expect_row(row, method)
})

test_that("each name of the table of compiling is accepted, or rejected with advice", {
  folder <- tempfile("names")
  dir.create(folder)
  before <- setwd(folder)
  on.exit(setwd(before))
  code <- "parameters { real x; } model { x ~ std_normal(); }"
  writeLines(code, "coin.stan")
  for (row in leapfrog:::engine()$request(list(op = "foreign arguments"))$header$compile) {
    example <- setNames(list(row$example), row$name)
    if (is.null(row$instead)) {
      program <- if (row$means != "program") list(program = code)
      model <- do.call(leapfrog_model, c(program, example))
      expect_identical(trimws(model$code()), code)
      if (row$means == "name") expect_identical(model$name(), row$example)
    } else {
      pattern <- sprintf("^%s is not an argument of compile: .+\\.$", row$name)
      expect_error(do.call(leapfrog_model, c(list(code), example)), pattern, class = "leapfrog_error")
      for (value in row$harmless) do.call(leapfrog_model, c(list(code), setNames(list(value), row$name)))
    }
  }
  expect_error(leapfrog_model(), "^program is required", class = "leapfrog_error")
})

test_that("an invalid value and a misspelled name are reported by the name that was typed", {
  expect_error(names_model()$sample(adapt_delta = 2), "^adapt_delta must be less than 1$", class = "leapfrog_error")
  expect_error(names_model()$sample(warmup = -1), "^warmup must be at least 0$", class = "leapfrog_error")
  expect_error(names_model()$sample(iter_samplng = 5), "^iter_samplng is not .* of sample\\. Did you mean iter_sampling\\?$")
  expect_error(names_model()$sample(chains = 2, num_chains = 2), "^num_chains means the same as chains: pass one of them$")
})

test_that("an abbreviation of R is not taken for another argument", {
  fit <- names_model()$sample(chain = 3, iter_warmup = 10, iter_sampling = 5, seed = 1, chains = 1)
  expect_identical(fit$num_chains(), 1L)
  expect_equal(fit$arguments$chain, 3)
})
