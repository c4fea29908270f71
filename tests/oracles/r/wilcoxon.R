# Wilcoxon's signed-rank test of every two of TREC-8's 129 runs, exact given the ranks with their ties and without zeros:
# Rscript wilcoxon.R ../shared/data/trec-8 > wilcoxon.tsv. The distribution is convolved here, rank by rank; every
# 400th pair is also given to coin::wilcoxsign_test, and the script stops where the two differ.
suppressMessages(library(coin))
folder <- commandArgs(TRUE)[1]
metrics <- c("rr", "p10", "ap")
exact <- function(d) {
  d <- d[abs(d) > 1e-9]
  if (length(d) == 0) return(1)
  rank <- round(2 * rank(round(abs(d), 9)))  # doubled, so that ties have whole ones
  total <- sum(rank)
  density <- c(1, rep(0, total))
  for (r in rank) density <- (density + c(rep(0, r), density[seq_len(total + 1 - r)])) / 2
  away <- abs(2 * (0:total) - total)
  sum(density[away >= abs(2 * sum(rank[d > 0]) - total)])
}
decision <- list()
for (metric in metrics) {
  X <- as.matrix(read.csv(file.path(folder, paste0("adhoc8_", metric, ".csv"))))
  pairs <- combn(ncol(X), 2)
  p <- apply(pairs, 2, function(pair) exact(X[, pair[1]] - X[, pair[2]]))
  for (k in seq(1, ncol(pairs), 400)) {
    d <- round(X[, pairs[1, k]] - X[, pairs[2, k]], 9)
    if (any(d != 0)) {
      theirs <- pvalue(wilcoxsign_test(d ~ rep(0, length(d)), zero.method = "Wilcoxon", distribution = "exact"))
      stopifnot(abs(theirs - p[k]) < 1e-10)
    }
    cat("p", metric, pairs[1, k] - 1, pairs[2, k] - 1, sprintf("%.15g", p[k]), sep = "\t"); cat("\n")
  }
  gap <- colMeans(X)[pairs[1, ]] - colMeans(X)[pairs[2, ]]
  decision[[metric]] <- ifelse(p < 0.05, sign(round(gap, 12)), 0)
  cat("significant", metric, sum(p < 0.05), sep = "\t"); cat("\n")
}
for (pair in list(c("rr", "p10"), c("rr", "ap"), c("p10", "ap"))) {
  a <- decision[[pair[1]]]; b <- decision[[pair[2]]]
  counts <- c(SSA = sum(a * b == 1), SSD = sum(a * b == -1), SN = sum(a != 0 & b == 0), NS = sum(a == 0 & b != 0),
              NN = sum(a == 0 & b == 0))
  cat("pair", pair, counts, sep = "\t"); cat("\n")
}
