"""Judges: how far the labels of models, or of other people, agree with a reference, and what follows from them."""
