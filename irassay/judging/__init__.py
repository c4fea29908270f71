"""Runs and judgements to rankings, in one pipeline: order, lookup, copies, topics, scale, lengths."""
