# Two ends of a connection, the first of which does not block.
connected_ends <- function() {
  for (port in sample(20000:60000, 20)) {
    server <- tryCatch(suppressWarnings(serverSocket(port)), error = function(error) NULL)
    if (!is.null(server)) break
  }
  on.exit(close(server))
  one <- socketConnection("127.0.0.1", port, blocking = FALSE, open = "r+b")
  list(one = one, other = socketAccept(server, blocking = TRUE, open = "r+b"))
}

test_that("waits that end before bytes arrive are repeated, and the end of a connection is reported", {
  ends <- connected_ends()
  waits <- 0
  wait <- function() {
    waits <<- waits + 1
    if (waits == 3) writeBin(as.raw(1:5), ends$other)
    if (waits >= 3) socketSelect(list(ends$one))
  }
  expect_identical(read_exactly(ends$one, 3, wait), as.raw(1:3))
  expect_gte(waits, 3)
  close(ends$other)
  expect_identical(read_exactly(ends$one, 2, wait), as.raw(4:5))
  expect_error(read_exactly(ends$one, 1, wait), class = "leapfrog_ended")
  close(ends$one)
})

test_that("an error in the arguments of a request is not reported as the end of the process", {
  posterior <- schools_model()$on(schools)
  expect_error(posterior$unconstrain_matrix(stop("no draws")), "no draws")
  expect_equal(posterior$log_prob(rep(0.1, 10)), schools_log_density(rep(0.1, 10)))
})
