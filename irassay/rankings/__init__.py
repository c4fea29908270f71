"""The batch of judged result lists and its transforms."""
