"""Every method on one collection, and what it says of each metric."""
