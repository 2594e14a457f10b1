test_that("fits can be saved and read, and work in any process", {
  fit <- schools_fit()
  summary <- fit$summary()
  # Some Pareto k are high.
  loo_of_fit <- function(fit) suppressWarnings(fit$loo())$estimates
  loo <- loo_of_fit(fit)
  rds <- tempfile(fileext = ".rds")
  arrow <- tempfile(fileext = ".arrow")
  fit$save_object(rds)
  fit$save(arrow)
  check <- function(again) {
    expect_equal(again$summary(), summary)
    expect_equal(loo_of_fit(again), loo)
    expect_equal(again$diagnose(), fit$diagnose())
    expect_equal(again$csv(1), fit$csv(1))
    expect_equal(again$step_size(), fit$step_size())
    expect_equal(again$predict(seed = 1)$draws(), fit$predict(seed = 1)$draws())
    expect_equal(again$log_prob(rep(0, 10)), fit$log_prob(rep(0, 10)))
  }
  check(readRDS(rds))
  check(leapfrog_load(arrow))
  leapfrog_close()
  check(readRDS(rds))
  check(leapfrog_load(arrow))
})

test_that("a fit is read in another R session, where its methods run the program", {
  fit <- schools_fit()
  file <- tempfile(fileext = ".rds")
  fit$save_object(file)
  script <- tempfile(fileext = ".R")
  writeLines(c(
    "library(leapfrog)",
    "fit <- readRDS(commandArgs(trailingOnly = TRUE))",
    "values <- c(mean(fit$draws('mu')), suppressWarnings(fit$loo())$estimates['elpd_loo', 'Estimate'], fit$log_prob(rep(0, 10)))",
    "cat(format(values, digits = 15), sep = '\\n')"
  ), script)
  printed <- system2(file.path(R.home("bin"), "Rscript"), c(script, file), stdout = TRUE)
  values <- c(mean(fit$draws("mu")), suppressWarnings(fit$loo())$estimates["elpd_loo", "Estimate"], fit$log_prob(rep(0, 10)))
  expect_equal(as.numeric(printed), values)
})

test_that("fits are read from CSV files", {
  fit <- schools_fit()
  folder <- tempfile("csv")
  dir.create(folder)
  files <- fit$save_output_files(folder, timestamp = FALSE, random = FALSE, basename = "schools")
  expect_equal(basename(files), paste0("schools-", seq_along(files), ".csv"))
  for (given in list(files, folder)) {
    again <- leapfrog_from_csv(given)
    expect_equal(again$draws("mu"), fit$draws("mu"))
    expect_equal(suppressWarnings(again$loo())$estimates, suppressWarnings(fit$loo())$estimates)
  }
  expect_error(again$predict(), "model of this fit is not known")
  expect_error(leapfrog_load(files[[1]]), "is not a saved fit")
})
