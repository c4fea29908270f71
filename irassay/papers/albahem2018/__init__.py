"""albahem2018, recomputed."""
