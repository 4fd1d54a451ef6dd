# The share of groups in which two people have the same birthday. R stays loaded and answers each line.
lines <- file("stdin", "r")
cat('{"ready": {}}\n')
while (length(line <- readLines(lines, n = 1)) > 0) {
  asked <- jsonlite::fromJSON(line)
  set.seed(asked$inputs[["{RANDOM_SEED}"]])
  shared <- replicate(asked$inputs$Groups, anyDuplicated(sample.int(365, asked$inputs$People, replace = TRUE)) > 0)
  answer <- list(run = asked$run, outputs = list(Share = mean(shared)))
  cat(jsonlite::toJSON(answer, auto_unbox = TRUE, digits = NA), "\n", sep = "")
}
