"""A metric of your own in five lines: irassay score qrels.txt runs/ -m Fickle --define examples/fickle.py"""

import irassay as ia


@ia.user_model("Fickle", cite="me2026")
def Fickle(r, p=0.9):
    """Continues with probability p, and less and less as costs exceed gains."""
    return p * r.total_gain.clip(1) / (r.total_gain.clip(1) + r.total_cost / 10)
