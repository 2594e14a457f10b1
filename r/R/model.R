# Programs: compiling them, and running Stan's algorithms on them.

#' Compile a Stan program
#'
#' @param program Stan code, or the path of a file: a single line that ends in `.stan` is a path.
#' @param name The program's name in messages.
#' @param include_paths Folders that are searched for `#include`s, in addition to that of the file.
#' @param ... Arguments of other interfaces, which are accepted if they mean the same, such as `stan_file` or `model_name`.
#'
#' @return An object with the methods below. An invalid program raises an error of the class `leapfrog_program_error`.
#'
#' @section Methods:
#' `data` is a list with one vector, array or list per variable, or the path of a JSON file. A vector of
#' length 1 is a scalar or an array, as the program declares. A Stan tuple is a list whose elements
#' differ in shape, or have the names `"1"`, `"2"`, and so on. Arguments have cmdstanr's names. Those of
#' rstan, CmdStanPy and PyStan are accepted if they mean the same, such as `warmup` or `cores`; an error states
#' what to use instead of others. Further arguments of the engine's function are accepted under their own names,
#' such as `init_buffer`.
#' \describe{
#'   \item{`$sample(data, chains = 4, seed, init, iter_warmup, iter_sampling, …)`}{Draws by the No-U-Turn sampler, as a [LeapfrogFit].
#'     `init` is a radius, values for all chains, a list with values for each, a function that returns values, or a fit. `metric` is
#'     diag_e, dense_e, unit_e or low_rank; `algorithm = "recommended"` selects the sampler that requires the fewest gradients. An interrupt
#'     raises an error of the classes `leapfrog_interrupted` and `interrupt`, whose element `fit` has the draws so far.}
#'   \item{`$prior(data, …)`}{Draws from the prior distribution, with the arguments of `$sample`: the program runs without the statements that
#'     condition on data. A parameter without a prior is an error.}
#'   \item{`$sbc(data, simulations = 100, iter_warmup, iter_sampling, seed, metric, adapt_delta, max_treedepth, …)`}{Simulation-based
#'     calibration, as a [LeapfrogCalibration]: parameters are drawn from the prior, data are simulated from the likelihood, and one chain
#'     fits each of `simulations` data sets. The ranks of the parameters among the draws of their fits are uniform if the program and the
#'     sampler are correct. Values of outcomes in `data` only determine their sizes.}
#'   \item{`$optimize(data, …)`}{A mode, as a fit with one draw.}
#'   \item{`$laplace(data, mode, draws, …)`}{Draws from the Laplace approximation at the mode, which is found first unless it is given.}
#'   \item{`$variational(data, …)`}{Draws from an approximation by ADVI; `algorithm` is meanfield or fullrank.}
#'   \item{`$pathfinder(data, …)`}{Draws from approximations along paths of an optimizer.}
#'   \item{`$kfold(data, folds, groups, observations, chains, seed, iter_warmup, iter_sampling, metric, adapt_delta, max_treedepth,
#'     warm_start, …)`}{ Cross-validation with refits, as a [LeapfrogKFold]: the posterior without each group of observations is sampled by
#'     `chains` chains (4 by default), and predicts these observations. Groups are `folds` random ones (10 by default), those of the
#'     variable `groups` of the data, which the program need not declare, or single `observations`, such as `c("y[1]", "y[3]")`. With
#'     `warm_start`, refits begin where a fit of this model has ended. The log likelihood is derived from the program.}
#'   \item{`$generate_quantities(fitted_params, data, …)`}{Generated quantities for the draws of a fit.}
#'   \item{`$log_likelihood(fitted_params, data)`}{The log likelihood of each observation for the draws of a fit, derived from the program, as a
#'     [LeapfrogFit]: `log_lik__y[3]` is that of `y[3]`. Ambiguous observations are an error of the class `leapfrog_program_error`.}
#'   \item{`$predict(fitted_params, data, seed)`}{Replicated data for the draws of a fit, as a [LeapfrogFit] with `y_rep` for an outcome `y`. The
#'     code that draws them is derived from the program.}
#'   \item{`$profile(data, point, evaluations, seed = 1)`}{The time that each statement takes in an evaluation of the gradient, as a
#'     [LeapfrogProfile]. It is measured at a `point` of unconstrained parameters, by default a random one. Without `evaluations`, it
#'     takes about a second, and longer for a slow or long program. Otherwise the gradient of each part of the program is evaluated
#'     `evaluations` times.}
#'   \item{`$on(data)`}{The model on data, a [LeapfrogPosterior]: log density, gradient, Hessian and transforms.}
#'   \item{`$functions$name(…, seed, signature)`}{Calls a function that the program declares. `seed` is that of a function that ends in `_rng`,
#'     and `signature` the types of the parameters if several overloads accept the arguments.}
#'   \item{`$code()`, `$name()`, `$warnings()`}{The program, its name, and the warnings of the compiler.}
#'   \item{`$check_syntax(pedantic = FALSE, quiet = FALSE)`}{`TRUE`, invisibly. Warnings are messages: with `pedantic`, also those of
#'     stanc's pedantic mode.}
#'   \item{`$variables()`}{Type and dimensions of each variable by block, as in cmdstanr.}
#'   \item{`$format()`}{The formatted program.}
#' }
#'
#' @examples
#' \dontrun{
#' model <- leapfrog_model("parameters { real x; } model { x ~ std_normal(); }")
#' fit <- model$sample(seed = 1)
#' fit$summary()
#' }
#' @export
leapfrog_model <- function(program = NULL, name = NULL, include_paths = character(), ...) {
  if (...length() > 0) {
    fields <- Filter(Negate(is.null), list(program = if (!is.null(program)) paste(program, collapse = "\n"), name = name, ...))
    named <- engine()$request(list(op = "compile arguments", fields = fields, caller = "r"))$header$fields
    program <- named$program
    name <- named$name
  }
  if (is.null(program)) leapfrog_stop("program is required: Stan code, or the path of a file with it.")
  reply <- engine()$request(c(list(op = "compile"), program_source(program, name, include_paths)))
  Model$new(reply$header$contents, reply$parts[[1]])
}

# The program in the form of a request.
program_source <- function(program, name, include_paths) {
  text <- paste(program, collapse = "\n")
  if (grepl("\\.stan$", text) && !grepl("\n", text, fixed = TRUE)) {
    name <- name %||% text
    include_paths <- c(include_paths, dirname(text))
    text <- paste(c(readLines(text, encoding = "UTF-8", warn = FALSE), ""), collapse = "\n")
  }
  list(program = text, name = name %||% "string", folders = I(normalizePath(include_paths, mustWork = FALSE)))
}

Model <- R6Class("LeapfrogModel",
  cloneable = FALSE,
  public = list(
    initialize = function(contents, wasm) {
      private$contents <- contents
      private$wasm <- wasm
      private$declared <- declared_data(contents$artifact)
    },

    # R would take `chain` for an abbreviation of `chains`, and `iter` for one of two arguments.
    sample = function(data = NULL, chains = 4, parallel_chains = NULL, seed = NULL, init = NULL, iter_warmup = NULL, iter_sampling = NULL,
                      adapt_delta = NULL, max_treedepth = NULL, step_size = NULL, metric = NULL, inv_metric = NULL,
                      adapt_engaged = NULL, thin = NULL, save_warmup = NULL, save = NULL, warm_start = NULL, continue_from = NULL,
                      until = NULL, show_progress = interactive(), ..., chain = NULL, iter = NULL) {
      if (missing(chains) && "num_chains" %in% ...names()) chains <- NULL
      fields <- list(
        chains = chains, parallel_chains = parallel_chains, seed = seed, init = init, iter_warmup = iter_warmup,
        iter_sampling = iter_sampling, adapt_delta = adapt_delta, max_treedepth = max_treedepth, step_size = step_size,
        metric = metric, inv_metric = inv_metric, adapt_engaged = adapt_engaged, thin = thin, save_warmup = save_warmup,
        save = save, warm_start = warm_start, continue_from = continue_from, until = until, chain = chain, iter = iter, ...
      )
      private$run("sample", data, fields, shown = if (show_progress) show_event())
    },

    prior = function(data = NULL, ...) self$sample(data, ..., derived = "prior"),

    sbc = function(data = NULL, simulations = 100, iter_warmup = NULL, iter_sampling = NULL, seed = NULL, metric = NULL, adapt_delta = NULL,
                   max_treedepth = NULL, show_progress = interactive(), ...) {
      fields <- list(
        simulations = simulations, iter_warmup = iter_warmup, iter_sampling = iter_sampling, seed = seed, metric = metric,
        adapt_delta = adapt_delta, max_treedepth = max_treedepth, derived = "sbc", ...
      )
      calibration_of(private$run("sample", data, fields, shown = if (show_progress) show_fits("Simulations")))
    },

    kfold = function(data = NULL, folds = NULL, groups = NULL, observations = NULL, chains = NULL, iter_warmup = NULL, iter_sampling = NULL,
                     seed = NULL, metric = NULL, adapt_delta = NULL, max_treedepth = NULL, warm_start = NULL,
                     show_progress = interactive(), ...) {
      fields <- list(
        folds = folds, groups = groups, observations = if (!is.null(observations)) I(observations), chains = chains,
        iter_warmup = iter_warmup, iter_sampling = iter_sampling, seed = seed, metric = metric, adapt_delta = adapt_delta,
        max_treedepth = max_treedepth, warm_start = warm_start, derived = "kfold", ...
      )
      shown <- if (show_progress) show_fits("Refits")
      kfold_of(private$run("sample", data, fields, shown = shown))
    },

    optimize = function(data = NULL, seed = NULL, init = NULL, algorithm = NULL, jacobian = NULL, iter = NULL, ...) {
      private$run("optimize", data, list(seed = seed, init = init, algorithm = algorithm, jacobian = jacobian, iter = iter, ...))
    },

    laplace = function(data = NULL, mode = NULL, draws = NULL, jacobian = TRUE, seed = NULL, ...) {
      mode <- mode %||% self$optimize(data, seed = seed, jacobian = jacobian)
      private$run("laplace", data, list(mode = mode, draws = draws, jacobian = jacobian, seed = seed, ...))
    },

    variational = function(data = NULL, seed = NULL, init = NULL, algorithm = NULL, draws = NULL, ...) {
      private$run("variational", data, list(seed = seed, init = init, algorithm = algorithm, draws = draws, ...))
    },

    pathfinder = function(data = NULL, seed = NULL, init = NULL, num_paths = NULL, draws = NULL, ...) {
      private$run("pathfinder", data, list(seed = seed, init = init, num_paths = num_paths, draws = draws, ...))
    },

    generate_quantities = function(fitted_params = previous_fit, data = NULL, seed = NULL, ..., previous_fit) {
      private$run("generate", data, list(fitted_params = fitted_params, seed = seed, ...))
    },

    log_likelihood = function(fitted_params, data = NULL, ...) {
      self$generate_quantities(fitted_params, data, ..., derived = "log_lik")
    },

    predict = function(fitted_params, data = NULL, seed = NULL, ...) {
      self$generate_quantities(fitted_params, data, seed, ..., derived = "replicated")
    },

    profile = function(data = NULL, point = NULL, evaluations = NULL, seed = 1) {
      header <- list(op = "profile", model = private$opened(), seed = seed)
      if (!is.null(point)) header$point <- I(as.double(point))
      if (!is.null(evaluations)) header$evaluations <- evaluations
      profile_of(private$request_with(header, data)$header)
    },

    on = function(data = NULL, seed = 0, threads = NULL) {
      Posterior$new(private$contents, private$wasm, data, seed, threads)
    },

    code = function() private$contents$source$program,
    name = function() private$contents$source$name,
    warnings = function() private$contents$warnings,

    # `$loo()` of a fit of this model in the current engine, with derived log likelihoods. `sampler` has the arguments of refits; without refits, it is
    # NULL.
    derived_loo = function(fit, data, moment_match, sampler) {
      header <- list(op = "model loo", model = private$opened(), fit = fit$key_in(engine()), momentMatch = moment_match)
      if (!is.null(sampler)) header$exact <- json_object(sampler)
      derived_loo_of(private$request_with(header, data), posterior::ndraws(fit$draws()))
    },

    # The program with its name and its included files, and data in a request to save a fit.
    source = function() private$contents$source,
    sent_data = function(writer, data) send_data(writer, data, private$declared),

    # The model and data in a request.
    sent_in = function(writer, data) list(model = private$opened(), data = send_data(writer, data, private$declared)),

    check_syntax = function(pedantic = FALSE, quiet = FALSE) {
      for (each in private$analyzed(pedantic)$warnings) message(each$message)
      if (!quiet) message("The program has no errors.")
      invisible(TRUE)
    },
    variables = function() variables_of(private$analyzed()$info),
    format = function(...) private$analyzed()$formatted,

    # Names of the functions that the program declares.
    function_names = function() function_names(private$analyzed()$formatted %||% ""),

    print = function(...) {
      cat("<LeapfrogModel ", self$name(), ">\n", sep = "")
      invisible(self)
    }
  ),
  active = list(
    functions = function() program_functions(private$call)
  ),
  private = list(
    contents = NULL,
    wasm = NULL,
    declared = NULL,
    opened_in = NULL,
    key = NULL,

    analyzed = function(pedantic = FALSE) {
      # With a line break, the text is never taken for a path.
      source <- program_source(paste0(self$code(), "\n"), self$name(), character())
      source$includes <- private$contents$source$includes
      engine()$request(c(list(op = "analyze", pedantic = pedantic), source))$header
    },

    # The model's key in the engine.
    opened = function() {
      if (is.null(private$opened_in) || !identical(private$opened_in, engine()) || !private$opened_in$is_usable()) {
        header <- list(op = "open", contents = private$contents)
        private$key <- engine()$request(header, list(private$wasm))$header$model
        private$opened_in <- engine()
      }
      private$key
    },

    # `shown` is called with the events of the run.
    run = function(method, data, fields, shown = NULL) {
      fields <- Filter(Negate(is.null), fields)
      # A single name is a list of names.
      for (name in intersect(c("save", "pars"), names(fields))) fields[[name]] <- I(as.character(fields[[name]]))
      if (!is.null(fields$until)) fields$until <- until_rule(fields$until)
      if (is.character(fields$until$quantities)) fields$until$quantities <- I(fields$until$quantities)
      # A number as initial values is a radius.
      is_input <- names(fields) %in% input_names & !vapply(fields, is.numeric, NA)
      inputs <- fields[is_input]
      fields <- fields[!is_input]
      chains <- fields[["chains"]] %||% fields[["num_chains"]] %||% 1
      inputs <- lapply(inputs, function(input) if (is.function(input)) initial_values(input, chains) else input)
      writer <- value_writer()
      key <- private$opened()
      reals <- list(rank = 1L, type = "real")
      numbers <- lapply(fields["inv_metric"[!is.null(fields$inv_metric)]], function(value) send_numbers(writer, value, reals))
      fields$inv_metric <- NULL
      derived <- fields$derived
      fields$derived <- NULL
      declared <- private$declared
      # The groups of observations, which the program need not declare.
      if (is.character(fields$groups)) declared[[fields$groups]] <- declared[[fields$groups]] %||% list(rank = 1L, type = "real")
      header <- list(
        op = "run", model = key, method = method, caller = "r",
        data = send_data(writer, data, declared),
        numbers = json_object(numbers),
        inputs = json_object(lapply(inputs, function(input) send_input(writer, input))),
        fields = json_object(fields)
      )
      header$derived <- derived
      header$arrays <- writer$arrays
      reply <- engine()$request(header, writer$parts, shown)
      for (text in reply$header$warnings) warning(text, call. = FALSE)
      fit <- Fit$new(engine(), reply$header, self, data)
      if (!fit$is_complete) stop_interrupted(fit)
      fit
    },

    # Sends a request with data.
    request_with = function(header, data) {
      writer <- value_writer()
      header$data <- send_data(writer, data, private$declared)
      header$arrays <- writer$arrays
      engine()$request(header, writer$parts)
    },

    call = function(name, arguments, seed, signature) {
      header <- list(op = "call", model = private$opened(), name = name, arguments = arguments)
      if (!is.null(seed)) header$seed <- seed
      if (!is.null(signature)) header$signature <- I(signature)
      engine()$request(header)$header
    },

    finalize = function() {
      opened_in <- private$opened_in
      if (!is.null(opened_in)) opened_in$release(list(model = private$key))
    }
  )
)

# A stopping rule as a list; it can also be a vector of named numbers.
until_rule <- function(until) {
  if (is.null(names(until))) leapfrog_stop("until must be a list of limits with names, such as list(ess_bulk = 400).")
  if (is.atomic(until)) as.list(until) else until
}

# Arguments that are values or fits.
input_names <- c("init", "inits", "warm_start", "continue_from", "continue", "mode", "previous_fit", "fitted_params")

# The initial values of each chain from a function, which may take the number of the chain.
initial_values <- function(init, chains) {
  lapply(seq_len(chains), function(chain) if (length(formals(init)) > 0) init(chain) else init())
}

send_input <- function(writer, input) {
  if (inherits(input, "LeapfrogFit")) return(list(fit = input$key_in(engine())))
  if (!is.null(names(input))) return(list(values = send_variables(writer, input)))
  list(list = lapply(unname(input), function(each) send_variables(writer, each)))
}

# Shows the number of fits of a run that have ended.
show_fits <- function(title) {
  ended <- numeric()
  function(event) {
    if (event$kind != "progress" || is.null(event$progress$iteration)) return()
    before <- sum(ended)
    ended[[as.character(event$chain)]] <<- event$progress$iteration
    if (sum(ended) > before) message(title, ": ", sum(ended))
  }
}

# Shows one line per tenth of a chain.
show_event <- function() {
  shown <- numeric()
  function(event) {
    if (event$kind != "progress") return()
    iteration <- event$progress$iteration
    iterations <- event$progress$iterations
    if (is.null(iteration) || is.null(iterations)) return()
    tenth <- (10 * iteration) %/% iterations
    chain <- as.character(event$chain)
    if (tenth > (if (is.na(shown[chain])) 0 else shown[chain])) {
      shown[chain] <<- tenth
      message("Chain ", chain, ": ", iteration, " of ", iterations, " iterations")
    }
  }
}
