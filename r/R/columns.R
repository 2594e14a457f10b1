# Variables in columns: `theta.1.2` is an element of `theta`, `t:2.3` one of the second slot of the tuple `t`.

variable_of <- function(columns) sub("[.:].*", "", columns)

# `theta[1,2]` of `theta.1.2`, `t[3].2[1]` of `t.3:2.1`.
display_names <- function(columns) {
  has_slots <- grepl(":", columns, fixed = TRUE)
  names <- bracketed(columns)
  names[has_slots] <- vapply(strsplit(columns[has_slots], ":", fixed = TRUE), function(slots) {
    paste(bracketed(slots), collapse = ".")
  }, "")
  names
}

bracketed <- function(columns) {
  stems <- sub("(\\.[0-9]+)+$", "", columns)
  indices <- gsub(".", ",", substring(columns, nchar(stems) + 2), fixed = TRUE)
  ifelse(nzchar(indices), paste0(stems, "[", indices, "]"), columns)
}

# The numbers of columns as a list of variables: arrays with the dimensions of the variable, complex numbers as such, tuples as lists.
gather <- function(columns, values) {
  places <- split(seq_along(columns), factor(variable_of(columns), unique(variable_of(columns))))
  lapply(places, function(place) gather_variable(columns[place], values[place]))
}

gather_variable <- function(columns, values) {
  slots <- vapply(strsplit(columns, ":", fixed = TRUE), function(pieces) {
    paste(sub("\\..*", "", pieces[-1]), collapse = ":")
  }, "")
  indices <- lapply(strsplit(columns, ":", fixed = TRUE), function(pieces) {
    unlist(lapply(strsplit(pieces, ".", fixed = TRUE), function(each) each[-1]))
  })
  nest(slots, indices, values)
}

nest <- function(slots, indices, values) {
  if (all(slots == "")) return(array_of(indices, values))
  first <- sub(":.*", "", slots)
  rest <- ifelse(grepl(":", slots, fixed = TRUE), sub("^[^:]*:", "", slots), "")
  lapply(split(seq_along(slots), factor(first, unique(first))), function(place) nest(rest[place], indices[place], values[place]))
}

array_of <- function(indices, values) {
  parts <- vapply(indices, function(index) if (length(index) > 0) index[[length(index)]] else "", "")
  if (any(parts %in% c("real", "imag"))) {
    stems <- lapply(indices, function(index) index[-length(index)])
    is_real <- parts == "real"
    real <- array_of(stems[is_real], values[is_real])
    return(array(complex(real = real, imaginary = array_of(stems[!is_real], values[!is_real])), dim(real) %||% 1L))
  }
  if (length(indices[[1]]) == 0) return(values)
  index <- matrix(as.integer(unlist(indices)), ncol = length(indices[[1]]), byrow = TRUE)
  result <- array(0, apply(index, 2, max))
  result[index] <- values
  result
}

`%||%` <- function(value, otherwise) if (is.null(value)) otherwise else value
