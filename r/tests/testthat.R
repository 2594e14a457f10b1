library(testthat)
library(leapfrog)

test_check("leapfrog")
