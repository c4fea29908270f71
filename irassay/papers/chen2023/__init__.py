"""chen2023, recomputed."""
