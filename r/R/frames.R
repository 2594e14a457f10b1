# The frames of src/pipe/frames.ts: 16 bytes of lengths, a header of JSON, and binary parts.

head_bytes <- 16L
most_bytes_at_once <- 2^30
# Maximum number of consecutive waits without bytes. Signals interrupt fewer.
most_empty_reads <- 100

frame_head <- function(header, kind, payload) {
  low <- payload %% 2^32
  if (low >= 2^31) low <- low - 2^32
  writeBin(as.integer(c(header, kind, low, payload %/% 2^32)), raw(), endian = "little")
}

encode_frame <- function(header, parts = list()) {
  header$parts <- I(lengths(parts))
  text <- charToRaw(json_text(header))
  do.call(c, c(list(frame_head(length(text), 0L, sum(lengths(parts))), text), unname(parts)))
}

# Reads a frame: its header and its parts; a frame without a header has one part. `read` reads a number of bytes.
read_frame <- function(read) {
  lengths <- readBin(read(head_bytes), "integer", 4L, endian = "little")
  unsigned <- lengths + ifelse(lengths < 0, 2^32, 0)
  payload <- unsigned[[3]] + 2^32 * unsigned[[4]]
  header <- list()
  if (unsigned[[1]] > 0) {
    text <- rawToChar(read(unsigned[[1]]))
    Encoding(text) <- "UTF-8"
    header <- jsonlite::fromJSON(text, simplifyVector = FALSE)
  }
  sizes <- if (is.null(header$parts)) payload else json_numbers(header$parts)
  list(header = header, parts = lapply(sizes, read))
}

# Reads from a connection that does not block. `wait` returns when there may be bytes to read, or when the connection has ended. A signal can
# end the wait early: a read without bytes is the end only if it is not marked incomplete. After a reset it is always marked.
read_exactly <- function(connection, count, wait) {
  pieces <- list()
  empty_reads <- 0
  while (count > 0) {
    piece <- readBin(connection, "raw", min(count, most_bytes_at_once))
    if (length(piece) == 0) {
      empty_reads <- empty_reads + 1
      if (!isIncomplete(connection) || empty_reads > most_empty_reads) {
        leapfrog_stop("The engine's process has ended.", "leapfrog_ended")
      }
      wait()
      next
    }
    empty_reads <- 0
    pieces[[length(pieces) + 1]] <- piece
    count <- count - length(piece)
  }
  if (length(pieces) == 1) pieces[[1]] else if (length(pieces) == 0) raw() else do.call(c, pieces)
}

write_fully <- function(connection, bytes) {
  for (start in seq(1, length(bytes), by = most_bytes_at_once)) {
    end <- min(length(bytes), start + most_bytes_at_once - 1)
    writeBin(if (start == 1 && end == length(bytes)) bytes else bytes[start:end], connection)
  }
}

doubles <- function(bytes) readBin(bytes, "double", length(bytes) / 8, endian = "little")

double_bytes <- function(values) writeBin(as.double(values), raw(), endian = "little")
