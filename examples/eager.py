"""An axiom of your own in a few lines: irassay axioms -m RR -m AP -p eager --define examples/eager.py"""

import irassay as ia


@ia.axiom("eager", cite="me2026")
def eager(s):
    """A relevant first result in place of one that is not should not lower the score."""
    if s.length:
        rows = s.letters[:, 0] == s.space.nothing  # rankings that begin with a miss
        for letter in s.space.relevant:
            yield s.index[rows], s.put(0, letter)[rows]  # (worse, better)
