"""One file a result type: its sentences, tables and charts."""
