schools_program <- "
functions {
  real shift(real x, real a) { return x + a; }
  tuple(real, array[] int) both(matrix m, array[,] int k) { return (sum(m), to_array_1d(k)); }
  complex turned(complex z) { return z * to_complex(0, 1); }
  vector noise_rng(int n) { vector[n] y; for (i in 1:n) y[i] = std_normal_rng(); return y; }
  real positive(real x) { if (x <= 0) reject(\"x must be positive, but is \", x); return x; }
}
data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] eta; }
transformed parameters { vector[J] theta = mu + tau * eta; }
model { mu ~ normal(0, 5); tau ~ normal(0, 5); eta ~ std_normal(); y ~ normal(theta, sigma); }
generated quantities { vector[J] log_lik; for (j in 1:J) log_lik[j] = normal_lpdf(y[j] | theta[j], sigma[j]); }
"
schools <- list(J = 8, y = c(28, 8, -3, 7, -1, 1, 18, 12), sigma = c(15, 10, 16, 11, 9, 11, 10, 18))

# Created once for all tests.
made <- new.env()
schools_model <- function() {
  if (is.null(made$model)) made$model <- leapfrog_model(schools_program, name = "schools.stan")
  made$model
}
schools_fit <- function() {
  if (is.null(made$fit)) made$fit <- schools_model()$sample(schools, seed = 1)
  made$fit
}

# The log density of the program, with all constants, written in R.
schools_log_density <- function(point) {
  mu <- point[[1]]
  tau <- exp(point[[2]])
  eta <- point[3:10]
  dnorm(mu, 0, 5, log = TRUE) + dnorm(tau, 0, 5, log = TRUE) + point[[2]] + sum(dnorm(eta, log = TRUE)) +
    sum(dnorm(schools$y, mu + tau * eta, schools$sigma, log = TRUE))
}

# A posterior with a known marginal likelihood: y ~ normal(mu, 1), mu ~ normal(0, 2), with all constants.
conjugate_program <- "
data { int N; vector[N] y; }
parameters { real mu; }
model { target += normal_lpdf(mu | 0, 2); target += normal_lpdf(y | mu, 1); }
generated quantities { vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, 1); }
"
conjugate_data <- list(N = 5, y = c(0.3, -1.2, 2.5, 0.7, 9))
conjugate_evidence <- function() {
  n <- conjugate_data$N
  covariance <- diag(n) + 4
  -0.5 * (n * log(2 * pi) + log(det(covariance)) + sum(conjugate_data$y * solve(covariance, conjugate_data$y)))
}
# The exact leave-one-out predictive density of each observation.
conjugate_elpd <- function() {
  vapply(seq_len(conjugate_data$N), function(i) {
    rest <- conjugate_data$y[-i]
    variance <- 1 / (1 / 4 + length(rest))
    dnorm(conjugate_data$y[[i]], variance * sum(rest), sqrt(1 + variance), log = TRUE)
  }, 0)
}

# Runs code, and interrupts it at its first message.
interrupted_once <- function(code) {
  interrupt <- function(message) {
    if (!made$is_interrupted) tools::pskill(Sys.getpid(), tools::SIGINT)
    made$is_interrupted <- TRUE
    invokeRestart("muffleMessage")
  }
  made$is_interrupted <- FALSE
  withCallingHandlers(code, message = interrupt)
}

# Runs a sampler, and interrupts it at its first message: its draws so far.
draws_so_far <- function(code) {
  tryCatch(
    {
      interrupted_once(code)
      stop("the run was not interrupted")
    },
    interrupt = function(condition) condition$fit
  )
}

with_libraries <- function(paths, code) {
  old <- Sys.getenv("R_LIBS")
  Sys.setenv(R_LIBS = paste(paths, collapse = .Platform$path.sep))
  on.exit(Sys.setenv(R_LIBS = old))
  force(code)
}
