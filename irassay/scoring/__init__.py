"""Rankings and metrics to scores."""
