# Functions that a program declares, called from R.

# An object whose members are the functions of a program.
program_functions <- function(call) structure(list(), call = call, class = "leapfrog_functions")

#' @export
`$.leapfrog_functions` <- function(x, name) {
  call <- attr(x, "call")
  function(..., seed = NULL, signature = NULL) {
    # set.seed() then makes random numbers reproducible.
    if (is.null(seed) && endsWith(name, "_rng")) seed <- sample.int(.Machine$integer.max, 1)
    answer <- call(name, json_text(lapply(unname(list(...)), argument)), seed, signature)
    if (nzchar(answer$output)) cat(answer$output)
    if (is.null(answer$result)) invisible(NULL) else value_of(answer$result, answer$type)
  }
}

#' @export
print.leapfrog_functions <- function(x, ...) {
  cat("<functions of a Stan program: call them as $name(...)>\n")
  invisible(x)
}

# A value in Stan's JSON format. Integers are ints, which Stan promotes if a real is required.
argument <- function(value) {
  if (is.data.frame(value)) value <- data.matrix(value)
  if (is.list(value)) {
    elements <- lapply(value, argument)
    stacked <- stack_list(value)
    if (!is.null(stacked)) return(argument(stacked))
    if (!is_tuple(value) && all(vapply(value, is.list, NA))) return(unname(elements))
    return(stats::setNames(elements, seq_along(elements)))
  }
  if (is.logical(value)) storage.mode(value) <- "integer"
  if (is.complex(value)) value <- array(c(Re(value), Im(value)), c(if (is.null(dim(value))) length(value)[length(value) > 1] else dim(value), 2L))
  if (!is.numeric(value)) leapfrog_stop(paste0("An argument must be numeric, but is of type ", typeof(value), "."))
  if (is.null(dim(value)) && length(value) == 1) return(as.vector(value))
  nested(value)
}

# An array row by row.
nested <- function(value) {
  shape <- if (is.null(dim(value))) length(value) else dim(value)
  if (length(shape) == 1) return(I(as.vector(value)))
  rows <- matrix(value, shape[[1]])
  lapply(seq_len(shape[[1]]), function(row) nested(array(rows[row, ], shape[-1])))
}

# The R value of a value in Stan's JSON format, by its type: a number, an array, or a list for a tuple.
value_of <- function(value, type) {
  base <- sub("^array\\[[, ]*\\] ", "", type)
  prefix <- substr(type, 1, nchar(type) - nchar(base))
  depth <- if (nzchar(prefix)) 1 + nchar(gsub("[^,]", "", prefix)) else 0
  if (startsWith(base, "tuple(")) return(tuples(value, split_types(substr(base, 7, nchar(base) - 1)), depth))
  inner <- switch(sub("^complex_?", "", base), vector = , row_vector = 1, matrix = 2, 0)
  is_complex <- startsWith(base, "complex")
  numbers <- array_from(value, depth + inner + is_complex)
  if (is_complex) {
    shape <- dim(numbers)
    halves <- matrix(numbers, ncol = 2)
    numbers <- complex(real = halves[, 1], imaginary = halves[, 2])
    if (length(shape) > 1) dim(numbers) <- shape[-length(shape)]
  }
  if (base == "int") storage.mode(numbers) <- "integer"
  if (length(dim(numbers)) == 1) as.vector(numbers) else numbers
}

# Lists in lists as an array.
array_from <- function(value, rank) {
  if (rank == 0) return(json_numbers(value))
  shape <- integer()
  level <- value
  for (each in seq_len(rank)) {
    shape <- c(shape, length(level))
    level <- if (length(level) > 0) level[[1]] else list()
  }
  aperm(array(json_numbers(value), rev(shape)))
}

tuples <- function(value, types, depth) {
  if (depth > 0) return(lapply(value, tuples, types, depth - 1))
  unname(Map(function(slot, type) value_of(value[[as.character(slot)]], type), seq_along(types), types))
}

# The types of a tuple's elements.
split_types <- function(types) {
  characters <- strsplit(types, "")[[1]]
  depth <- cumsum((characters %in% c("(", "[")) - (characters %in% c(")", "]")))
  group <- cumsum(characters == "," & depth == 0)
  texts <- vapply(split(characters, group), paste, "", collapse = "")
  trimws(sub("^,", "", unname(texts)))
}

# Names of the functions that a program declares, from its formatted text.
function_names <- function(formatted) {
  lines <- strsplit(formatted, "\n", fixed = TRUE)[[1]]
  start <- which(lines == "functions {")
  if (length(start) == 0) return(character())
  block <- lines[seq(start[[1]], which(lines == "}" & seq_along(lines) > start[[1]])[[1]])]
  pattern <- "^  (?:array\\[[, ]*\\] )?(?:tuple\\((?:[^()]|\\([^()]*\\))*\\)|\\w+) (\\w+)\\("
  unique(sub(paste0(pattern, ".*"), "\\1", grep(pattern, block, value = TRUE, perl = TRUE), perl = TRUE))
}
