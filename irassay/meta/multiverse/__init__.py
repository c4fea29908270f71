"""Multiverse: one claim under all defensible analyses."""
