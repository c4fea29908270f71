"""The steps of judging: the order of lists, what the judges had on offer, and the lookup of documents."""
