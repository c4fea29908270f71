"""The names that columns have in files and frames of different tools."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from irassay.errors import InputError

NAMES = {  # of columns in TREC, ir_measures, PyTerrier, ranx, BEIR and MS MARCO; the first match is used
    "topic": ("topic", "query_id", "qid", "q_id", "topic_id", "topicid", "queryid"),
    "doc": ("doc", "doc_id", "docno", "document", "document_id", "docid", "did", "pid", "passage_id", "corpus_id"),
    "subtopic": ("subtopic", "iteration", "subtopic_id"),
    "subgroup": ("subgroup",),
    "grade": ("grade", "relevance", "label", "rel", "judgement", "judgment"),
    "score": ("score",),
    "rank": ("rank",),
    "kind": ("kind",),
}


def normalized_name(name: object) -> str:
    """A column's name in lower case, with underscores.

    >>> normalized_name("Query-ID")
    'query_id'
    """
    return str(name).strip().lower().replace("-", "_")


def matching_columns(names: Iterable[object], fields: Iterable[str]) -> dict[str, Any]:
    """Our names of these fields -> the names in a file or frame, for those that it has.

    >>> matching_columns(["Query-ID", "docno", "tag"], ("topic", "doc", "score"))
    {'topic': 'Query-ID', 'doc': 'docno'}
    """
    theirs = {normalized_name(name): name for name in reversed(list(names))}
    found = {ours: [theirs[name] for name in NAMES[ours] if name in theirs] for ours in fields}
    return {ours: names[0] for ours, names in found.items() if names}


def refuse_repeated(names: Iterable[object], used: Iterable[object], source: str) -> None:
    """Raises an error if a column that is used has a namesake."""
    count = Counter(names)
    for name in used:
        if count[name] > 1:
            raise InputError(file=source, found=f"two columns are called {name}", fix="keep one of them")
