"""What a metric is: its declaration, its grammar, its user model; the metrics themselves are in `catalogue`."""
