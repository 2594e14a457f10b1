# Programs: compiling them, and running Stan's algorithms on them.

#' Compile a Stan program
#'
#' @param program Stan code, or the path of a file with it: a text of one line that ends in `.stan` is a path.
#' @param name The program's name in messages.
#' @param include_paths Folders in which `#include`s are searched, beside the file's own.
#'
#' @return An object with the methods below. An error of the class `leapfrog_program_error` is raised where the program is wrong.
#'
#' @section Methods:
#' `data` is a list with a vector, array or list for each variable, or the path of a JSON file. A vector of length 1 is a scalar or an array, as the
#' program declares. A tuple of Stan is a list whose elements differ in shape, or have the names `"1"`, `"2"`, and so on. Arguments have cmdstanr's
#' names. Any argument of the engine's function may be given besides by its own name, such as `init_buffer`.
#' \describe{
#'   \item{`$sample(data, chains = 4, seed, init, iter_warmup, iter_sampling, …)`}{Draws by the No-U-Turn sampler, as a [LeapfrogFit].
#'     `init` is a radius, values for all chains, a list with values for each, a function that returns values, or a fit. `metric` is
#'     diag_e, dense_e, unit_e or low_rank; `algorithm = "recommended"` chooses the sampler with the
#'     fewest gradients. An interrupt ends the run and returns the draws so far.}
#'   \item{`$optimize(data, …)`}{A mode, as a fit with one draw.}
#'   \item{`$laplace(data, mode, draws, …)`}{Draws from the Laplace approximation at the mode, which is found where it is not given.}
#'   \item{`$variational(data, …)`}{Draws from an approximation by ADVI; `algorithm` is meanfield or fullrank.}
#'   \item{`$pathfinder(data, …)`}{Draws from approximations along paths of an optimizer.}
#'   \item{`$kfold(data, folds, groups, observations, chains, seed, iter_warmup, iter_sampling, metric, adapt_delta, max_treedepth, warm_start, …)`}{
#'     Cross-validation with refits, as a [LeapfrogKFold]: the posterior without each group of observations is sampled by `chains` chains (4 unless
#'     given), and predicts these. Groups are `folds` random ones (10 unless given), those of the variable `groups` of the data, which the program need
#'     not declare, or single `observations`, such as `c("y[1]", "y[3]")`. With `warm_start`, refits begin where a fit of this model has ended. The log
#'     likelihood is derived from the program.}
#'   \item{`$generate_quantities(fitted_params, data, …)`}{Generated quantities for the draws of a fit.}
#'   \item{`$on(data)`}{The model on data, a [LeapfrogPosterior]: log density, gradient, Hessian and transforms.}
#'   \item{`$functions$name(…, seed, signature)`}{Calls a function that the program declares. `seed` is that of a function that ends in `_rng`,
#'     and `signature` the types of the parameters where the arguments fit several overloads.}
#'   \item{`$code()`, `$name()`, `$warnings()`}{The program, its name, and what the compiler warned of.}
#' }
#'
#' @examples
#' \dontrun{
#' model <- leapfrog_model("parameters { real x; } model { x ~ std_normal(); }")
#' fit <- model$sample(seed = 1)
#' fit$summary()
#' }
#' @export
leapfrog_model <- function(program, name = NULL, include_paths = character()) {
  reply <- engine()$request(c(list(op = "compile"), program_source(program, name, include_paths)))
  Model$new(reply$header$contents, reply$parts[[1]])
}

# The program as a request has it.
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

    sample = function(data = NULL, chains = 4, seed = NULL, init = NULL, iter_warmup = NULL, iter_sampling = NULL,
                      adapt_delta = NULL, max_treedepth = NULL, step_size = NULL, metric = NULL, inv_metric = NULL,
                      adapt_engaged = NULL, thin = NULL, save_warmup = NULL, warm_start = NULL, continue_from = NULL,
                      until = NULL, show_progress = interactive(), ...) {
      fields <- list(
        num_chains = chains, random_seed = seed, num_warmup = iter_warmup, num_samples = iter_sampling, delta = adapt_delta,
        max_depth = max_treedepth, stepsize = step_size, metric = metric, inv_metric = inv_metric, adapt_engaged = adapt_engaged,
        num_thin = thin, save_warmup = save_warmup, until = until, ...
      )
      inputs <- list(warm_start = warm_start, "continue" = continue_from)
      private$run("sample", data, fields, init, inputs, chains = chains, shown = if (show_progress) show_event())
    },

    kfold = function(data = NULL, folds = NULL, groups = NULL, observations = NULL, chains = NULL, iter_warmup = NULL, iter_sampling = NULL,
                     seed = NULL, metric = NULL, adapt_delta = NULL, max_treedepth = NULL, warm_start = NULL,
                     show_progress = interactive(), ...) {
      fields <- list(
        folds = folds, groups = groups, observations = if (!is.null(observations)) I(observations), num_chains = chains,
        num_warmup = iter_warmup, num_samples = iter_sampling, random_seed = seed, metric = metric, delta = adapt_delta,
        max_depth = max_treedepth, ...
      )
      shown <- if (show_progress) show_refits()
      kfold_of(private$run("sample", data, fields, inputs = list(warm_start = warm_start), shown = shown, derived = "kfold"))
    },

    optimize = function(data = NULL, seed = NULL, init = NULL, algorithm = NULL, jacobian = NULL, iter = NULL, ...) {
      fields <- list(random_seed = seed, algorithm = algorithm, jacobian = jacobian, iter = iter, ...)
      private$run("optimize", data, fields, init)
    },

    laplace = function(data = NULL, mode = NULL, draws = NULL, jacobian = TRUE, seed = NULL, ...) {
      mode <- mode %||% self$optimize(data, seed = seed, jacobian = jacobian)
      fields <- list(draws = draws, jacobian = jacobian, random_seed = seed, ...)
      private$run("laplace", data, fields, inputs = list(mode = mode))
    },

    variational = function(data = NULL, seed = NULL, init = NULL, algorithm = NULL, draws = NULL, ...) {
      fields <- list(algorithm = algorithm, output_samples = draws, random_seed = seed, ...)
      private$run("variational", data, fields, init)
    },

    pathfinder = function(data = NULL, seed = NULL, init = NULL, num_paths = NULL, draws = NULL, ...) {
      fields <- list(num_paths = num_paths, random_seed = seed, ...)
      fields[[if (identical(as.numeric(num_paths), 1)) "num_draws" else "num_psis_draws"]] <- draws
      private$run("pathfinder", data, fields, init)
    },

    generate_quantities = function(fitted_params, data = NULL, seed = NULL, ...) {
      private$run("generate", data, list(random_seed = seed, ...), inputs = list(fitted_params = fitted_params))
    },

    on = function(data = NULL, seed = 0, threads = NULL) {
      Posterior$new(private$contents, private$wasm, data, seed, threads)
    },

    code = function() private$contents$source$program,
    name = function() private$contents$source$name,
    warnings = function() private$contents$warnings,

    # `$loo(exact = TRUE)` of a fit of this model in the current engine.
    exact_loo = function(fit, data, moment_match, sampler) {
      writer <- value_writer()
      header <- list(
        op = "model loo", model = private$opened(), fit = fit$key_in(engine()), momentMatch = moment_match,
        exact = json_object(sampler), data = send_data(writer, data, private$declared)
      )
      header$arrays <- writer$arrays
      exact_loo_of(engine()$request(header, writer$parts), posterior::ndraws(fit$draws()))
    },

    # Names of the functions that the program declares.
    function_names = function() {
      source <- program_source(self$code(), self$name(), character())
      source$includes <- private$contents$source$includes
      function_names(engine()$request(c(list(op = "analyze"), source))$header$formatted %||% "")
    },

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
    run = function(method, data, fields, init = NULL, inputs = list(), chains = 1, shown = NULL, derived = NULL) {
      fields <- Filter(Negate(is.null), fields)
      if (is.function(init)) init <- lapply(seq_len(chains), function(chain) if (length(formals(init)) > 0) init(chain) else init())
      if (is.numeric(init)) fields$init_radius <- init else inputs$init <- init
      inputs <- Filter(Negate(is.null), inputs)
      writer <- value_writer()
      key <- private$opened()
      numbers <- lapply(fields["inv_metric"[!is.null(fields$inv_metric)]], function(value) send_numbers(writer, value, NULL))
      fields$inv_metric <- NULL
      declared <- private$declared
      # The groups of observations, which the program need not declare.
      if (is.character(fields$groups)) declared[[fields$groups]] <- declared[[fields$groups]] %||% list(rank = 1L, type = "real")
      header <- list(
        op = "run", model = key, method = method,
        data = send_data(writer, data, declared),
        numbers = json_object(numbers),
        inputs = json_object(lapply(inputs, function(input) send_input(writer, input))),
        fields = json_object(fields)
      )
      header$derived <- derived
      header$arrays <- writer$arrays
      reply <- engine()$request(header, writer$parts, shown)
      Fit$new(engine(), reply$header, self, data)
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

send_input <- function(writer, input) {
  if (inherits(input, "LeapfrogFit")) return(list(fit = input$key_in(engine())))
  if (!is.null(names(input))) return(list(values = send_variables(writer, input)))
  list(list = lapply(unname(input), function(each) send_variables(writer, each)))
}

# Shows the number of refits that have ended.
show_refits <- function() {
  ended <- numeric()
  function(event) {
    if (event$kind != "progress" || is.null(event$progress$iteration)) return()
    before <- sum(ended)
    ended[[as.character(event$chain)]] <<- event$progress$iteration
    if (sum(ended) > before) message("Refits: ", sum(ended))
  }
}

# Shows a line for each tenth of a chain.
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
