"""The results of every method on one collection, and the profile of each metric."""
