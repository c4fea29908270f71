# What R says of dependent correlations and of the size of topic sets: Rscript reliability.R > reliability.tsv
# psych::r.test for Williams' t; Steiger's Z by the equations of the paper; power.t.test, power.anova.test and the expected
# width of a t interval by numeric integration over the distribution of the standard deviation.
suppressMessages(library(psych))
say <- function(what, ...) cat(paste(c(what, sprintf("%.15g", c(...))), collapse = "\t"), "\n", sep = "")
set.seed(1)
for (case in 1:40) {
  n <- sample(c(8, 20, 50, 103, 400), 1)
  x <- matrix(rnorm(n * 3), n) %*% matrix(runif(9, -1, 1), 3)
  r <- cor(x); r12 <- r[1, 2]; r13 <- r[1, 3]; r23 <- r[2, 3]
  found <- r.test(n = n, r12 = r12, r13 = r13, r23 = r23)
  m <- (r12 + r13) / 2
  psi <- r23 * (1 - 2 * m^2) - 0.5 * m^2 * (1 - 2 * m^2 - r23^2)      # covariance of the two, pooled (Steiger 1980, eq. 3)
  z <- sqrt(n - 3) * (atanh(r12) - atanh(r13)) / sqrt(2 - 2 * psi / (1 - m^2)^2)  # eq. 14
  say("correlations", n, r12, r13, r23, found$t, found$p, z, 2 * pnorm(-abs(z)))
}
for (d in c(0.02, 0.05, 0.1)) for (v in c(0.01, 0.05)) for (power in c(0.7, 0.8, 0.9)) for (alpha in c(0.01, 0.05)) {
  n <- power.t.test(delta = d, sd = sqrt(2 * v), sig.level = alpha, power = power, type = "paired", strict = TRUE,
                    tol = 1e-10)$n
  say("t", d, v, alpha, power, ceiling(n))
  for (k in c(2, 5, 20)) {  # with over 400,000 degrees of freedom qf is an approximation
    spread <- var(c(-d / 2, d / 2, rep(0, k - 2)))
    reached <- function(n) power.anova.test(groups = k, n = n, between.var = spread, within.var = v, sig.level = alpha)$power
    n <- 2; while (reached(n) < power) n <- n * 2
    low <- n %/% 2; while (n - low > 1) { m <- (low + n) %/% 2; if (reached(m) >= power) n <- m else low <- m }
    say("anova", d, v, k, alpha, power, n)
  }
}
for (width in c(0.02, 0.05, 0.1)) for (v in c(0.01, 0.05)) for (alpha in c(0.01, 0.05)) {
  expected <- function(n) {
    sd <- function(s) s * dchisq(s^2 * (n - 1) / (2 * v), n - 1) * 2 * s * (n - 1) / (2 * v)  # E of the sample's sd
    mean <- integrate(sd, 0, sqrt(2 * v) * 3, rel.tol = 1e-10, subdivisions = 2000)$value
    2 * qt(1 - alpha / 2, n - 1) * mean / sqrt(n)
  }
  n <- 30; while (expected(n) > width) n <- n * 2
  low <- 2; high <- n
  while (high - low > 1) { middle <- (low + high) %/% 2; if (expected(middle) <= width) high <- middle else low <- middle }
  say("width", width, v, alpha, high)
}
