"""Inner loops in C beside a module each that calls them, or says None where they were not compiled."""
