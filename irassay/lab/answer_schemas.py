"""JSON Schema of what the API answers: declarations, collections, documents, the bench, jobs and problems."""

from typing import Any

from irassay.lab.workspace import JOB_STATES

Schema = dict[str, Any]
STRING: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}
NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
OBJECT: Schema = {"type": "object"}
SCHEMA: Schema = {"type": "object", "description": "A JSON Schema."}


def ref(name: str) -> Schema:
    """A reference to one of the schemas below."""
    return {"$ref": f"#/components/schemas/{name}"}


def list_of(schema: Schema) -> Schema:
    """The schema of a list."""
    return {"type": "array", "items": schema}


def record(properties: Schema, optional: Schema | None = None) -> Schema:
    """The schema of an object with these properties, of which some may be absent, and no others."""
    every = properties | (optional or {})
    return {"type": "object", "properties": every, "required": list(properties), "additionalProperties": False}


ANSWER_SCHEMAS: Schema = {
    "Metric": record(
        {"name": STRING, "sentence": STRING, "aliases": list_of(STRING), "cutoff": FLAG, "needs": list_of(STRING),
         "range": list_of(NUMBER_OR_NULL), "cite": list_of(STRING), "parameters": SCHEMA}
    ),
    "Method": record(
        {"path": STRING, "command": STRING, "question": STRING, "about": STRING, "cite": list_of(STRING),
         "collection": FLAG, "inputs": list_of(STRING), "request": SCHEMA, "settings": SCHEMA}
    ),
    "Collection": record(
        {"id": STRING, "name": STRING, "files": list_of(ref("File")),
         "notes": {**list_of(STRING), "description": "What `irassay validate` reports, with file and line."}}
    ),
    "File": record({"id": STRING, "role": STRING, "name": STRING, "sha256": STRING}),
    "Document": {
        **record(
            {"irassay": STRING, "versions": OBJECT, "inputs": list_of(ref("Input")), "parameters": OBJECT,
             "sentences": list_of(STRING), "notes": list_of(STRING), "results": {"type": ["array", "object"]}}
        ),
        "description": "What the method's command prints with --format json.",
    },
    "Input": {"type": "object", "properties": {"path": STRING, "sha256": STRING}, "required": ["path"]},
    "BenchAnswer": record(
        {"systems": list_of(STRING), "topics": list_of(STRING), "max_grade": NUMBER_OR_NULL,
         "users": list_of(ref("BenchUser")),
         "reading": {**list_of(STRING), "description": "Settings of `score` that give the same scores."}}
    ),
    "BenchUser": record(
        {"metric": STRING, "label": STRING, "higher_is_better": FLAG, "means": list_of(NUMBER_OR_NULL),
         "order": {**list_of(WHOLE), "description": "Places in `systems`, the best first."},
         "curves": {"type": ["object", "null"], "additionalProperties": list_of(NUMBER_OR_NULL)}},
        {"items": list_of(STRING), "is_model": FLAG, "score": NUMBER_OR_NULL, "expected_depth": NUMBER_OR_NULL,
         "past": NUMBER_OR_NULL, "why_no_curves": STRING,
         "problem": {**STRING, "description": "Why it has no scores, if other users have."}},
    ),
    "Job": record(
        {"id": STRING, "state": {"enum": list(JOB_STATES)},
         "progress": {"type": "number", "minimum": 0, "maximum": 1}, "detail": STRING},
        {"problem": ref("Problem")},
    ),
    "Problem": record(
        {"type": STRING, "title": STRING, "status": WHOLE, "detail": STRING},
        {"errors": list_of(ref("ProblemError"))},
    ),
    "ProblemError": record(
        {"pointer": {**STRING, "description": "A JSON pointer to the part of the request."}, "detail": STRING},
        {"file": STRING, "line": WHOLE, "found": STRING, "expected": STRING, "fix": STRING, "code": STRING},
    ),
}  # fmt: skip
