"""`python -m irassay` is `irassay`, without importing modules from the working folder."""

import os
import sys

if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
    del sys.path[0]

from irassay.cli import command

command()
