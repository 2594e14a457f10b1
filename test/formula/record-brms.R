# Records the log densities of brms's programs for the models of brms.json, evaluated by real Stan:
#   Rscript record-brms.R ORACLE brms.json
# ORACLE is a program with commands of this form: `run MODEL.stan eval --data D --points P` prints densities,
# and `run MODEL.stan unconstrain --data D --params C` prints a point.
#
# The programs have the priors of ours, except that of the intercept or the cutpoints, which is flat: our means of predictors are rounded.
# Points have the values of our parameters. Each case has the difference of the log densities
# of its two points, without Jacobians, with our group effects as variables.
suppressPackageStartupMessages(library(brms))
oracle <- commandArgs(trailingOnly = TRUE)[1]
output <- commandArgs(trailingOnly = TRUE)[2]
folder <- tempfile("brms")
dir.create(folder)

pupils <- read.csv("pupils.csv", stringsAsFactors = TRUE)
pupils$room <- factor(pupils$room)
pupils$grade <- factor(pupils$grade, levels = c("low", "mid", "high"), ordered = TRUE)
pupils$passed <- as.integer(pupils$passed == "yes")
pupils$male <- as.integer(pupils$sex == "m")
pupils$second <- as.integer(pupils$room == "2")
pupils$third <- as.integer(pupils$room == "3")
y <- sd(pupils$score)
two <- function(value) format(signif(value, 2))
slope <- function(coefficient, x, scale = y) {
  set_prior(sprintf("normal(0, %s)", two(2.5 * scale / sd(x))), class = "b", coef = coefficient)
}
exponential <- function(class, rate, ...) set_prior(sprintf("exponential(%s)", two(rate)), class = class, ...)
spread <- function(group, coefficient, rate) exponential("sd", rate, group = group, coef = coefficient)
flat <- set_prior("", class = "Intercept")
few <- c(-1, 0.5, 2, 0.25)
other <- c(0.3, -2, 1, 0.7)
lower <- function(correlation) matrix(c(1, correlation, 0, sqrt(1 - correlation^2)), 2)

# `coefficients` are ours in the order of the columns of brms's X, `columns` the columns themselves. `groups` have the names of
# standard deviations and effects, for each ID of brms; L is the name of a Cholesky factor.
cases <- list(
  list(
    family = "normal", formula = "score ~ hours", prior = exponential("sigma", 1 / y) + slope("hours", pupils$hours),
    coefficients = "b_hours", columns = cbind(pupils$hours),
    points = list(list(alpha = 58, b_hours = 3, sigma = 4), list(alpha = 61, b_hours = 5, sigma = 2.5))
  ),
  list(
    family = "normal", formula = "score ~ hours*sex + (1 | school)",
    prior = exponential("sigma", 1 / y) + slope("hours", pupils$hours) + slope("sexm", pupils$male) +
      slope("hours:sexm", pupils$hours * pupils$male) + spread("school", "Intercept", 1 / y),
    coefficients = c("b_hours", "b_sex_m", "b_hours_sex_m"), columns = with(pupils, cbind(hours, male, hours * male)),
    groups = list(c(sd = "sd_school", r = "r_school")),
    points = list(
      list(alpha = 58, b_hours = 3, b_sex_m = 1, b_hours_sex_m = 0.5, sd_school = 2, r_school = few, sigma = 4),
      list(alpha = 61, b_hours = 5, b_sex_m = -2, b_hours_sex_m = -0.5, sd_school = 1, r_school = other, sigma = 2.5)
    )
  ),
  list(
    family = "normal", formula = "score ~ hours + (1 + hours | school)",
    prior = exponential("sigma", 1 / y) + slope("hours", pupils$hours) + spread("school", "Intercept", 1 / y) +
      spread("school", "hours", sd(pupils$hours) / y),
    coefficients = "b_hours", columns = cbind(pupils$hours),
    groups = list(c(sd = "sd_school", r = "r_school", L = "L_school")),
    points = list(
      list(alpha = 58, b_hours = 3, sd_school = c(2, 1), L_school = lower(0.6), r_school = cbind(few, other), sigma = 4),
      list(alpha = 61, b_hours = 5, sd_school = c(1, 3), L_school = lower(-0.8), r_school = cbind(other, few), sigma = 2.5)
    )
  ),
  list(
    family = "normal", formula = "score ~ 0 + sex",
    prior = exponential("sigma", 1 / y) + set_prior(sprintf("normal(%d, %s)", round(mean(pupils$score)), two(2.5 * y)), class = "b"),
    coefficients = c("b_sex_f", "b_sex_m"), columns = NULL,
    points = list(list(b_sex_f = 57, b_sex_m = 60, sigma = 4), list(b_sex_f = 59, b_sex_m = 55, sigma = 3))
  ),
  list(
    family = "normal", formula = "score ~ (1 | school) + (1 | room)",
    prior = exponential("sigma", 1 / y) + spread("school", "Intercept", 1 / y) + spread("room", "Intercept", 1 / y),
    groups = list(c(sd = "sd_room", r = "r_room"), c(sd = "sd_school", r = "r_school")),
    points = list(
      list(alpha = 58, sd_school = 2, r_school = few, sd_room = 1, r_room = c(1, -1, 0.5), sigma = 4),
      list(alpha = 61, sd_school = 3, r_school = other, sd_room = 2, r_room = c(0.2, 2, -0.5), sigma = 5)
    )
  ),
  list(
    family = "student", formula = "score ~ hours + sex",
    prior = exponential("sigma", 1 / y) + slope("hours", pupils$hours) + slope("sexm", pupils$male) +
      set_prior("gamma(2, 0.1)", class = "nu"),
    coefficients = c("b_hours", "b_sex_m"), columns = with(pupils, cbind(hours, male)),
    points = list(
      list(alpha = 58, b_hours = 3, b_sex_m = 1, nu = 3, sigma = 4),
      list(alpha = 61, b_hours = 5, b_sex_m = -2, nu = 20, sigma = 2.5)
    )
  ),
  list(
    family = "bernoulli", formula = "passed ~ hours", prior = slope("hours", pupils$hours, 1),
    coefficients = "b_hours", columns = cbind(pupils$hours),
    points = list(list(alpha = 0.2, b_hours = 1), list(alpha = -0.5, b_hours = 2))
  ),
  list(
    family = "bernoulli", formula = "passed ~ sex + (0 + hours | school)",
    prior = slope("sexm", pupils$male, 1) + spread("school", "hours", sd(pupils$hours)),
    coefficients = "b_sex_m", columns = cbind(pupils$male), groups = list(c(sd = "sd_school_hours", r = "r_school_hours")),
    points = list(
      list(alpha = 0.2, b_sex_m = 1, sd_school_hours = 2, r_school_hours = few),
      list(alpha = -0.5, b_sex_m = 2, sd_school_hours = 1, r_school_hours = other)
    )
  ),
  list(
    family = "cumulative", formula = "grade ~ hours + (1 | room)",
    prior = slope("hours", pupils$hours, 1) + spread("room", "Intercept", 1),
    coefficients = "b_hours", columns = cbind(pupils$hours), groups = list(c(sd = "sd_room", r = "r_room")),
    points = list(
      list(cutpoints = c(-1, 1), b_hours = 1, sd_room = 1, r_room = c(1, -1, 0.5)),
      list(cutpoints = c(-2, 0.5), b_hours = 2, sd_room = 2, r_room = c(0.2, 2, -0.5))
    )
  ),
  list(
    family = "poisson", formula = "fails ~ 1", prior = NULL, points = list(list(alpha = 0.5), list(alpha = 1.5))
  ),
  list(
    family = "poisson", formula = "fails ~ hours + (1 + hours || school)",
    prior = slope("hours", pupils$hours, 1) + spread("school", "Intercept", 1) + spread("school", "hours", sd(pupils$hours)),
    coefficients = "b_hours", columns = cbind(pupils$hours),
    groups = list(c(sd = "sd_school", r = "r_school", sd2 = "sd_school_hours", r2 = "r_school_hours")),
    points = list(
      list(alpha = 0.5, b_hours = -1, sd_school = 1, r_school = few, sd_school_hours = 0.5, r_school_hours = other),
      list(alpha = 1, b_hours = -0.5, sd_school = 2, r_school = other, sd_school_hours = 1, r_school_hours = few)
    )
  ),
  list(
    family = "negbinomial", formula = "fails ~ factor(room)",
    prior = slope("factorroom2", pupils$second, 1) + slope("factorroom3", pupils$third, 1) +
      set_prior("inv_gamma(0.4, 0.3)", class = "shape"),
    coefficients = c("b_room_2", "b_room_3"), columns = with(pupils, cbind(second, third)),
    points = list(
      list(alpha = 0.5, b_room_2 = -1, b_room_3 = 0.5, phi = 2),
      list(alpha = 1, b_room_2 = 0.5, b_room_3 = 1, phi = 0.7)
    )
  ),
  list(
    family = "poisson", formula = "fails ~ sex + offset(log(hours))", prior = slope("sexm", pupils$male, 1),
    coefficients = "b_sex_m", columns = cbind(pupils$male),
    points = list(list(alpha = 0.5, b_sex_m = -1), list(alpha = -0.5, b_sex_m = 0.5))
  ),
  list(
    family = "normal", formula = "score ~ hours + (1 | school/sex)",
    prior = exponential("sigma", 1 / y) + slope("hours", pupils$hours) + spread("school", "Intercept", 1 / y) +
      spread("school:sex", "Intercept", 1 / y),
    coefficients = "b_hours", columns = cbind(pupils$hours),
    groups = list(c(sd = "sd_school", r = "r_school"), c(sd = "sd_school_sex", r = "r_school_sex")),
    points = list(
      list(alpha = 58, b_hours = 3, sd_school = 2, r_school = few, sd_school_sex = 1, r_school_sex = c(few, other), sigma = 4),
      list(alpha = 61, b_hours = 5, sd_school = 3, r_school = other, sd_school_sex = 2, r_school_sex = c(other, few), sigma = 5)
    )
  )
)

families <- list(
  normal = gaussian(), student = student(), bernoulli = bernoulli(), cumulative = cumulative(), poisson = poisson(),
  negbinomial = negbinomial()
)

# The means that our programs subtract, minus those that brms subtracts.
shifts <- function(columns) {
  apply(columns, 2, function(x) {
    step <- 10^(floor(log10(sd(x))) - 3)
    step * round(mean(x) / step) - mean(x)
  })
}

# The parameters of brms's program, and the log determinant of its group effects as a function of the standardized ones.
translated <- function(case, point) {
  b <- unlist(point[case$coefficients])
  shift <- if (is.null(case$columns)) 0 else sum(b * shifts(case$columns))
  parameters <- list(
    b = if (length(b)) as.array(unname(b)), sigma = point$sigma, nu = point$nu, shape = point$phi,
    Intercept = if (is.null(point$cutpoints)) point$alpha - shift else point$cutpoints + shift
  )
  scaling <- 0
  for (id in seq_along(case$groups)) {
    group <- case$groups[[id]]
    if ("L" %in% names(group)) {
      factor <- diag(point[[group[["sd"]]]]) %*% point[[group[["L"]]]]
      effects <- point[[group[["r"]]]]
      parameters[[paste0("L_", id)]] <- point[[group[["L"]]]]
      parameters[[paste0("sd_", id)]] <- as.array(point[[group[["sd"]]]])
      parameters[[paste0("z_", id)]] <- solve(factor, t(effects))
      scaling <- scaling + nrow(effects) * sum(log(diag(factor)))
    } else {
      deviations <- unlist(point[group[startsWith(names(group), "sd")]])
      effects <- do.call(rbind, point[group[startsWith(names(group), "r")]])
      parameters[[paste0("sd_", id)]] <- as.array(unname(deviations))
      parameters[[paste0("z_", id)]] <- unname(effects / deviations)
      scaling <- scaling + ncol(effects) * sum(log(deviations))
    }
  }
  list(parameters = Filter(length, parameters), scaling = scaling)
}

json <- function(value, path) {
  writeLines(jsonlite::toJSON(value, digits = NA, auto_unbox = TRUE), path)
  path
}
stan <- function(model, mode, data, ...) {
  printed <- system2(oracle, c("run", model, mode, "--data", data, ...), stdout = TRUE)
  jsonlite::fromJSON(paste(printed, collapse = "\n"), simplifyVector = FALSE)
}

recorded <- lapply(seq_along(cases), function(place) {
  case <- cases[[place]]
  priors <- if (case$formula == "score ~ 0 + sex") case$prior else if (is.null(case$prior)) flat else flat + case$prior
  given <- list(formula = as.formula(case$formula), data = pupils, family = families[[case$family]], prior = priors)
  # Stan 2.33 removed the notation of arrays that this version of brms writes.
  program <- gsub("int[]", "array[] int", do.call(make_stancode, given), fixed = TRUE)
  program <- gsub("(?m)^( *)(int|vector\\[\\w+\\])(<[^>]*>)? (\\w+)\\[(\\w+)\\];", "\\1array[\\5] \\2\\3 \\4;", program, perl = TRUE)
  model <- file.path(folder, paste0("model", place, ".stan"))
  writeLines(program, model)
  data <- json(unclass(do.call(make_standata, given)), file.path(folder, "data.json"))
  made <- lapply(case$points, function(point) translated(case, point))
  points <- lapply(made, function(each) {
    as.list(unlist(stan(model, "unconstrain", data, "--params", json(each$parameters, file.path(folder, "values.json")))))
  })
  densities <- stan(model, "eval", data, "--points", json(points, file.path(folder, "points.json")))
  values <- mapply(function(density, each) density$nojac$lp - each$scaling, densities, made)
  list(family = case$family, formula = case$formula, points = lapply(case$points, lapply, unname), difference = values[2] - values[1])
})
source <- paste0("brms ", packageVersion("brms"), ", ", R.version.string, ", evaluated by Stan 2.39 (Stan Math 5.4).")
json(list(source = source, flat = c("alpha", "cutpoints"), cases = recorded), output)
