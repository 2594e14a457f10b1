# The processes that run the engine, each with a connection over the loopback interface. They end with the connection.

engine_folder <- function() {
  chosen <- getOption("leapfrog.engine", Sys.getenv("LEAPFROG_ENGINE"))
  folder <- if (nzchar(chosen)) chosen else system.file("engine", package = "leapfrog")
  if (!file.exists(file.path(folder, "build", "bundle", "pipe.cjs"))) {
    leapfrog_stop(paste0(
      "The engine is missing", if (nzchar(folder)) paste0(" in ", folder), ". Run `npm run build` in a checkout before the package is ",
      "installed, or set the option leapfrog.engine."
    ))
  }
  folder
}

# Node's options. Under a limit of the address space (`ulimit -v`), explicit checks of memory accesses need smaller reservations.
node_options <- function(limits = "/proc/self/limits") {
  usual <- "--max-semi-space-size=4"
  line <- if (file.exists(limits)) grep("^Max address space +[0-9]", readLines(limits), value = TRUE)
  if (length(line) == 0) return(usual)
  limit <- as.numeric(strsplit(line, " +")[[1]][[4]])
  if (limit < least_address_space) {
    leapfrog_stop(sprintf(
      "The address space of processes is limited to %.1f GB (ulimit -v), but the engine requires at least %.1f GB. Raise the limit.",
      limit / 1e9, least_address_space / 1e9
    ))
  }
  c(usual, "--disable-wasm-trap-handler")
}

# Bytes.
least_address_space <- 2.5e9

# Starts a process, and connects to it by the port and the token that it prints.
start_process <- function(role) {
  entry <- file.path(engine_folder(), "build", "bundle", "pipe.cjs")
  process <- processx::process$new(
    node_path(), c(node_options(), entry, role, "--listen"),
    # The engine makes no connections beyond this machine, and Node would read the file of certificates at every start.
    env = c("current", NODE_EXTRA_CA_CERTS = ""),
    stdout = "|", stderr = "", cleanup = TRUE
  )
  line <- character()
  while (length(line) == 0) {
    process$poll_io(1000)
    line <- process$read_output_lines(1)
    if (length(line) == 0 && !process$is_alive()) {
      leapfrog_stop(paste0(
        "The engine did not start with ", node_path(), ". It requires Node.js 20.15 or later, which leapfrog_install_node() installs."
      ))
    }
  }
  address <- strsplit(line, " ", fixed = TRUE)[[1]]
  connection <- socketConnection(
    "127.0.0.1", as.integer(address[[1]]),
    blocking = FALSE, open = "r+b", timeout = 60L, options = "no-delay"
  )
  write_fully(connection, charToRaw(address[[2]]))
  list(process = process, connection = connection)
}

# A process of the engine, for one request at a time. A fork, and a session that has loaded a saved model, start their own.
Process <- R6Class("LeapfrogProcess",
  cloneable = FALSE,
  public = list(
    initialize = function(role) {
      started <- start_process(role)
      private$process <- started$process
      private$connection <- started$connection
      private$pid <- Sys.getpid()
      private$session <- session$key
    },

    # Whether requests can be sent. A dead process is detected when a request is sent.
    is_usable = function() private$is_open && private$belongs_here(),

    # Sends a request to the engine and waits for its answer. An interrupt cancels it; the response of a run then contains its draws so far, with which the caller raises the error.
    request = function(header, parts = list(), on_event = NULL) {
      # Evaluating these arguments may send other requests.
      force(header)
      force(parts)
      suspendInterrupts(private$perform(header, parts, on_event))
    },

    # Frees the memory of a model or a fit with the next request. Called by finalizers, which may run within any other method.
    release = function(what) {
      private$released[[length(private$released) + 1]] <- what
    },

    # Sends a frame to an evaluator and reads its answer. An interrupt ends the process, because its computation may take long.
    exchange = function(frame) {
      suspendInterrupts({
        private$send(frame)
        reply <- private$receive(function() self$close())
      })
      if (!is.null(reply$header[["error"]])) stop_for(reply$header[["error"]])
      reply
    },

    close = function() {
      if (!private$is_open) return(invisible())
      private$is_open <- FALSE
      if (!private$belongs_here()) return(invisible())
      try(close(private$connection), silent = TRUE)
      private$process$kill()
      invisible()
    }
  ),
  private = list(
    process = NULL,
    connection = NULL,
    pid = NULL,
    session = NULL,
    latest = 0,
    released = list(),
    is_open = TRUE,
    is_interrupted = FALSE,

    belongs_here = function() private$pid == Sys.getpid() && identical(private$session, session$key),

    # Returns the request's number, which its response repeats.
    send_request = function(header, parts = list()) {
      private$latest <- private$latest + 1
      private$send(encode_frame(c(list(id = private$latest), header), parts))
      private$latest
    },

    perform = function(header, parts, on_event) {
      released <- private$released
      private$released <- list()
      for (each in released) private$send_request(c(list(op = "release"), each))
      id <- private$send_request(header, parts)
      is_cancelled <- FALSE
      cancel <- function() {
        private$send_request(list(op = "cancel", run = id))
        if (is_cancelled || !identical(header$op, "run")) stop_interrupted()
        is_cancelled <<- TRUE
      }
      repeat {
        reply <- private$receive(cancel)
        if (!identical(as.numeric(reply$header$id), as.numeric(id))) next
        if (!is.null(reply$header[["event"]])) {
          if (!is.null(on_event)) on_event(reply$header[["event"]])
          next
        }
        if (!is.null(reply$header[["error"]])) stop_for(reply$header[["error"]])
        return(reply)
      }
    },

    # After an incomplete frame, the process cannot be used.
    send = function(frame) {
      force(frame)
      if (!private$is_open) private$ended()
      tryCatch(
        write_fully(private$connection, frame),
        interrupt = function(condition) {
          self$close()
          stop_interrupted()
        },
        error = function(error) private$ended()
      )
    },

    # Reads a frame. An interrupt before its first byte calls `on_interrupt`; one within it counts as one after it.
    receive = function(on_interrupt) {
      is_first <- TRUE
      read <- function(count) {
        bytes <- read_exactly(private$connection, count, function() private$wait(if (is_first) on_interrupt))
        is_first <<- FALSE
        bytes
      }
      tryCatch(read_frame(read), leapfrog_ended = function(error) private$ended())
    },

    # Waits for bytes. Pending interrupts are delivered here, although they are suspended elsewhere.
    wait = function(on_interrupt) {
      repeat {
        if (private$is_interrupted && !is.null(on_interrupt)) {
          private$is_interrupted <- FALSE
          on_interrupt()
          if (!private$is_open) stop_interrupted()
        }
        is_ready <- tryCatch(
          {
            allowInterrupts(socketSelect(list(private$connection)))
            TRUE
          },
          interrupt = function(condition) FALSE
        )
        if (is_ready) return(invisible())
        private$is_interrupted <- TRUE
      }
    },

    ended = function() {
      self$close()
      leapfrog_stop("The engine's process has ended.", "leapfrog_ended")
    },

    finalize = function() self$close()
  )
)

# The engine that models share. It is started when it is first needed, and restarted if it has ended.
engine <- function() {
  if (is.null(session$engine) || !session$engine$is_usable()) session$engine <- Process$new("engine")
  session$engine
}

#' End the engine's process
#'
#' Fits keep their draws. The next call that needs the engine starts another process.
#'
#' @return `NULL`, invisibly.
#' @export
leapfrog_close <- function() {
  if (!is.null(session$engine)) session$engine$close()
  session$engine <- NULL
  invisible(NULL)
}
