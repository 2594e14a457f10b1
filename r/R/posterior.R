# A model on its data, evaluated by a separate process.

gradient_kind <- 1L
density_kind <- 2L
without_jacobian <- 4L
propto_kind <- 8L

#' A model on data: log density, gradient, Hessian and transforms
#'
#' Created by `model$on(data, seed = 0, threads = NULL)`, and used by fits. With `threads`, at most that number of threads evaluate the log
#' density, in slices of the rows of the data. Results are the same for any number of threads; without `threads`, they can differ in their
#' last digits.
#'
#' Points are unconstrained: a vector with one number per unconstrained parameter, or a matrix with one row per point, which is evaluated in
#' one exchange with the process. If the program rejects a point, methods raise an error of the class `leapfrog_stan_error`.
#'
#' @section Methods:
#' \describe{
#'   \item{`$log_prob(unconstrained_variables, jacobian = TRUE, propto = FALSE)`}{The log density at a point, or a vector of them for a
#'     matrix. `jacobian` includes the log Jacobian of the constraining transforms, and `propto` drops constant terms.}
#'   \item{`$grad_log_prob(unconstrained_variables, jacobian = TRUE, propto = FALSE)`}{The gradient, with the log density as its attribute
#'     `log_prob`. For a matrix, the result is a matrix.}
#'   \item{`$hessian(unconstrained_variables, jacobian = TRUE, propto = FALSE, memory = 1024)`}{A list with `log_prob`, `grad_log_prob` and
#'     `hessian`. The first call compiles the program with second derivatives. `memory` is the maximum size of the matrix in MiB.}
#'   \item{`$constrain_variables(unconstrained_variables, transformed_parameters = TRUE, generated_quantities = TRUE, seed = 0)`}{A list
#'     of the variables at a point. `seed` is that of random numbers in generated quantities.}
#'   \item{`$constrain_matrix(…)`}{The same for many points, as a matrix with one column per number, such as `theta[1]`.}
#'   \item{`$unconstrain_variables(variables)`}{The point at which the parameters have the values of a list.}
#'   \item{`$unconstrain_draws(draws, format = "draws_array")`}{Draws of the parameters, as any format of posterior, on the unconstrained
#'     scale.}
#'   \item{`$variables()`}{The dimensions of each variable.}
#'   \item{`$close()`}{Ends the process. The next call starts another.}
#' }
#' The active bindings `num_unconstrained` and `unconstrained_names` describe a point.
#'
#' @name LeapfrogPosterior
#' @seealso [leapfrog_model()]
NULL

Posterior <- R6Class("LeapfrogPosterior",
  cloneable = FALSE,
  public = list(
    initialize = function(contents, wasm, data, seed = 0, threads = NULL) {
      private$contents <- contents
      private$wasm <- wasm
      private$data <- data
      private$seed <- seed
      private$threads <- threads
      private$process()
    },

    log_prob = function(unconstrained_variables, jacobian = TRUE, propto = FALSE) {
      points <- private$points(unconstrained_variables)
      private$evaluate(density_kind + form(jacobian, propto), points)
    },

    grad_log_prob = function(unconstrained_variables, jacobian = TRUE, propto = FALSE) {
      points <- private$points(unconstrained_variables)
      values <- private$evaluate(gradient_kind + form(jacobian, propto), points)
      count <- ncol(points)
      gradient <- values[-seq_len(count)]
      if (is.matrix(unconstrained_variables)) gradient <- matrix(gradient, count, byrow = TRUE)
      structure(gradient, log_prob = values[seq_len(count)])
    },

    hessian = function(unconstrained_variables, jacobian = TRUE, propto = FALSE, memory = 1024) {
      points <- private$points(unconstrained_variables)
      if (ncol(points) != 1) leapfrog_stop("hessian takes one point.")
      request <- list(op = "hessian", jacobian = jacobian, propto = propto, memory = memory)
      reply <- private$request(request, list(double_bytes(points)))
      gradient <- self$grad_log_prob(as.vector(points), jacobian, propto)
      list(
        log_prob = attr(gradient, "log_prob"),
        grad_log_prob = as.vector(gradient),
        hessian = matrix(doubles(reply$parts[[1]]), nrow(points))
      )
    },

    constrain_variables = function(unconstrained_variables, transformed_parameters = TRUE, generated_quantities = TRUE, seed = 0) {
      values <- private$constrain(unconstrained_variables, transformed_parameters, generated_quantities, seed)
      if (nrow(values) != 1) leapfrog_stop("constrain_variables takes one point.")
      gather(private$names(transformed_parameters, generated_quantities), values[1, ])
    },

    constrain_matrix = function(unconstrained_variables, transformed_parameters = TRUE, generated_quantities = TRUE, seed = 0) {
      values <- private$constrain(unconstrained_variables, transformed_parameters, generated_quantities, seed)
      colnames(values) <- display_names(private$names(transformed_parameters, generated_quantities))
      values
    },

    # The same without names, which take longer to compute than the values at one point.
    constrain_rows = function(points, transformed_parameters = TRUE, generated_quantities = TRUE, seed = 0) {
      private$constrain(points, transformed_parameters, generated_quantities, seed)
    },

    unconstrain_variables = function(variables) {
      writer <- value_writer()
      parameters <- unique(variable_of(private$names(FALSE, FALSE)))
      missing <- setdiff(parameters, names(variables))
      if (length(missing) > 0) leapfrog_stop(paste0("Values of these parameters are missing: ", paste(missing, collapse = ", "), "."))
      ranks <- lapply(self$variables()[parameters], function(dims) list(rank = length(dims), type = "real"))
      header <- list(op = "unconstrain", values = send_variables(writer, variables, ranks))
      doubles(private$request(c(header, list(arrays = writer$arrays)), writer$parts)$parts[[1]])
    },

    unconstrain_draws = function(draws, format = "draws_array") {
      values <- posterior::as_draws_array(draws)
      names <- display_names(private$names(FALSE, FALSE))
      missing <- setdiff(names, posterior::variables(values))
      if (length(missing) > 0) leapfrog_stop(paste0("The draws have no ", paste(utils::head(missing, 3), collapse = ", "), "."))
      shape <- dim(values)[1:2]
      points <- self$unconstrain_matrix(matrix(unclass(values)[, , names, drop = FALSE], ncol = length(names)))
      names <- list(iteration = NULL, chain = NULL, variable = colnames(points))
      as_format(posterior::as_draws_array(array(points, c(shape, ncol(points)), names)), format)
    },

    # Points of draws: rows of numbers in the order of the parameters' columns in CmdStan's files.
    unconstrain_matrix = function(values) {
      parts <- private$request(list(op = "unconstrain draw"), list(double_bytes(t(values))))$parts
      points <- matrix(doubles(parts[[1]]), nrow(values), self$num_unconstrained, byrow = TRUE)
      colnames(points) <- display_names(self$unconstrained_names)
      points
    },

    # Columns of `constrain_matrix` with the names of CmdStan's files: `theta.1`.
    constrained_names = function(transformed_parameters = TRUE, generated_quantities = TRUE) {
      private$names(transformed_parameters, generated_quantities)
    },

    variables = function() {
      private$process()
      private$dims
    },

    close = function() {
      if (!is.null(private$evaluator)) private$evaluator$close()
      private$evaluator <- NULL
      invisible(self)
    },

    print = function(...) {
      cat("<LeapfrogPosterior with ", self$num_unconstrained, " unconstrained parameters>\n", sep = "")
      invisible(self)
    }
  ),
  active = list(
    num_unconstrained = function() {
      private$process()
      private$dimension
    },
    unconstrained_names = function() {
      private$process()
      private$point_names
    }
  ),
  private = list(
    contents = NULL,
    wasm = NULL,
    data = NULL,
    seed = NULL,
    threads = NULL,
    evaluator = NULL,
    dimension = NULL,
    point_names = NULL,
    dims = NULL,
    known_names = list(),

    # Started when it is first needed, and restarted in a fork or if it has ended.
    process = function() {
      if (is.null(private$evaluator) || !private$evaluator$is_usable()) {
        writer <- value_writer()
        data <- send_data(writer, private$data, declared_data(private$contents$artifact))
        header <- list(op = "open", contents = private$contents, data = data, arrays = writer$arrays, seed = private$seed)
        header$threads <- private$threads
        evaluator <- Process$new("evaluate")
        opened <- evaluator$exchange(encode_frame(header, c(list(private$wasm), writer$parts)))$header
        private$evaluator <- evaluator
        private$dimension <- opened$dimension
        private$point_names <- as.character(unlist(opened$unconstrainedNames))
        private$dims <- lapply(opened$variables, function(each) as.integer(unlist(each$dims)))
        names(private$dims) <- vapply(opened$variables, function(each) each$name, "")
      }
      private$evaluator
    },

    request = function(header, parts = list()) private$process()$exchange(encode_frame(header, parts)),

    evaluate = function(kind, points) {
      bytes <- double_bytes(points)
      doubles(private$process()$exchange(c(frame_head(0L, kind, length(bytes)), bytes))$parts[[1]])
    },

    # Points as the columns of a matrix.
    points = function(point) {
      points <- if (is.matrix(point)) t(point) else matrix(as.double(point), ncol = 1)
      if (nrow(points) != self$num_unconstrained) {
        leapfrog_stop(paste0(
          "A point has ", self$num_unconstrained, " unconstrained parameters, but ", nrow(points), " were given."
        ))
      }
      points
    },

    names = function(transformed_parameters, generated_quantities) {
      key <- paste(transformed_parameters, generated_quantities)
      if (is.null(private$known_names[[key]])) {
        header <- c(list(op = "names"), parts_of(transformed_parameters, generated_quantities))
        private$known_names[[key]] <- as.character(unlist(private$request(header)$header$names))
      }
      private$known_names[[key]]
    },

    constrain = function(point, transformed_parameters, generated_quantities, seed) {
      points <- private$points(point)
      header <- c(list(op = "constrain", seed = seed), parts_of(transformed_parameters, generated_quantities))
      rows <- lapply(private$request(header, list(double_bytes(points)))$parts, doubles)
      do.call(rbind, rows)
    }
  )
)

form <- function(jacobian, propto) (if (jacobian) 0L else without_jacobian) + (if (propto) propto_kind else 0L)

parts_of <- function(transformed_parameters, generated_quantities) {
  list(transformedParameters = transformed_parameters, generatedQuantities = generated_quantities)
}

as_format <- function(draws, format) {
  switch(sub("^draws_", "", format),
    array = posterior::as_draws_array(draws),
    matrix = posterior::as_draws_matrix(draws),
    df = ,
    data.frame = posterior::as_draws_df(draws),
    list = posterior::as_draws_list(draws),
    rvars = posterior::as_draws_rvars(draws),
    leapfrog_stop(paste0("There is no format ", format, ": choose draws_array, draws_matrix, draws_df, draws_list or draws_rvars."))
  )
}
