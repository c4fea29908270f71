"""Questions asked of the metrics themselves, one a file: the file, its function and its result share a name."""
