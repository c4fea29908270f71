"""The formula of every metric, written out once more as a plain loop; `test_formulas` compares both on random rankings."""
