# Writes the programs and data of calls of brm(), which standard input lists: Rscript brms.R FOLDER
suppressPackageStartupMessages(library(brms))
for (call in jsonlite::fromJSON(file("stdin"), simplifyVector = FALSE)) {
  folder <- file.path(commandArgs(trailingOnly = TRUE), call$name)
  given <- eval(parse(text = paste0("list(", call$arguments, ")")))
  writeLines(do.call(make_stancode, given), file.path(folder, "model.stan"))
  data <- list2env(do.call(make_standata, given))
  rstan::stan_rdump(ls(data), file.path(folder, "data.R"), envir = data)
}
