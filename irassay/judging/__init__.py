"""Runs and judgements to rankings, in one pipeline for every kind: order, lookup, copies, topics, scale, lengths."""
