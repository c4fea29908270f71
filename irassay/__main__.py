"""`python -m irassay` is `irassay`."""

from irassay.cli import command

command()
