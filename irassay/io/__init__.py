"""Files to objects and back: one reader a format."""
