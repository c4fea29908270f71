# One-sided and two-sided p-values and intervals of R's t.test, wilcox.test and coin, to r.json: Rscript make.R > r.json
suppressMessages(library(coin))
RNGkind("Mersenne-Twister"); set.seed(7)
case <- function(n, digits) {
  x <- round(rbeta(n, 2, 3), digits); y <- round(pmin(1, pmax(0, x + rnorm(n, -0.05, 0.15))), digits)
  d <- round(x - y, digits + 2); nonzero <- d[d != 0]; zero <- rep(0, n)
  one <- function(a) {
    t <- t.test(x, y, paired = TRUE, alternative = a)
    normal <- suppressWarnings(wilcox.test(nonzero, alternative = a, exact = FALSE, correct = TRUE))$p.value
    # coin's exact distribution given the ranks, ties and all
    exact <- pvalue(wilcoxsign_test(d ~ zero, distribution = "exact", zero.method = "Wilcoxon", alternative = a))
    sign <- binom.test(sum(nonzero > 0), length(nonzero), alternative = a)$p.value
    f <- function(v) if (is.infinite(v)) (if (v > 0) '"Infinity"' else '"-Infinity"') else sprintf("%.17g", v)
    sprintf('"%s": {"t": %s, "low": %s, "high": %s, "wilcoxon normal": %s, "wilcoxon exact": %s, "sign": %s}',
      sub("two.sided", "two-sided", a), f(t$p.value), f(t$conf.int[1]), f(t$conf.int[2]), f(normal), f(exact), f(sign))
  }
  listed <- function(v) paste(sprintf("%.17g", v), collapse = ", ")
  sprintf('{"x": [%s], "y": [%s], %s}', listed(x), listed(y), paste(sapply(c("two.sided", "greater", "less"), one), collapse = ",\n "))
}
cat("[", paste(c(case(8, 2), case(12, 1), case(60, 2)), collapse = ",\n"), "]\n", sep = "")
