"""A file with a mistake."""

import irassay as ia


@ia.metric("Wrong")
def wrong(r):
    return r.gain.sum(axis=1)
