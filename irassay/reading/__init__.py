"""Text to columns: where bytes come from, how lines become rows, and the side files."""
