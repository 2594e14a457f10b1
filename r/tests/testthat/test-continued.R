# Runs that stop by a rule, and fits that are continued.
rule_program <- "
data { int N; vector[N] y; }
parameters { real mu; }
model { mu ~ normal(0, 2); y ~ normal(mu, 1); for (n in 1:1000) target += 0 * sin(n * mu); }
"
rule_model <- function() {
  if (is.null(made$rule)) made$rule <- leapfrog_model(rule_program)
  made$rule
}
# Draws of mu of one chain.
mu_of <- function(fit) as.vector(fit$draws("mu")[, 1, 1])

test_that("a run stops when R-hat and sample sizes are good enough, or at the maximum number of iterations", {
  fit <- rule_model()$sample(conjugate_data, seed = 1, iter_sampling = 100, until = list(rhat = 1.05, ess_bulk = 300))
  expect_identical(fit$stopped$reason, "precise")
  expect_identical(posterior::niterations(fit$draws()), as.integer(fit$stopped$iterations))
  expect_lt(fit$summary("mu")$rhat, 1.05)
  expect_gt(fit$summary("mu")$ess_bulk, 300)
  whole <- rule_model()$sample(conjugate_data, seed = 1, iter_sampling = fit$stopped$iterations)
  expect_identical(whole$draws(), fit$draws())

  limited <- rule_model()$sample(conjugate_data, seed = 1, iter_sampling = 50, until = c(rhat = 1 + 1e-9, max_iterations = 120))
  expect_identical(limited$stopped$reason, "max_iterations")
  expect_identical(limited$stopped$shortfall[c("quantity", "statistic")], list(quantity = "mu", statistic = "rhat"))
  expect_identical(posterior::niterations(limited$draws()), 120L)
  rest <- rule_model()$sample(conjugate_data, seed = 2, iter_sampling = 30, continue_from = limited)
  expect_identical(c(mu_of(limited), mu_of(rest)), mu_of(rule_model()$sample(conjugate_data, seed = 1, iter_sampling = 150)))
})

test_that("rules that cannot decide are refused", {
  refused <- function(until, message) {
    expect_error(rule_model()$sample(conjugate_data, seed = 1, until = until), message, class = "leapfrog_error")
  }
  refused(1.01, "must be a list of limits with names")
  refused(list(1.01), "must be a list of limits with names")
  refused(list(rhat = 1), "until/rhat must be a number above 1")
  refused(list(r_hat = 1.01), "r_hat")
  refused(c(rhat = 1.01, max_iterations = 1), "max_iterations must be an integer")
  refused(list(rhat = 1.01, quantities = "nu"), "quantities names nu")
})

test_that("an interrupted fit is continued with bit-identical draws, and starts another one", {
  skip_on_os("windows")
  fit <- draws_so_far(
    rule_model()$sample(conjugate_data, seed = 3, chains = 1, iter_warmup = 100, iter_sampling = 1e5, show_progress = TRUE)
  )
  expect_false(fit$is_complete)
  expect_null(fit$stopped)
  rest <- rule_model()$sample(conjugate_data, iter_sampling = 20, continue_from = fit)
  count <- posterior::niterations(fit$draws())
  whole <- rule_model()$sample(conjugate_data, seed = 3, chains = 1, iter_warmup = 100, iter_sampling = count + 20)
  expect_identical(c(mu_of(fit), mu_of(rest)), mu_of(whole))

  warm <- rule_model()$sample(conjugate_data, seed = 4, chains = 1, iter_warmup = 0, iter_sampling = 20, warm_start = fit)
  expect_identical(warm$step_size(), fit$step_size())
})

test_that("a run that was interrupted during warmup cannot be continued, and the error states the reason", {
  skip_on_os("windows")
  fit <- draws_so_far(
    rule_model()$sample(conjugate_data, seed = 3, chains = 1, iter_warmup = 1e5, iter_sampling = 10, show_progress = TRUE)
  )
  expect_false(fit$is_complete)
  expect_error(rule_model()$sample(conjugate_data, iter_sampling = 20, continue_from = fit), "warmup", class = "leapfrog_error")
})
