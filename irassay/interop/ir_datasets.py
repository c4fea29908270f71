"""Judgements and texts of ir_datasets: `irds:NAME` wherever a qrels file is expected."""

from importlib import import_module
from logging import LogRecord, getLogger
from typing import Any

from irassay.errors import InputError, missing_package_error
from irassay.io.addresses import DATASET
from irassay.prose import did_you_mean


def qrels_text(name: str) -> bytes:
    """The judgements of a dataset as a qrels file: topic, subtopic or iteration, document, grade."""
    loaded = loaded_dataset(name)
    if not loaded.has_qrels():
        raise InputError(
            f"{DATASET}{name} has no judgements; give a dataset that has, such as {_judged_example(name)}."
        )
    fields = loaded.qrels_cls()._fields
    column_2 = next((field for field in ("subtopic_id", "iteration") if field in fields), "")
    needed = {"query_id", "doc_id", "relevance"} - set(fields)
    if needed:
        found = f"has judgements without {', '.join(sorted(needed))}"
        raise InputError(f"{DATASET}{name} {found}, which irassay cannot read; save them as a qrels file.")
    lines = []
    for judgement in _downloaded_records(name, loaded.qrels_iter):
        second = getattr(judgement, column_2) if column_2 else "0"
        ids = (judgement.query_id, second or "0", judgement.doc_id)
        if odd := next((each for each in ids if len(str(each).split()) != 1), ""):
            raise InputError(f"{DATASET}{name} has the id {odd!r}; ids in a qrels file have no blanks.")
        lines.append(f"{ids[0]} {ids[1]} {ids[2]} {judgement.relevance}\n")
    return "".join(lines).encode()


def grade_labels(name: str) -> dict[int, str]:
    """What each grade means, from the documentation of the dataset; empty if that does not say."""
    loaded = loaded_dataset(name)
    return {int(grade): " ".join(str(text).split()) for grade, text in (loaded.qrels_defs() or {}).items()}


def topic_texts(name: str) -> dict[str, str]:
    """The text of every topic; empty if the dataset has none."""
    loaded = loaded_dataset(name)
    if not loaded.has_queries():
        return {}
    return {str(query.query_id): _record_text(query) for query in _downloaded_records(name, loaded.queries_iter)}


def document_texts(name: str, documents: list[str]) -> dict[str, str]:
    """The texts of these documents, for those that the dataset has."""
    loaded = loaded_dataset(name)
    if not loaded.has_docs():
        return {}
    found = _downloaded_records(name, lambda: loaded.docs_store().get_many(documents).items())
    return {str(doc): _record_text(content) for doc, content in found}


def _record_text(record: Any) -> str:
    """The text of a topic or document: its default text, or its fields after the id."""
    text = record.default_text() if hasattr(record, "default_text") else " ".join(map(str, record[1:]))
    return " ".join(str(text).split())


def loaded_dataset(name: str) -> Any:
    """The dataset with this name."""
    try:
        ir_datasets = import_module("ir_datasets")
    except ImportError:
        raise missing_package_error("ir_datasets", "ir-datasets", DATASET + name) from None
    try:
        return ir_datasets.load(name)
    except KeyError:
        hint = did_you_mean(name, list(ir_datasets.registry._registered), "see https://ir-datasets.com for the names.")
        raise InputError(f"ir_datasets has no dataset {name!r}; {hint}", value=name, code="no-dataset") from None


def _judged_example(name: str) -> str:
    """A dataset with judgements whose name begins alike, or a well-known one."""
    registered = import_module("ir_datasets").registry._registered
    parts = (other for other, loaded in registered.items() if other.startswith(f"{name}/") and loaded.has_qrels())
    return DATASET + next(parts, "msmarco-passage/trec-dl-2019/judged")


def _downloaded_records(name: str, content: Any) -> list[Any]:
    """All records of an iterator, which may download them; a failure says that a network may be needed."""
    log = getLogger("ir_datasets")
    log.addFilter(_is_no_failed_attempt)
    try:
        return list(content())
    except InputError:
        raise
    except Exception as error:  # ir_datasets raises those of many libraries
        reason = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
        found = " ".join(reason.split())[:200] or type(error).__name__
        cause = f"{DATASET}{name} cannot be read: {found.rstrip('.')}"
        raise InputError(f"{cause}. It may have to be downloaded first, which needs a network.") from None
    finally:
        log.removeFilter(_is_no_failed_attempt)


def _is_no_failed_attempt(record: LogRecord) -> bool:
    """Whether a message of ir_datasets is about anything else than a failed attempt, which our error sums up."""
    return not record.getMessage().lower().startswith(("download error", "download failed"))
