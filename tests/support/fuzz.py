"""How many inputs fuzz tests try: IRASSAY_FUZZ is a number, or 'deep' for an hour of them."""

import os

asked = os.environ.get("IRASSAY_FUZZ", "60")
TIMES = 5000 if asked == "deep" else int(asked)
