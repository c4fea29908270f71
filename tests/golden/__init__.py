"""The golden corpus: what every command of version 0.1.0 prints and writes, case by case."""
