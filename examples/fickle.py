"""A metric of one's own in five lines: irassay score qrels.txt runs/ -m Fickle --define examples/fickle.py"""

import irassay as ia


@ia.user_model("Fickle", cite="me2026")
def Fickle(r, p=0.9):
    """Goes on with probability p, but less and less as costs mount past gains."""
    return p * r.total_gain.clip(1) / (r.total_gain.clip(1) + r.total_cost / 10)
