points <- rbind(rep(0.1, 10), seq(-1, 0.8, by = 0.2))

test_that("log densities are those of the program", {
  posterior <- schools_model()$on(schools)
  expect_equal(posterior$log_prob(points), apply(points, 1, schools_log_density), tolerance = 1e-13)
  expect_equal(posterior$log_prob(points[1, ], jacobian = FALSE), schools_log_density(points[1, ]) - 0.1, tolerance = 1e-13)
  expect_equal(diff(posterior$log_prob(points, propto = TRUE)), diff(apply(points, 1, schools_log_density)), tolerance = 1e-12)
  expect_identical(posterior$unconstrained_names[1:3], c("mu", "tau", "eta.1"))
  expect_error(posterior$log_prob(1:3), "10 unconstrained parameters, but 3")
})

test_that("derivatives agree with differences", {
  posterior <- schools_model()$on(schools)
  gradient <- posterior$grad_log_prob(points[1, ])
  step <- 1e-5
  shifted <- function(i, by) replace(points[1, ], i, points[1, i] + by)
  differences <- vapply(1:10, function(i) {
    (schools_log_density(shifted(i, step)) - schools_log_density(shifted(i, -step))) / (2 * step)
  }, 0)
  expect_equal(as.vector(gradient), differences, tolerance = 1e-7)
  expect_equal(attr(gradient, "log_prob"), schools_log_density(points[1, ]))
  expect_identical(posterior$grad_log_prob(points)[1, ], as.vector(gradient))
  hessian <- posterior$hessian(points[1, ])
  slopes <- vapply(1:10, function(i) {
    (posterior$grad_log_prob(shifted(i, step)) - posterior$grad_log_prob(shifted(i, -step))) / (2 * step)
  }, numeric(10))
  expect_equal(hessian$hessian, slopes, tolerance = 1e-6)
  expect_equal(hessian$grad_log_prob, as.vector(gradient))
})

test_that("threads do not change the log density", {
  rows <- 0:7999
  data <- list(N = 8000, x = sin(3 * rows), y = cos((rows * rows) %% 1000))
  model <- leapfrog_model("
    data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; }
    model { y ~ student_t(4, a + b * x, 1); x ~ student_t(5, a - b * y, 1); y ~ student_t(6, b * x, 1); }")
  point <- c(0.3, -0.2)
  whole <- model$on(data)$grad_log_prob(point)
  found <- lapply(1:3, function(threads) model$on(data, threads = threads)$grad_log_prob(point))
  expect_identical(found[[2]], found[[1]])
  expect_identical(found[[3]], found[[1]])
  # The order of the sum shows that the density was in slices.
  expect_false(identical(found[[1]], whole))
  expect_equal(found[[1]], whole, tolerance = 1e-10)
  expect_error(model$on(data, threads = 0), "threads")
})

test_that("constrain and unconstrain are inverse", {
  posterior <- schools_model()$on(schools)
  values <- posterior$constrain_variables(points[2, ])
  expect_equal(values$tau, exp(points[2, 2]))
  expect_equal(as.vector(values$theta), values$mu + values$tau * as.vector(values$eta))
  expect_equal(posterior$unconstrain_variables(values), points[2, ], tolerance = 1e-14)
  expect_error(posterior$unconstrain_variables(values["mu"]), "missing: tau, eta")
  expect_named(posterior$constrain_variables(points[2, ], transformed_parameters = FALSE, generated_quantities = FALSE), c("mu", "tau", "eta"))
  draws <- schools_fit()$unconstrain_draws()
  expect_equal(as.vector(draws[, , "tau"]), as.vector(log(schools_fit()$draws("tau"))), tolerance = 1e-12)
  expect_equal(posterior::variables(draws)[3], "eta[1]")
})

test_that("a point that the program rejects raises an error, and the next call works", {
  posterior <- leapfrog_model("parameters { real x; } model { if (x < 0) reject(\"negative: \", x); x ~ std_normal(); }")$on()
  expect_error(posterior$log_prob(-1), "negative: -1", class = "leapfrog_stan_error")
  expect_equal(posterior$log_prob(0), dnorm(0, log = TRUE))
})

test_that("a process that has died, or belongs to another process, is replaced", {
  posterior <- schools_model()$on(schools)
  posterior$close()
  expect_equal(posterior$log_prob(points[1, ]), schools_log_density(points[1, ]))
  skip_on_os("windows")
  values <- parallel::mclapply(1:2, function(i) posterior$log_prob(points[i, ]), mc.cores = 2)
  expect_equal(unlist(values), apply(points, 1, schools_log_density))
  expect_equal(posterior$log_prob(points[2, ]), schools_log_density(points[2, ]))
})

test_that("functions of the program are called", {
  functions <- schools_model()$functions
  expect_identical(functions$shift(1, 2.5), 3.5)
  expect_identical(functions$both(matrix(1:6, 2), matrix(1:4, 2)), list(21, c(1L, 3L, 2L, 4L)))
  expect_identical(functions$turned(2 + 1i), -1 + 2i)
  set.seed(1)
  first <- functions$noise_rng(3)
  set.seed(1)
  expect_identical(functions$noise_rng(3), first)
  expect_identical(functions$noise_rng(3, seed = 4), functions$noise_rng(3, seed = 4))
  expect_error(functions$positive(-1), "x must be positive, but is -1", class = "leapfrog_stan_error")
  expect_error(functions$positiv(1), "Did you mean positive")
  expect_identical(schools_model()$function_names(), c("shift", "both", "turned", "noise_rng", "positive"))
})

test_that("moment matching and bridge sampling come near the exact values", {
  skip_if_not_installed("loo")
  fit <- leapfrog_model(conjugate_program)$sample(conjugate_data, seed = 1)
  plain <- suppressWarnings(loo::loo(fit))
  matched <- suppressWarnings(loo::loo(fit, moment_match = TRUE))
  # The last observation is far from the others.
  expect_gt(plain$diagnostics$pareto_k[[5]], 0.7)
  expect_lt(matched$diagnostics$pareto_k[[5]], 0.7)
  expect_lt(max(abs(matched$pointwise[, "elpd_loo"] - conjugate_elpd())), 0.15)
  skip_if_not_installed("bridgesampling")
  evidence <- bridgesampling::bridge_sampler(fit, silent = TRUE)
  expect_lt(abs(evidence$logml - conjugate_evidence()), 0.02)
})
