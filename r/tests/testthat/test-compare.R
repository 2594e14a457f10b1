test_that("fits are compared, the best first, with loo's differences", {
  skip_if_not_installed("loo")
  narrow <- leapfrog_model(conjugate_program)$sample(conjugate_data, seed = 1)
  # The program's own log_lik is used, even if a different one would be derived.
  wide <- leapfrog_model(gsub("mu, 1)", "mu, 4)", sub("{ target += normal_lpdf(mu | 0, 2);", "{ mu ~ normal(0, 2);", conjugate_program, fixed = TRUE), fixed = TRUE))
  wide <- wide$sample(conjugate_data, seed = 1)
  found <- leapfrog_compare(narrow = narrow, wide = wide)
  expect_identical(rownames(found), c("wide", "narrow"))
  expected <- suppressWarnings(loo::loo_compare(list(narrow = narrow$loo(), wide = wide$loo())))
  expect_equal(found$elpd_diff, unname(expected[, "elpd_diff"]), tolerance = 1e-4)
  expect_equal(found$se_diff, unname(expected[, "se_diff"]), tolerance = 1e-4)
  expect_identical(is.nan(found$p_worse), c(TRUE, FALSE))
  expect_equal(c(sum(found$stacking), sum(found$pseudo_bma_plus)), c(1, 1))
  ambiguous <- leapfrog_model("
    data { int N; vector[N] y; }
    parameters { real mu; }
    model { mu ~ normal(0, 2); target += -0.5 * dot_self(y - mu); }
    generated quantities { vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, 1); }
  ")$sample(conjugate_data, seed = 1)
  expect_identical(rownames(suppressWarnings(ambiguous$loo())$pointwise), paste0("log_lik[", 1:5, "]"))
  expect_equal(rownames(leapfrog_compare(ambiguous = ambiguous, wide = wide))[[1]], "wide")
  expect_output(print(found), "elpd_diff.*There are 5 observations: below 100.*Pareto k is above")

  exact <- leapfrog_compare(narrow = narrow, wide = wide, exact = TRUE, iter_sampling = 500, seed = 2)
  expect_equal(exact["narrow", "elpd_loo"], sum(conjugate_elpd()), tolerance = 0.1)
})

test_that("fits of different observations are refused", {
  model <- leapfrog_model(conjugate_program)
  first <- model$sample(conjugate_data, seed = 1, iter_sampling = 100)
  other <- model$sample(utils::modifyList(conjugate_data, list(y = rev(conjugate_data$y))), seed = 1, iter_sampling = 100)
  expect_error(leapfrog_compare(a = first, b = other), "Number 1 of y is 0.3 in a, and 9 in b", class = "leapfrog_error")
  expect_error(leapfrog_compare(a = first), "at least two fits", class = "leapfrog_error")
  expect_error(leapfrog_compare(first, first), "a different name", class = "leapfrog_error")
  expect_error(leapfrog_compare(a = first, b = 1), "Only fits", class = "leapfrog_error")
  expect_error(leapfrog_compare(a = first, b = first, seed = 1), "require exact", class = "leapfrog_error")
})
