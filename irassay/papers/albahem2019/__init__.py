"""albahem2019, recomputed."""
