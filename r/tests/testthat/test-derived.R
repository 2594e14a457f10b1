# Programs derived from a program: its prior, its log likelihood, replicated data, and calibration.
derived_program <- "
data { int N; vector[N] y; }
parameters { real mu; }
model { mu ~ normal(0, 2); y ~ normal(mu, 1); }
"
derived_model <- function() {
  if (is.null(made$derived)) made$derived <- leapfrog_model(derived_program)
  made$derived
}
derived_fit <- function() {
  if (is.null(made$derived_fit)) made$derived_fit <- derived_model()$sample(conjugate_data, seed = 1)
  made$derived_fit
}

test_that("draws of the prior have its moments, and are those of the seed", {
  fit <- derived_model()$prior(conjugate_data, seed = 1)
  mu <- as.vector(fit$draws("mu"))
  expect_lt(abs(mean(mu)), 0.4)
  expect_lt(abs(sd(mu) - 2), 0.4)
  expect_identical(as.vector(derived_model()$prior(conjugate_data, seed = 1)$draws("mu")), mu)
  improper <- leapfrog_model("data { real y; } parameters { real mu; } model { y ~ normal(mu, 1); }")
  expect_error(improper$prior(list(y = 1)), "mu", class = "leapfrog_program_error")
})

test_that("log likelihoods and replicated data are derived for draws", {
  fit <- derived_fit()
  mu <- as.vector(fit$draws("mu"))
  terms <- fit$log_likelihood()$draws()
  expect_identical(posterior::variables(terms), paste0("log_lik__y[", 1:5, "]"))
  expect_equal(as.vector(terms[, , 5]), dnorm(9, mu, 1, log = TRUE), tolerance = 1e-12)
  replicated <- fit$predict(seed = 1)$draws("y_rep")
  expect_identical(dim(replicated), c(1000L, 4L, 5L))
  expect_lt(abs(sd(as.vector(replicated[, , 1]) - mu) - 1), 0.1)
  expect_identical(derived_model()$predict(fit, conjugate_data, seed = 1)$draws("y_rep"), replicated)
  without_data <- leapfrog_model("parameters { real mu; } model { mu ~ std_normal(); }")$sample(seed = 1, iter_sampling = 10)
  expect_error(without_data$log_likelihood(), class = "leapfrog_program_error")
})

test_that("leave-one-out cross-validation derives the log likelihood", {
  skip_if_not_installed("loo")
  fit <- derived_fit()
  plain <- suppressWarnings(fit$loo())
  expect_equal(unname(plain$pointwise[1:4, "elpd_loo"]), conjugate_elpd()[1:4], tolerance = 0.05)
  expect_identical(suppressWarnings(loo::loo(fit))$pointwise, plain$pointwise)
  matched <- fit$loo(moment_match = TRUE)
  expect_identical(matched$names, paste0("y[", 1:5, "]"))
  expect_equal(matched$pointwise[, "elpd_loo"], conjugate_elpd(), tolerance = 0.1)
  expect_error(fit$loo(moment_match = TRUE, cores = 2), "no arguments of the package loo", class = "leapfrog_error")
})

test_that("calibration returns ranks, and warns if they are not uniform", {
  found <- derived_model()$sbc(conjugate_data, simulations = 20, iter_warmup = 200, iter_sampling = 200, seed = 2)
  expect_true(found$ok)
  expect_identical(c(found$simulations, dim(found$ranks)), c(20L, 20L, 1L))
  expect_true(all(found$ranks >= 0 & found$ranks <= found$greatest_rank))
  expect_named(found$probabilities, "mu")
  expect_identical(c(length(found$places), length(found$band)), rep(nrow(found$differences), 2))
  # The distribution of the ranks, minus the uniform one.
  at <- floor(found$places * (found$greatest_rank + 1))
  expect_equal(max(abs(found$differences[, "mu"])), max(abs(vapply(at, function(k) mean(found$ranks < k), 0) - found$places)), tolerance = 0.1)
  expect_output(print(found), "1 parameter by 20 simulations.*no miscalibration was found")
  file <- tempfile(fileext = ".pdf")
  on.exit(unlink(file))
  grDevices::pdf(file)
  expect_identical(plot(found), found)
  expect_identical(plot(found, "mu"), found)
  expect_error(plot(found, "nu"), "no parameter nu", class = "leapfrog_error")
  grDevices::dev.off()
  expect_error(derived_model()$sbc(conjugate_data, simulations = 9), "simulations must be an integer from 10", class = "leapfrog_error")
})

test_that("a profile has the times of statements", {
  found <- derived_model()$profile(conjugate_data, evaluations = 10)
  expect_identical(found$statements$line, c(3L, 4L, 4L))
  expect_identical(found$statements$executions[3], 5L)
  expect_true(all(found$statements$share >= 0) && sum(found$statements$share) <= 1 + 1e-9)
  expect_true(found$nanoseconds > 0)
  expect_output(print(found), "share  executions  statement\n.*line 4: y ~ normal\\(mu, 1\\);\n.*microseconds per gradient")
  expect_s3_class(derived_model()$profile(conjugate_data, point = 0.5, evaluations = 10), "leapfrog_profile")
  expect_error(derived_model()$profile(conjugate_data, point = c(1, 2)), "position has 2 elements", class = "leapfrog_stan_error")
})

test_that("one name of a variable is enough", {
  fit <- derived_model()$sample(
    conjugate_data, seed = 1, iter_sampling = 100, save = "mu", until = list(rhat = 1.5, quantities = "mu")
  )
  expect_identical(posterior::variables(fit$draws()), c("lp__", "mu"))
  expect_match(fit$stopped$reason, "precise")
})

test_that("interrupts stop calls that have no result yet, and the engine answers the next ones", {
  skip_on_os("windows")
  # An engine that is interrupted when a call waits for it.
  process <- getFromNamespace("Process", "leapfrog")
  wait <- process$private_methods$wait
  # R6 gives methods another environment, in which they find an option.
  is_armed <- function() isTRUE(getOption("test.interrupts"))
  process$set("private", "wait_for_bytes", wait)
  process$set("private", "wait", overwrite = TRUE, function(on_interrupt) {
    if (isTRUE(getOption("test.interrupts"))) tools::pskill(Sys.getpid(), tools::SIGINT)
    options(test.interrupts = NULL)
    private$wait_for_bytes(on_interrupt)
  })
  leapfrog_close()
  on.exit({
    options(test.interrupts = NULL)
    process$private_methods$wait_for_bytes <- NULL
    process$set("private", "wait", wait, overwrite = TRUE)
    leapfrog_close()
  })
  # With is_endless, nothing ends by itself.
  model <- leapfrog_model("
    data { int is_endless; int N; vector[N] y; }
    transformed data { while (is_endless) print(\"\"); }
    parameters { real mu; }
    model { mu ~ normal(0, 2); y ~ normal(mu, 1); }
  ")
  data <- c(conjugate_data, list(is_endless = 0))
  endless <- c(conjugate_data, list(is_endless = 1))
  fit <- model$sample(data, seed = 1)
  calls <- list(
    function() model$sample(endless),
    function() model$prior(endless),
    function() model$sbc(endless),
    function() model$kfold(endless),
    function() model$optimize(endless),
    function() model$laplace(endless),
    function() model$generate_quantities(fit, endless),
    function() model$log_likelihood(fit, endless),
    function() model$predict(fit, endless),
    function() model$profile(endless),
    function() fit$loo(exact = TRUE, iter_sampling = 1e9)
  )
  for (call in calls) {
    options(test.interrupts = TRUE)
    expect_error(call(), "interrupted", class = "leapfrog_interrupted")
    expect_false(is_armed())
  }
  expect_identical(model$sample(data, seed = 1)$draws(), fit$draws())
})

test_that("an interrupt during simulations stops them", {
  skip_on_os("windows")
  expect_error(
    interrupted_once(derived_model()$sbc(conjugate_data, simulations = 1e4, seed = 1, show_progress = TRUE)),
    class = "leapfrog_interrupted"
  )
  expect_true(made$is_interrupted)
})
