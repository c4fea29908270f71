"""Faults that must not come back: what users can do to the tool, and what it must do then."""
