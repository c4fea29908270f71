"""The one exception a user may see: bad input, said in a sentence."""


class InputError(ValueError):
    """Something the user gave is wrong; the message says what, where, and how to mend it."""
