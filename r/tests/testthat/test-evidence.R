binomial_program <- "data { int n; int y; } parameters { real<lower=0, upper=1> p; } model { p ~ PRIOR; y ~ binomial(n, p); }"
binomial_fit <- function(prior) {
  leapfrog_model(sub("PRIOR", prior, binomial_program))$sample(list(n = 12, y = 9), seed = 1)
}

test_that("log evidences and Bayes factors are near the exact values", {
  uniform <- binomial_fit("beta(1, 1)")
  narrow <- binomial_fit("beta(2, 20)")
  found <- uniform$log_evidence(seed = 2)
  expect_lt(abs(found$log_evidence + log(13)), 5 * found$se)
  expect_true(found$ok)
  exact <- lchoose(12, 9) + lbeta(11, 23) - lbeta(2, 20)
  compared <- leapfrog_evidence(narrow = narrow, uniform = uniform)
  expect_identical(rownames(compared), c("uniform", "narrow"))
  expect_lt(abs(compared["narrow", "log_bayes_factor"] - (exact + log(13))), 5 * compared["narrow", "se_diff"])
  expect_equal(sum(compared$posterior), 1)
  expect_equal(leapfrog_evidence(narrow = narrow, uniform = uniform, prior = c(3, 1))["narrow", "prior"], 0.75)
  expect_error(leapfrog_evidence(uniform = uniform), "at least two fits")
})

test_that("a prior that does not integrate to 1 causes a warning", {
  fit <- leapfrog_model("parameters { real<lower=0> a; } model { a ~ normal(0, 1); }")$sample(seed = 1)
  expect_warning(found <- fit$log_evidence(), "mass outside of the declared bounds")
  expect_lt(abs(found$log_evidence + log(2)), 5 * found$se + 1e-3)
})
