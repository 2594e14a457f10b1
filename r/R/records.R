# What cmdstanr's methods of the same names return about chains and programs.

# Numbers per chain: divergences, transitions at the maximum tree depth, and E-BFMI (Betancourt, 2016), of post-warmup draws.
diagnostic_summary_of <- function(draws, diagnostics, quiet, max_depth) {
  of_chains <- function(name, statistic) {
    values <- posterior::extract_variable_matrix(draws, name)
    apply(values, 2, statistic)
  }
  result <- list()
  if ("divergences" %in% diagnostics) result$num_divergent <- of_chains("divergent__", sum)
  if ("treedepth" %in% diagnostics) result$num_max_treedepth <- of_chains("treedepth__", function(depths) sum(depths >= max_depth))
  if ("ebfmi" %in% diagnostics) result$ebfmi <- of_chains("energy__", function(energy) mean(c(0, diff(energy)^2)) / stats::var(energy))
  if (!quiet) {
    if (any(result$num_divergent > 0)) message(sum(result$num_divergent), " transitions after warmup ended with a divergence.")
    if (any(result$num_max_treedepth > 0)) message(sum(result$num_max_treedepth), " transitions after warmup reached the maximum tree depth.")
    if (any(result$ebfmi < 0.3)) message(sum(result$ebfmi < 0.3), " chains have an E-BFMI below 0.3.")
  }
  result
}

# Seconds of each chain, from the lines that end it; NA for functions without such lines.
times_of <- function(ids, lines) {
  seconds <- function(name) {
    vapply(lines, function(texts) {
      found <- regmatches(texts, regexec(paste0("([0-9.]+) seconds \\(", name, "\\)"), texts))
      as.numeric(c(unlist(lapply(found, `[`, 2)[lengths(found) > 0]), NA)[[1]])
    }, 0)
  }
  chains <- data.frame(chain_id = ids, warmup = seconds("Warm-up"), sampling = seconds("Sampling"), total = seconds("Total"))
  list(total = NA_real_, chains = chains)
}

# Names, types and dimensions of a program's variables by block.
variables_of <- function(info) {
  blocks <- c(
    parameters = "parameters", included_files = "included_files", data = "inputs",
    transformed_parameters = "transformed parameters", generated_quantities = "generated quantities"
  )
  lapply(blocks, function(block) info[[block]])
}
