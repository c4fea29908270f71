"""jiang2016, recomputed."""
