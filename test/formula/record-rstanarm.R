# Records the log densities of rstanarm's programs for the models of rstanarm.json: Rscript record-rstanarm.R rstanarm.json
#
# The priors are ours, except those of the intercept, whose predictors have means that our programs round, and of phi, which are
# flat. Points have the values of our parameters. Each case has the difference of the log densities of its two points,
# without Jacobians. The package contains the compiled programs.
suppressPackageStartupMessages(library(rstanarm))
pupils <- read.csv("pupils.csv", stringsAsFactors = TRUE)
pupils$room <- factor(pupils$room)
pupils$passed <- as.integer(pupils$passed == "yes")
male <- as.integer(pupils$sex == "m")
y <- sd(pupils$score)
slopes <- function(columns, scale = y) normal(0, signif(2.5 * scale / apply(columns, 2, sd), 2), autoscale = FALSE)
# The means that our programs subtract, minus those that rstanarm subtracts.
shifts <- function(columns) {
  apply(columns, 2, function(x) {
    step <- 10^(floor(log10(sd(x))) - 3)
    step * round(mean(x) / step) - mean(x)
  })
}

# `columns` are those of the design matrix in the order of `coefficients`.
cases <- list(
  list(
    family = "normal", formula = "score ~ hours", columns = cbind(pupils$hours), coefficients = "b_hours",
    points = list(list(alpha = 58, b_hours = 3, sigma = 4), list(alpha = 61, b_hours = 5, sigma = 2.5))
  ),
  list(
    family = "normal", formula = "score ~ hours*sex", columns = cbind(pupils$hours, male, pupils$hours * male),
    coefficients = c("b_hours", "b_sex_m", "b_hours_sex_m"),
    points = list(
      list(alpha = 58, b_hours = 3, b_sex_m = 1, b_hours_sex_m = 0.5, sigma = 4),
      list(alpha = 61, b_hours = 5, b_sex_m = -2, b_hours_sex_m = -0.5, sigma = 2.5)
    )
  ),
  list(
    family = "bernoulli", formula = "passed ~ hours + sex", columns = cbind(pupils$hours, male),
    coefficients = c("b_hours", "b_sex_m"),
    points = list(list(alpha = 0.2, b_hours = 1, b_sex_m = 0.5), list(alpha = -0.5, b_hours = 2, b_sex_m = -1))
  ),
  list(
    family = "poisson", formula = "fails ~ hours + sex", columns = cbind(pupils$hours, male),
    coefficients = c("b_hours", "b_sex_m"),
    points = list(list(alpha = 0.5, b_hours = -1, b_sex_m = 0.5), list(alpha = 1, b_hours = -0.5, b_sex_m = -1))
  ),
  list(
    family = "negbinomial", formula = "fails ~ factor(room)",
    columns = cbind(pupils$room == "2", pupils$room == "3") + 0, coefficients = c("b_room_2", "b_room_3"),
    points = list(
      list(alpha = 0.5, b_room_2 = -1, b_room_3 = 0.5, phi = 2),
      list(alpha = 1, b_room_2 = 0.5, b_room_3 = 1, phi = 0.7)
    )
  )
)
families <- list(normal = gaussian(), bernoulli = binomial(), poisson = poisson(), negbinomial = neg_binomial_2())

recorded <- lapply(cases, function(case) {
  isNormal <- case$family == "normal"
  priors <- slopes(case$columns, if (isNormal) y else 1)
  rate <- if (isNormal) signif(1 / y, 2) else 1
  fit <- suppressWarnings(stan_glm(
    as.formula(case$formula), data = pupils, family = families[[case$family]], prior = priors, prior_intercept = NULL,
    prior_aux = if (isNormal) exponential(rate, autoscale = FALSE), chains = 1, iter = 20, refresh = 0
  ))$stanfit
  densities <- sapply(case$points, function(point) {
    b <- unlist(point[case$coefficients])
    auxiliary <- c(point$sigma, point$phi)
    position <- c(point$alpha - sum(b * shifts(case$columns)), b / priors$scale, log(rate * auxiliary))
    values <- rstan::constrain_pars(fit, position)
    stopifnot(all.equal(as.vector(values$beta), unname(b)), length(auxiliary) == 0 || all.equal(as.vector(values$aux), auxiliary))
    rstan::log_prob(fit, position, adjust_transform = FALSE)
  })
  list(family = case$family, formula = case$formula, points = case$points, difference = densities[2] - densities[1])
})
source <- paste0("rstanarm ", packageVersion("rstanarm"), ", rstan ", packageVersion("rstan"), ", ", R.version.string, ".")
writeLines(
  jsonlite::toJSON(list(source = source, flat = c("alpha", "phi"), cases = recorded), digits = NA, auto_unbox = TRUE),
  commandArgs(trailingOnly = TRUE)[1]
)
