# JSON with all digits of doubles. jsonlite writes at most 15.

# The JSON text of a value: vectors of length 1 are scalars unless they are marked by I(); a list with names is an object.
json_text <- function(value) {
  if (is.null(value)) return("null")
  if (inherits(value, "json")) return(as.character(value))
  if (is.list(value)) {
    members <- vapply(unname(value), json_text, "")
    if (is.null(names(value))) return(paste0("[", paste(members, collapse = ","), "]"))
    if (length(value) > 0) members <- paste0(quoted(names(value)), ":", members)
    return(paste0("{", paste(members, collapse = ","), "}"))
  }
  texts <- if (is.character(value)) quoted(value) else number_text(value)
  if (length(texts) == 1 && !inherits(value, "AsIs")) return(texts)
  paste0("[", paste(texts, collapse = ","), "]")
}

# An object, even without members.
json_object <- function(members) stats::setNames(members, names(members) %||% character())

quoted <- function(texts) {
  vapply(enc2utf8(texts), function(text) as.character(jsonlite::toJSON(jsonlite::unbox(text))), "", USE.NAMES = FALSE)
}

number_text <- function(values) {
  if (is.logical(values)) return(ifelse(values, "true", "false"))
  texts <- sprintf("%.17g", as.double(values))
  texts[is.nan(values)] <- "NaN"
  texts[is.infinite(values)] <- ifelse(values[is.infinite(values)] > 0, "Infinity", "-Infinity")
  texts
}

# Numbers of parsed JSON, in which non-finite numbers are strings.
json_numbers <- function(values) {
  as.numeric(unlist(values, use.names = FALSE))
}
