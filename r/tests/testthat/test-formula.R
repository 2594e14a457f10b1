pupils <- data.frame(
  score = c(52.5, 61.25, 57.5, 48, 66, 59.5, 71, 64.5),
  hours = c(1.5, 3, NA, 0.5, 4, 2, 5, 3.5),
  school = c("Aue", "Aue", "Aue", "Bern", "Bern", "Chur", "Chur", "Chur"),
  passed = c(FALSE, TRUE, TRUE, FALSE, TRUE, FALSE, TRUE, TRUE)
)

test_that("a formula becomes a program with its data", {
  made <- leapfrog_model_from_formula(score ~ hours + (1 | school), pupils)
  expect_match(made$program, "^// score ~ hours \\+ \\(1 \\| school\\)\n// Linear regression\\.\n")
  expect_identical(made$omitted, 1L)
  expect_identical(made$labels, list(school = c("Aue", "Bern", "Chur")))
  expect_equal(made$data$hours, c(1.5, 3, 0.5, 4, 2, 5, 3.5))
  expect_equal(made$data$school, c(1, 1, 2, 2, 3, 3, 3))
  fit <- leapfrog_model(made$program)$sample(made$data, algorithm = "recommended", iter_sampling = 300, seed = 1, chains = 2)
  expect_gt(mean(fit$draws("b_hours")), 2)
})

test_that("missing numbers are parameters on request", {
  made <- leapfrog_model_from_formula(score ~ hours + (1 | school), pupils, missing = "parameters")
  expect_identical(made$omitted, 0L)
  expect_length(made$data$hours_mis_rows, 1)
  fit <- leapfrog_model(made$program)$sample(made$data, algorithm = "recommended", iter_sampling = 300, seed = 1, chains = 2)
  expect_gt(mean(fit$draws("hours_mis")), 0)
})

test_that("factors keep the order of their levels, and tables are read from files", {
  pupils$school <- factor(pupils$school, levels = c("Chur", "Davos", "Bern", "Aue"))
  made <- leapfrog_model_from_formula("passed ~ school", pupils, family = "bernoulli")
  expect_identical(names(made$data), c("N", "passed", "school_Bern", "school_Aue"))
  expect_equal(made$data$passed, as.integer(pupils$passed))
  file <- tempfile(fileext = ".csv")
  write.csv(pupils, file, row.names = FALSE)
  expect_equal(leapfrog_model_from_formula(score ~ hours, file)$data$score, pupils$score[-3])
})

test_that("an error underlines the part of the formula", {
  expect_error(leapfrog_model_from_formula(score ~ hors, pupils), "no column \"hors\". Did you mean \"hours\"\\?\n  score ~ hors\n          \\^{4}$")
})
