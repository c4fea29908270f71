"""Two score tables of one collection: where they differ, by how much, and which conventions explain it."""
