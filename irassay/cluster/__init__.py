"""A dask cluster: the connection to it, blocks of work on it, and what a worker does."""
