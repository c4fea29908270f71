"""Axioms: every short ranking is tried."""
