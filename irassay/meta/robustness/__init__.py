"""Robustness: the same runs under other judgements."""
