"""Other tools: one file for each, imported only when it is used."""
