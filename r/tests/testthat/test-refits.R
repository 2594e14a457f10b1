test_that("K-fold cross-validation comes near the exact values, by folds, groups and single observations", {
  model <- leapfrog_model(conjugate_program)
  found <- model$kfold(conjugate_data, folds = 5, seed = 1)
  expect_true(found$ok)
  expect_match(found$message, "^R-hat is at most 1.05 in all 5 refits")
  expect_identical(found$names, paste0("y[", 1:5, "]"))
  expect_setequal(found$folds, 1:5)
  expect_identical(found$refits$observations, rep(1L, 5))
  expect_true(all(abs(found$pointwise[, "elpd_kfold"] - conjugate_elpd()) < 6 * found$pointwise[, "mcse_elpd_kfold"]))
  expect_equal(found$elpd, sum(found$pointwise[, "elpd_kfold"]))
  expect_equal(found$estimates["kfoldic", ], -2 * c(Estimate = 1, SE = -1) * found$estimates["elpd_kfold", ])
  expect_output(print(found), "Based on 5 refits.*elpd_kfold.*their chains agree")

  # The program does not declare the groups.
  grouped <- c(conjugate_data, list(team = factor(c("b", "a", "b", "a", "a"))))
  settings <- list(iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1)
  by_group <- do.call(model$kfold, c(list(grouped, groups = "team"), settings))
  expect_identical(by_group$folds, c(2L, 1L, 2L, 1L, 1L))
  expect_identical(by_group$refits$observations, c(3L, 2L))
  single <- do.call(model$kfold, c(list(conjugate_data, observations = "y[4]"), settings))
  expect_identical(single$names, "y[4]")

  expect_error(model$kfold(conjugate_data, folds = 1), "folds must be an integer of at least 2", class = "leapfrog_error")
  expect_error(model$kfold(conjugate_data, folds = 2, groups = "team"), "cannot be combined", class = "leapfrog_error")
  expect_error(model$kfold(conjugate_data, groups = "team"), "not a variable of the data", class = "leapfrog_stan_error")
  expect_error(leapfrog_model("parameters { real x; } model { x ~ std_normal(); }")$kfold(), class = "leapfrog_program_error")

  skip_if_not_installed("loo")
  expect_true(loo::is.kfold(found))
  other <- leapfrog_model(sub("normal_lpdf(y | mu, 1)", "normal_lpdf(y | mu, 4)", conjugate_program, fixed = TRUE))
  compared <- loo::loo_compare(list(narrow = found, wide = other$kfold(conjugate_data, folds = 5, seed = 2)))
  expect_identical(rownames(compared)[[1]], "wide")
})

test_that("refits that do not agree cause a warning", {
  bimodal <- leapfrog_model("
    data { int N; vector[N] y; }
    parameters { real mu; }
    model { target += log_mix(0.5, normal_lpdf(mu | -50, 1), normal_lpdf(mu | 50, 1)); y ~ normal(abs(mu), 1); }
  ")
  expect_warning(
    found <- bimodal$kfold(list(N = 4, y = c(50, 51, 49, 50)), folds = 2, seed = 1, init_radius = 50),
    "their chains do not agree"
  )
  expect_false(found$ok)
})

test_that("refits replace estimates with a high Pareto k in leave-one-out cross-validation", {
  skip_if_not_installed("loo")
  fit <- leapfrog_model(conjugate_program)$sample(conjugate_data, seed = 1)
  exact <- fit$loo(exact = TRUE, seed = 2)
  expect_s3_class(exact, "psis_loo")
  expect_true(exact$ok)
  expect_match(exact$message, "1 of 5 observations was left out by refits: y[5].", fixed = TRUE)
  expect_identical(exact$names, paste0("y[", 1:5, "]"))
  expect_identical(which(loo::pareto_k_values(exact) == 0), 5L)
  expect_lt(max(abs(exact$pointwise[, "elpd_loo"] - conjugate_elpd())), 2)
  expect_equal(exact$estimates["elpd_loo", "Estimate"], sum(exact$pointwise[, "elpd_loo"]))
  expect_output(print(exact), "Computed from 4000 by 5 log-likelihood matrix")
  plain <- suppressWarnings(fit$loo())
  expect_equal(exact$pointwise[-5, "elpd_loo"], unname(plain$pointwise[-5, "elpd_loo"]), tolerance = 1e-4)
  expect_equal(dim(loo::loo_compare(list(exact, plain)))[[1]], 2)
  expect_error(fit$loo(exact = TRUE, cores = 2), "no arguments of the package loo", class = "leapfrog_error")
  expect_error(fit$loo(seed = 2), "require exact = TRUE", class = "leapfrog_error")
})
