"""moffat2012, recomputed."""
