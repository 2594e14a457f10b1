# Runs requests of the tests through the package: a line of JSON for each on standard input, an answer for each on standard output.
suppressPackageStartupMessages(library(leapfrog))

new_names <- c(
  num_chains = "chains", num_warmup = "iter_warmup", num_samples = "iter_sampling", num_thin = "thin", random_seed = "seed",
  max_depth = "max_treedepth", "continue" = "continue_from"
)
state <- new.env()
state$models <- list()
state$fits <- list()
state$last_lines <- list()

# Keeps the last line of each chain's log.
utils::assignInNamespace("show_event", function() {
  function(event) if (event$kind == "log") state$last_lines[[as.character(event$chain)]] <- event$text
}, "leapfrog")

renamed <- function(request) {
  names <- names(request)
  is_known <- names %in% names(new_names)
  names[is_known] <- new_names[names[is_known]]
  stats::setNames(request, names)
}

model_of <- function(program) {
  if (is.null(state$models[[program]])) state$models[[program]] <- leapfrog_model(program)
  state$models[[program]]
}

answer_of <- function(request) {
  if (!is.null(request$matches)) return(list(observations = matched(state$fits[[request$matches]]$loo(moment_match = TRUE))))
  if (!is.null(request$exact)) {
    fit <- state$fits[[request$exact]]
    request$exact <- NULL
    return(list(observations = matched(do.call(fit$loo, c(list(exact = TRUE), renamed(request))))))
  }
  if (!is.null(request$compares)) return(list(compared = compared(request$compares)))
  model <- model_of(request$program)
  if (!is.null(request$method)) return(statistics(model, request))
  asked <- names(request)[names(request) %in% c("calibrates", "refits", "profiles", "gradients")]
  fields <- request[!names(request) %in% c("program", asked)]
  if (length(asked) == 0) return(sample_of(model, fields))
  switch(asked,
    calibrates = list(calibration = calibration(model, fields)),
    refits = list(refits = refits(model, fields)),
    profiles = list(statements = statements(model, fields)),
    gradients = gradient(model, fields)
  )
}

# Summaries and cross-validation are those of the packages posterior and loo.
statistics <- function(model, request) {
  fit <- do.call(model[[request$method]], renamed(request[!names(request) %in% c("program", "method")]))
  state$fits[[length(state$fits) + 1]] <- fit
  found <- fit$diagnose()
  lines <- paste0(ifelse(found$ok, "ok     ", "problem"), "  ", found$message)
  list(fit = length(state$fits), statistics = list(diagnosis = I(if (nrow(found) > 0) lines else character())))
}

gradient <- function(model, fields) {
  point <- fields$point
  posterior <- do.call(model$on, fields[names(fields) != "point"])
  found <- posterior$grad_log_prob(point, propto = TRUE)
  value <- attr(found, "log_prob")
  stopifnot(identical(posterior$log_prob(point, propto = TRUE), value))
  posterior$close()
  list(logDensity = value, gradient = I(as.vector(found)))
}

refits <- function(model, fields) {
  found <- do.call(model$kfold, renamed(fields))
  columns <- Map(function(name, fold, elpd) list(name = name, fold = fold, elpd = elpd), found$names, found$folds, found$pointwise[, "elpd_kfold"])
  list(message = found$message, observations = unname(columns))
}

matched <- function(loo) {
  observation <- function(name, elpd, k) list(name = name, elpd = elpd, paretoK = k)
  unname(Map(observation, loo$names, loo$pointwise[, "elpd_loo"], loo$pointwise[, "influence_pareto_k"]))
}

compared <- function(named) {
  found <- do.call(leapfrog_compare, lapply(named, function(index) state$fits[[index]]))
  unname(Map(
    function(name, elpd, difference, error, stacking, pseudo) {
      list(name = name, elpd = elpd, difference = difference, standardError = error, stacking = stacking, pseudoBmaPlus = pseudo)
    },
    rownames(found), found$elpd_loo, found$elpd_diff, found$se_diff, found$stacking, found$pseudo_bma_plus
  ))
}

statements <- function(model, fields) {
  rows <- do.call(model$profile, fields)$statements
  lapply(seq_len(nrow(rows)), function(row) {
    cost <- rows$cost[[row]]
    found <- as.list(rows[row, c("line", "executions", "share")])
    c(found, list(cost = if (!is.na(cost)) cost))
  })
}

calibration <- function(model, fields) {
  found <- do.call(model$sbc, renamed(fields))
  ranks <- lapply(colnames(found$ranks), function(name) found$ranks[, name])
  list(
    ok = found$ok, message = found$message, ranks = stats::setNames(ranks, colnames(found$ranks)), probabilities = as.list(found$probabilities)
  )
}

sample_of <- function(model, fields) {
  for (name in c("continue", "warm_start")) if (!is.null(fields[[name]])) fields[[name]] <- state$fits[[fields[[name]]]]
  state$last_lines <- list()
  method <- if (isTRUE(fields$prior)) model$prior else model$sample
  fields$prior <- NULL
  fit <- do.call(method, c(renamed(fields), list(show_progress = TRUE)))
  state$fits[[length(state$fits) + 1]] <- fit
  draws <- unclass(fit$draws())
  own <- unclass(fit$sampler_diagnostics())
  # Draws begin with the log density, which what the sampler reports follows.
  names <- c(dimnames(draws)[[3]][[1]], dimnames(own)[[3]], dimnames(draws)[[3]][-1])
  chains <- lapply(seq_len(dim(draws)[[2]]), function(chain) {
    rows <- lapply(seq_len(dim(draws)[[1]]), function(row) c(draws[row, chain, 1], own[row, chain, ], draws[row, chain, -1]))
    list(id = chain, draws = rows, lastLine = state$last_lines[[as.character(chain)]])
  })
  columns <- gsub(",", ".", gsub("[", ".", sub("]", "", names, fixed = TRUE), fixed = TRUE), fixed = TRUE)
  list(fit = length(state$fits), columns = columns, chains = chains)
}

input <- file("stdin", open = "r")
while (length(line <- readLines(input, 1)) > 0) {
  answer <- tryCatch(answer_of(jsonlite::fromJSON(line)), leapfrog_error = function(error) list(refusal = conditionMessage(error)))
  cat(leapfrog:::json_text(answer), "\n", sep = "")
}
