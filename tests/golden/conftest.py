"""Inputs are not tests, not even those that end in .py."""

collect_ignore = ["inputs"]
