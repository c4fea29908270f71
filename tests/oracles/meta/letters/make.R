# The letters of R's multcompView for the pairs in pairs.txt, to multcompview.json: Rscript make.R
# A case is a string of 0 and 1, whether each pair (1,2), (1,3), … differs, systems being best first.
suppressMessages(library(multcompView))
lines <- readLines("pairs.txt")
one <- function(line) {
  bits <- as.logical(as.integer(strsplit(line, "")[[1]]))
  n <- (1 + sqrt(1 + 8 * length(bits))) / 2
  names <- sprintf("s%03d", 1:n)
  pairs <- combn(names, 2)
  names(bits) <- paste(pairs[1, ], pairs[2, ], sep = "-")
  held <- multcompLetters(bits)$LetterMatrix  # [system, letter]
  held <- held[names, , drop = FALSE]
  sprintf('{"different": "%s", "letters": [%s]}', line,
    paste(sprintf('"%s"', apply(held, 2, function(column) paste(as.integer(column), collapse = ""))), collapse = ", "))
}
writeLines(c("[", paste(sapply(lines, one), collapse = ",\n"), "]"), "multcompview.json")
