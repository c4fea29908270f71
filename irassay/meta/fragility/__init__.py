"""Fragility: how few judgements, and which other assessors, undo a significant difference."""
