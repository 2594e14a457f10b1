test_that("an invalid program raises an error with its location", {
  error <- expect_error(leapfrog_model("parameters { real x }"), class = "leapfrog_program_error")
  expect_match(conditionMessage(error), "Expected \";\" after variable declaration|\";\" expected")
  expect_identical(error$diagnostics[[1]]$line, 1L)
  error <- expect_error(leapfrog_model("model { target += lenght(1.0); }"), class = "leapfrog_program_error")
  expect_identical(error$diagnostics[[1]]$code, "unknown-function")
})

test_that("a program is read from a file, with its includes", {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  writeLines("real x;", file.path(folder, "part.stan"))
  writeLines(c("parameters {", "#include part.stan", "}", "model { x ~ std_normal(); }"), file.path(folder, "whole.stan"))
  model <- leapfrog_model(file.path(folder, "whole.stan"))
  expect_equal(model$on()$log_prob(0), dnorm(0, log = TRUE))
})

test_that("draws have posterior's formats and the known moments", {
  draws <- schools_fit()$draws()
  expect_identical(dim(draws), c(1000L, 4L, 27L))
  summary <- schools_fit()$summary(c("mu", "tau"))
  # By 200,000 draws.
  expect_lt(max(abs(summary$mean - c(4.46, 3.3))), 0.5)
  expect_lt(max(summary$rhat), 1.02)
  expect_identical(posterior::ndraws(posterior::as_draws_df(schools_fit())), 4000L)
  expect_identical(posterior::variables(schools_fit()$sampler_diagnostics())[[1]], "accept_stat__")
  expect_identical(schools_fit()$diagnose()$ok, rep(TRUE, 5))
  expect_false(anyNA(schools_fit()$diagnose()$message))
})

test_that("the same seed gives the same draws", {
  again <- schools_model()$sample(schools, seed = 1)
  expect_identical(unclass(again$draws()), unclass(schools_fit()$draws()))
})

test_that("initial values, warmup and thinning are used", {
  init <- function(chain) list(mu = chain, tau = 1, eta = rep(0, 8))
  fit <- schools_model()$sample(
    schools, chains = 2, iter_warmup = 0, iter_sampling = 20, thin = 2, init = init, step_size = 1e-12, adapt_engaged = FALSE, seed = 1
  )
  expect_equal(as.vector(fit$draws("mu")[1, , 1]), c(1, 2), tolerance = 1e-6)
  expect_identical(dim(fit$draws())[1:2], c(10L, 2L))
  saved <- schools_model()$sample(schools, chains = 1, iter_warmup = 30, iter_sampling = 10, save_warmup = TRUE, seed = 1)
  expect_identical(c(nrow(saved$draws()), nrow(saved$draws(inc_warmup = TRUE))), c(10L, 40L))
})

test_that("an unknown argument is refused", {
  expect_error(schools_model()$sample(schools, iterations = 5), "iterations", class = "leapfrog_error")
})

test_that("other methods run", {
  mode <- schools_model()$optimize(schools, seed = 1, jacobian = TRUE)
  expect_lt(max(abs(mode$grad_log_prob(as.vector(mode$unconstrain_draws())))), 0.1)
  expect_identical(posterior::ndraws(schools_model()$laplace(schools, draws = 50, seed = 1)$draws()), 50L)
  expect_identical(posterior::ndraws(schools_model()$pathfinder(schools, draws = 40, seed = 1)$draws()), 40L)
  expect_identical(posterior::ndraws(schools_model()$variational(schools, draws = 30, seed = 1)$draws()), 30L)
  again <- schools_model()$generate_quantities(schools_fit(), schools, seed = 1)
  expect_equal(unclass(again$draws("log_lik")), unclass(schools_fit()$draws("log_lik")), tolerance = 1e-12, ignore_attr = TRUE)
})

test_that("data are arrays, lists, tuples, factors, and files", {
  model <- leapfrog_model("
    data {
      int n; array[1] int one; matrix[2, 3] m; array[2] vector[3] v; tuple(int, vector[2]) t; complex_vector[2] z;
      array[3] int f; vector[0] none;
    }
    generated quantities {
      real a = m[1, 2] + 10 * v[2, 1];
      real b = t.1 + t.2[2];
      complex c = z[2];
      int d = f[3] + one[1] + n;
      array[2] matrix[2, 2] q = {[[1, 2], [3, 4]], [[5, 6], [7, 8]]};
      tuple(int, array[2] real) pair = (3, {4.5, 5.5});
    }
  ")
  data <- list(
    n = 2, one = 4, m = matrix(1:6, 2), v = list(c(1, 2, 3), c(4, 5, 6)), t = list(7, c(8, 9)), z = complex(real = 1:2, imaginary = 3:4),
    f = factor(c("x", "y", "z")), none = numeric(), ignored = "text"
  )
  values <- model$on(data)$constrain_variables(numeric())
  expect_equal(values$a, 3 + 10 * 4)
  expect_equal(values$b, 7 + 9)
  expect_equal(as.vector(values$c), 2 + 4i)
  expect_equal(values$d, 3 + 4 + 2)
  expect_equal(values$q[2, 1, 2], 6)
  expect_equal(lapply(values$pair, as.vector), list("1" = 3, "2" = c(4.5, 5.5)))

  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  writeLines("{\"n\": 1, \"y\": [NaN]}", file)
  echo <- leapfrog_model("data { int n; vector[n] y; } generated quantities { int nan = is_nan(y[1]); }")
  expect_equal(echo$on(file)$constrain_variables(numeric())$nan, 1)
  expect_error(echo$on(list(n = 1, y = NA)), "y has NA values")
  refused <- expect_error(echo$on(list(n = 1)), "variable does not exist.*y", class = "leapfrog_stan_error")
  expect_equal(refused$detail[c("code", "input", "variable", "line")], list(code = "missing-variable", input = "data", variable = "y", line = 1))
})

test_that("a misspelled name among the initial values is a warning", {
  expect_warning(
    schools_model()$sample(schools, init = list(tua = 1), iter_sampling = 10, seed = 1),
    'has no parameter "tua", so its value is ignored. Did you mean "tau"?',
    fixed = TRUE
  )
  expect_no_warning(schools_model()$sample(schools, init = list(tau = 1), iter_sampling = 10, seed = 1))
})

test_that("an interrupt ends a run with an error that has the draws so far", {
  skip_on_os("windows")
  # The first message is of the first tenth of a chain.
  fit <- draws_so_far(
    schools_model()$sample(schools, iter_warmup = 100, iter_sampling = 1e6, thin = 100, seed = 1, show_progress = TRUE)
  )
  expect_false(fit$is_complete)
  expect_true(posterior::ndraws(fit$draws()) > 0)
  expect_lt(posterior::niterations(fit$draws()), 1e4)
  expect_equal(schools_model()$on(schools)$log_prob(rep(0.1, 10)), schools_log_density(rep(0.1, 10)))
})

test_that("CSV files are CmdStan's", {
  files <- schools_fit()$save_csv(tempdir())
  on.exit(unlink(files))
  expect_length(files, 4)
  table <- utils::read.csv(files[[1]], comment.char = "#", check.names = FALSE)
  expect_identical(table$mu, as.vector(schools_fit()$draws("mu")[, 1, 1]))
})

test_that("saved objects can be evaluated after they are read", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(schools_fit(), file)
  program <- sprintf("library(leapfrog); fit <- readRDS('%s'); cat(format(fit$log_prob(rep(0.1, 10)), digits = 15))", file)
  path <- c(dirname(system.file(package = "leapfrog")), .libPaths())
  output <- with_libraries(path, system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(program)), stdout = TRUE))
  expect_equal(as.numeric(output), schools_log_density(rep(0.1, 10)))
})
