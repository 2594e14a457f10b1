# Values of variables in the form in which they are sent: arrays as binary parts, everything else as JSON.

largest_int <- .Machine$integer.max

# Collects the arrays of a request. They are its first parts.
value_writer <- function() {
  writer <- new.env(parent = emptyenv())
  writer$arrays <- list()
  writer$parts <- list()
  writer
}

# Values by name. `declared` has the rank and the type of variables; others among the values are not sent if it is given.
send_variables <- function(writer, values, declared = NULL) {
  if (length(values) == 0) return(json_object(list()))
  if (is.null(names(values)) || !all(nzchar(names(values)))) leapfrog_stop("All variables must have names.")
  if (anyDuplicated(names(values))) leapfrog_stop(paste0("The variable ", names(values)[anyDuplicated(names(values))], " is given twice."))
  if (!is.null(declared)) values <- values[names(values) %in% names(declared)]
  json_object(Map(function(value, name) send_value(writer, value, name, declared[[name]]), values, names(values)))
}

send_value <- function(writer, value, name, declared = NULL) {
  if (is.null(value)) leapfrog_stop(paste0("The variable ", name, " is NULL."))
  if (is.data.frame(value)) value <- data.matrix(value)
  if (inherits(value, "table")) value <- unclass(value)
  if (is.factor(value)) value <- as.integer(value)
  if (is.list(value)) {
    stacked <- stack_list(value)
    if (is.null(stacked)) return(send_list(writer, value, name))
    value <- stacked
  }
  if (is.logical(value)) storage.mode(value) <- "integer"
  if (!is.numeric(value) && !is.complex(value)) {
    leapfrog_stop(paste0("The variable ", name, " must be numeric, but is of type ", typeof(value), "."))
  }
  if (anyNA(value) && any(is.na(value) & !is.nan(value))) leapfrog_stop(paste0("The variable ", name, " has NA values."))
  if (is.complex(value)) value <- array(c(Re(value), Im(value)), c(shape_of(value, declared), 2L))
  send_numbers(writer, value, declared)
}

# Sends numbers. A single number without dimensions is a scalar, unless an array is declared.
send_numbers <- function(writer, value, declared) {
  shape <- shape_of(value, declared)
  is_int <- if (is.null(declared)) is.integer(value) else declared$type == "int"
  if (is_int && length(value) > 0) is_int <- all(is.finite(value)) && all(value == round(value)) && max(abs(value)) <= largest_int
  if (length(shape) == 0 && is.finite(value)) return(as.vector(value))
  if (length(shape) > 1) value <- aperm(array(value, shape))
  bytes <- if (is_int) writeBin(as.integer(value), raw(), endian = "little") else double_bytes(value)
  writer$arrays[[length(writer$arrays) + 1]] <- list(type = if (is_int) "int32" else "float64", shape = I(shape))
  writer$parts[[length(writer$parts) + 1]] <- bytes
  list("$array" = length(writer$arrays) - 1)
}

shape_of <- function(value, declared) {
  if (!is.null(dim(value))) return(dim(value))
  if (length(value) != 1) return(length(value))
  rep(1L, if (is.null(declared)) 0L else declared$rank)
}

# A list of numeric elements of one shape as an array whose first dimension is the list; NULL for other lists.
stack_list <- function(value) {
  if (length(value) == 0) return(array(0, 0))
  if (is_tuple(value) || !all(vapply(value, function(each) is.numeric(each) || is.logical(each) || is.complex(each), NA))) return(NULL)
  shapes <- lapply(value, function(each) if (is.null(dim(each))) length(each) else dim(each))
  if (length(unique(shapes)) > 1) return(NULL)
  shape <- if (all(lengths(value) == 1) && all(vapply(value, function(each) is.null(dim(each)), NA))) integer() else shapes[[1]]
  stacked <- array(unlist(value), c(shape, length(value)))
  aperm(stacked, c(length(shape) + 1, seq_along(shape)))
}

# A Stan tuple is a list with the names "1", "2", …, or a list without names whose elements differ in shape.
is_tuple <- function(value) !is.null(names(value)) && identical(names(value), as.character(seq_along(value)))

send_list <- function(writer, value, name) {
  elements <- lapply(unname(value), function(each) send_value(writer, each, name))
  if (!is_tuple(value) && all(vapply(value, is.list, NA))) return(elements)
  stats::setNames(elements, seq_along(value))
}

# Data as passed by the caller: a list, NULL, or the path of a JSON file.
send_data <- function(writer, data, declared) {
  if (!is.character(data)) {
    if (!is.null(data) && !is.list(data)) leapfrog_stop("Data must be a list with names, or the path of a JSON file.")
    return(send_variables(writer, as.list(data), declared))
  }
  text <- paste(readLines(data, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  text <- gsub("(?<=[:\\[,\\s])(NaN|-?Inf(?:inity)?)(?=[\\s,\\]}])", "\"\\1\"", text, perl = TRUE)
  valid <- jsonlite::validate(text)
  if (!valid) leapfrog_stop(paste0(data, " is not JSON: ", attr(valid, "err")))
  structure(text, class = "json")
}

# The rank and the type of each data variable by name, from the description of a compiled program. Tuples have neither.
declared_data <- function(artifact) {
  data <- jsonlite::fromJSON(artifact, simplifyVector = FALSE)$data
  names <- vapply(data, function(each) each$name, "")
  declared <- lapply(data, function(each) list(rank = each$rank, type = each$type))
  is_slot <- grepl(".", names, fixed = TRUE)
  declared[is_slot] <- list(list(rank = 0L, type = "real"))
  names(declared) <- sub("\\..*", "", names)
  declared[!duplicated(names(declared))]
}
