# What a run returns: draws, their statistics, and conversions.

#' Draws of a run
#'
#' What `model$sample(data)` and the other methods return. Methods have the names of cmdstanr's fits.
#'
#' @section Methods:
#' \describe{
#'   \item{`$draws(variables = NULL, inc_warmup = FALSE, format = "draws_array")`}{Draws in a format of posterior. Also
#'     `posterior::as_draws(fit)` and related functions.}
#'   \item{`$summary(variables = NULL, ...)`}{[posterior::summarise_draws()] of the draws.}
#'   \item{`$sampler_diagnostics()`}{Divergences, tree depths and others, as draws.}
#'   \item{`$diagnose()`}{A data frame with one row per check of the draws: whether it passes, and what to do if it does not.}
#'   \item{`$loo(variables = "log_lik", moment_match = FALSE, ...)`}{Leave-one-out cross-validation by the package loo; `loo::loo(fit)` is
#'     the same. If the draws have no `log_lik`, it is derived from the program, and the engine then matches moments.}
#'   \item{`$log_evidence(seed = 1)`}{The log evidence (marginal likelihood) by bridge sampling in the engine; see [leapfrog_evidence()].}
#'   \item{`$loo(exact = TRUE, moment_match = FALSE, iter_warmup, iter_sampling, seed)`}{The same with exact estimates of the observations
#'     whose Pareto k is too high, after moment matching if it is requested: the program is fitted again without each of them. The log
#'     likelihood is derived from the program.}
#'   \item{`$log_likelihood()`, `$predict(seed)`}{The methods of the model for these draws and the data of the run.}
#'   \item{`$log_prob()`, `$grad_log_prob()`, `$hessian()`, `$constrain_variables()`, `$unconstrain_variables()`, `$unconstrain_draws()`}{The
#'     methods of [LeapfrogPosterior]. Without arguments, `$unconstrain_draws()` takes the draws of the fit.}
#'   \item{`$mle()`}{The mode of an optimizer, as a named vector.}
#'   \item{`$step_size()`, `$inv_metric()`}{The step size and the inverse metric of each chain of a sampler.}
#'   \item{`$csv(chain)`, `$save_csv(folder, basename)`}{A chain as CmdStan's CSV file, or all of them as files, whose paths are returned.}
#'   \item{`$save(path)`}{Saves the fit with its program, data and warmup state in an Arrow file, which [leapfrog_load()], Python, the command
#'     line and the workbench open.}
#'   \item{`$save_object(file, ...)`}{[saveRDS()] of the fit. It can be used after [readRDS()], in the same session and in others.}
#'   \item{`$save_output_files(dir = ".", basename = NULL, timestamp = TRUE, random = TRUE)`}{Writes CmdStan's CSV files, with cmdstanr's names,
#'     and returns their paths.}
#'   \item{`$diagnostic_summary(diagnostics = c("divergences", "treedepth", "ebfmi"), quiet = FALSE)`}{Divergences, transitions at the maximum
#'     tree depth, and E-BFMI of each chain, as in cmdstanr.}
#'   \item{`$cmdstan_diagnose()`}{Prints the findings of `$diagnose()` and returns them invisibly.}
#'   \item{`$lp()`, `$return_codes()`, `$metadata()`}{The log density of each draw, a code per chain (0, or `NA` after an interrupt), and a list
#'     with the function, its arguments and the names and sizes of variables.}
#'   \item{`$time()`, `$output(id)`}{Seconds of each chain, and the lines about the adaptation and times of a chain. Output of `print` is not kept.
#'     `$time()$total` is `NA`.}
#'   \item{`$posterior()`}{The model on the data of the fit, a [LeapfrogPosterior].}
#' }
#' The engine computes the estimates of `$loo()` with derived log likelihoods and moment matching or refits. Their result has more
#' components than that of loo: `names` (observations, such as `y[3]`), `ok` (whether all estimates are reliable) and `message` (the
#' verdict).
#'
#' `is_complete` is `FALSE` if the run was interrupted. `bridgesampling::bridge_sampler(fit)` estimates the marginal likelihood.
#'
#' @name LeapfrogFit
#' @seealso [leapfrog_model()]
NULL

Fit <- R6Class("LeapfrogFit",
  cloneable = FALSE,
  public = list(
    is_complete = NULL,
    algorithm = NULL,
    arguments = NULL,
    seed = NULL,
    stopped = NULL,

    # The model is NULL if it is not known. `source` is the program of a fit from a file, which is compiled when it is first required.
    initialize = function(engine, header, model, data, source = NULL) {
      private$engine <- engine
      private$key <- header$fit
      private$header <- header[intersect(c("asked", "columns", "diagnosticColumns", "outputs", "program", "stopped"), names(header))]
      private$known_model <- model
      private$data <- data
      private$source <- source
      self$is_complete <- header$isWhole
      self$algorithm <- header$asked[["function"]]
      self$arguments <- header$asked$arguments
      self$seed <- header$asked$random_seed
      self$stopped <- header$stopped
      private$columns <- display_names(as.character(unlist(header$columns)))
      private$chains <- lapply(header$chains, function(chain) private$read(chain))
    },

    draws = function(variables = NULL, inc_warmup = FALSE, format = "draws_array") {
      is_own <- grepl("__$", private$columns) & private$columns != "lp__" & private$columns != "lp_approx__"
      draws <- private$drawn(which(!is_own), inc_warmup)
      if (!is.null(variables)) draws <- posterior::subset_draws(draws, variables)
      as_format(draws, format)
    },

    sampler_diagnostics = function(inc_warmup = FALSE, format = "draws_array") {
      is_own <- grepl("__$", private$columns) & private$columns != "lp__"
      as_format(private$drawn(which(is_own), inc_warmup), format)
    },

    summary = function(variables = NULL, ...) posterior::summarise_draws(self$draws(variables), ...),

    mle = function(variables = NULL) {
      draws <- posterior::as_draws_matrix(self$draws(variables))
      stats::setNames(as.vector(draws[1, ]), posterior::variables(draws))
    },

    diagnose = function() {
      findings <- private$request(list(op = "diagnose"))$header$findings
      text <- function(each, name) if (is.null(each[[name]])) NA_character_ else each[[name]]
      data.frame(
        check = vapply(findings, text, "", "check"),
        ok = vapply(findings, function(each) isTRUE(each$ok), NA),
        message = vapply(findings, text, "", "message")
      )
    },

    loo = function(variables = "log_lik", r_eff = TRUE, moment_match = FALSE, ..., exact = FALSE, iter_warmup = NULL, iter_sampling = NULL,
                   seed = NULL) {
      sampler <- sampler_of_refits(exact, iter_warmup, iter_sampling, seed)
      derives <- identical(variables, "log_lik") && length(elements_of(private$columns, "log_lik")) == 0
      if (!exact && !(derives && moment_match)) {
        draws <- if (derives) function(variable) private$terms()$draws() else self$draws
        return(loo_of(draws, if (moment_match) self$posterior(), variables, r_eff, moment_match, ...))
      }
      if (...length() > 0) {
        leapfrog_stop("loo takes no arguments of the package loo with exact = TRUE, or with moment matching of a derived log likelihood.")
      }
      private$model()$derived_loo(self, private$data, moment_match, if (exact) sampler)
    },

    log_evidence = function(seed = 1) evidence_of(request_evidence(list(fit = self), seed)$evidences[[1]]),
    log_likelihood = function() private$model()$log_likelihood(self, private$data),
    predict = function(seed = NULL) private$model()$predict(self, private$data, seed = seed),

    step_size = function() vapply(private$chains, function(chain) chain$step_size %||% NA_real_, 0),
    inv_metric = function() lapply(private$chains, function(chain) chain$inv_metric),

    csv = function(chain = 1, digits = 17) {
      text <- private$request(list(op = "csv", chain = chain, digits = digits))$parts[[1]]
      rawToChar(text)
    },

    save_csv = function(folder = tempdir(), basename = self$name()) {
      private$write_csv(file.path(folder, paste0(basename, "-", seq_along(private$chains), ".csv")))
    },

    posterior = function() {
      if (is.null(private$evaluated)) private$evaluated <- private$model()$on(private$data)
      private$evaluated
    },

    log_prob = function(unconstrained_variables, ...) self$posterior()$log_prob(unconstrained_variables, ...),
    grad_log_prob = function(unconstrained_variables, ...) self$posterior()$grad_log_prob(unconstrained_variables, ...),
    hessian = function(unconstrained_variables, ...) self$posterior()$hessian(unconstrained_variables, ...),
    constrain_variables = function(unconstrained_variables, ...) self$posterior()$constrain_variables(unconstrained_variables, ...),
    unconstrain_variables = function(variables) self$posterior()$unconstrain_variables(variables),
    unconstrain_draws = function(draws = NULL, format = "draws_array") {
      self$posterior()$unconstrain_draws(draws %||% self$draws(), format)
    },

    name = function() sub("\\.stan$", "", basename(private$header$program %||% "model")),
    num_chains = function() length(private$chains),

    save = function(path) {
      writer <- value_writer()
      header <- list(op = "save fit", path = full_path(path), isWhole = self$is_complete)
      if (!is.null(private$known_model)) {
        header$source <- private$known_model$source()
        header$data <- private$known_model$sent_data(writer, private$data)
      } else if (!is.null(private$source)) {
        header$source <- private$source
        header$data <- send_variables(writer, private$data)
      }
      header$arrays <- writer$arrays
      private$request(header, writer$parts)
      invisible(path)
    },

    save_object = function(file, ...) saveRDS(self, file, ...),

    save_output_files = function(dir = ".", basename = NULL, timestamp = TRUE, random = TRUE) {
      stem <- basename %||% self$name()
      if (timestamp) stem <- paste0(stem, "-", format(Sys.time(), "%Y%m%d%H%M"))
      ids <- vapply(private$chains, function(chain) as.character(chain$id), "")
      ending <- if (random) paste0("-", sub("^file", "", basename(tempfile("")))) else ""
      private$write_csv(file.path(dir, paste0(stem, "-", ids, ending, ".csv")))
    },

    diagnostic_summary = function(diagnostics = c("divergences", "treedepth", "ebfmi"), quiet = FALSE) {
      if (is.null(self$arguments$max_depth)) leapfrog_stop("diagnostic_summary requires draws of the No-U-Turn sampler.")
      diagnostic_summary_of(self$sampler_diagnostics(), diagnostics, quiet, self$arguments$max_depth)
    },

    cmdstan_diagnose = function() {
      findings <- self$diagnose()
      cat(findings$message, sep = "\n")
      invisible(findings)
    },

    lp = function() as.numeric(self$draws("lp__")),

    return_codes = function() rep(if (self$is_complete) 0L else NA_integer_, length(private$chains)),

    time = function() times_of(private$ids(), lapply(seq_along(private$chains), function(chain) private$lines(chain))),

    output = function(id = NULL) {
      if (!is.null(id)) return(private$lines(match(id, private$ids())))
      lapply(seq_along(private$chains), function(chain) private$lines(chain))
    },

    metadata = function() {
      draws <- self$draws()
      names <- sub("\\[.*", "", posterior::variables(draws))
      sizes <- lapply(split(posterior::variables(draws), factor(names, unique(names))), function(each) {
        if (!grepl("[", each[[1]], fixed = TRUE)) return(1)
        as.numeric(strsplit(sub("\\]$", "", sub("^[^[]*\\[", "", each[[length(each)]])), ",", fixed = TRUE)[[1]])
      })
      c(
        list(
          model_name = self$name(), algorithm = self$algorithm, seed = self$seed, id = private$ids(),
          model_params = posterior::variables(draws), stan_variables = names(sizes), stan_variable_sizes = sizes
        ),
        self$arguments
      )
    },

    # The fit's key in the engine, for other runs there. A fit of another process is opened again.
    key_in = function(engine) {
      if (identical(engine, private$engine)) return(private$key)
      parts <- list()
      for (chain in private$chains) {
        parts <- c(parts, list(double_bytes(t(rbind(chain$warmup, chain$draws))), chain$diagnostics, chain$details))
      }
      chains <- lapply(private$chains, function(chain) list(id = chain$id, warmup = nrow(chain$warmup), draws = nrow(chain$draws)))
      header <- c(list(op = "open fit", isWhole = self$is_complete, chains = unname(chains)), private$header)
      private$key <- engine$request(header, parts)$header$fit
      private$engine <- engine
      private$key
    },

    # The fit with its model and data in a request for a comparison.
    sent_in = function(writer) list(fit = self$key_in(engine()), of = private$model()$sent_in(writer, private$data)),

    print = function(...) {
      shortest <- min(vapply(private$chains, function(chain) nrow(chain$draws), 0L))
      interrupted <- if (self$is_complete) "" else ", interrupted"
      cat("<LeapfrogFit of ", sub(".*::", "", self$algorithm), ": ", self$num_chains(), " chains, ", shortest, " draws each", interrupted, ">\n", sep = "")
      if (shortest > 0) print(self$summary(), ...)
      invisible(self)
    }
  ),
  private = list(
    engine = NULL,
    key = NULL,
    header = NULL,
    known_model = NULL,
    source = NULL,
    data = NULL,
    columns = NULL,
    chains = NULL,
    evaluated = NULL,
    derived_terms = NULL,

    ids = function() vapply(private$chains, function(chain) as.integer(chain$id), 0L),

    # The lines of a chain that are not draws.
    lines = function(chain) {
      details <- private$chains[[chain]]$details
      comments <- if (length(details) > 0) jsonlite::fromJSON(rawToChar(details), simplifyVector = FALSE)$comments
      vapply(comments, function(each) each$text %||% each$log, "")
    },

    # The derived log likelihood, which is kept.
    terms = function() {
      if (is.null(private$derived_terms)) private$derived_terms <- self$log_likelihood()
      private$derived_terms
    },

    request = function(header, parts = list()) {
      current <- engine()
      current$request(c(header, list(fit = self$key_in(current))), parts)
    },

    model = function() {
      if (is.null(private$known_model)) {
        if (is.null(private$source)) leapfrog_stop("The model of this fit is not known.")
        reply <- engine()$request(c(list(op = "compile"), private$source))
        private$known_model <- Model$new(reply$header$contents, reply$parts[[1]])
      }
      private$known_model
    },

    write_csv = function(paths) {
      for (chain in seq_along(paths)) writeLines(self$csv(private$chains[[chain]]$id), paths[[chain]], sep = "", useBytes = TRUE)
      paths
    },

    read = function(chain) {
      reply <- private$request(list(op = "chain", chain = chain$id))
      values <- matrix(doubles(reply$parts[[1]]), ncol = max(1, length(private$columns)), byrow = TRUE)
      metric <- doubles(reply$parts[[4]])
      shape <- as.integer(unlist(reply$header$shape))
      warmup <- seq_len(chain$warmup)
      list(
        id = chain$id,
        warmup = values[warmup, , drop = FALSE],
        draws = if (chain$warmup > 0) values[-warmup, , drop = FALSE] else values,
        diagnostics = reply$parts[[2]],
        # What the engine needs to open the chain again, in addition to the numbers.
        details = reply$parts[[5]],
        step_size = if (is.null(reply$header$stepsize)) NULL else json_numbers(reply$header$stepsize),
        inv_metric = if (length(shape) == 2) matrix(metric, shape[[1]], byrow = TRUE) else metric
      )
    },

    # Draws of columns. Chains of an interrupted run are cut to the shortest chain with draws.
    drawn = function(columns, inc_warmup) {
      rows <- lapply(private$chains, function(chain) {
        values <- if (inc_warmup) rbind(chain$warmup, chain$draws) else chain$draws
        values[, columns, drop = FALSE]
      })
      has_draws <- vapply(rows, nrow, 0L) > 0
      if (any(has_draws)) rows <- rows[has_draws]
      shortest <- min(vapply(rows, nrow, 0L))
      values <- vapply(rows, function(each) each[seq_len(shortest), , drop = FALSE], matrix(0, shortest, length(columns)))
      values <- aperm(array(values, c(shortest, length(columns), length(rows))), c(1, 3, 2))
      dimnames(values) <- list(iteration = NULL, chain = NULL, variable = private$columns[columns])
      posterior::as_draws_array(values)
    },

    finalize = function() if (!is.null(private$engine)) private$engine$release(list(fit = private$key))
  )
)

#' @importFrom posterior as_draws
#' @export
as_draws.LeapfrogFit <- function(x, ...) x$draws(...)

#' @importFrom posterior as_draws_array
#' @export
as_draws_array.LeapfrogFit <- function(x, ...) x$draws(...)

#' @importFrom posterior as_draws_matrix
#' @export
as_draws_matrix.LeapfrogFit <- function(x, ...) x$draws(..., format = "draws_matrix")

#' @importFrom posterior as_draws_df
#' @export
as_draws_df.LeapfrogFit <- function(x, ...) x$draws(..., format = "draws_df")

#' @importFrom posterior as_draws_list
#' @export
as_draws_list.LeapfrogFit <- function(x, ...) x$draws(..., format = "draws_list")

#' @importFrom posterior as_draws_rvars
#' @export
as_draws_rvars.LeapfrogFit <- function(x, ...) x$draws(..., format = "draws_rvars")
