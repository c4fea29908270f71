"""Declarations as JSON Schema and OpenAPI: every method and metric of the index, with nothing written by hand."""

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from irassay.lab.answer_schemas import ANSWER_SCHEMAS, OBJECT, STRING, list_of, record, ref
from irassay.lab.arguments import (
    FIXED_ROLES,
    Argument,
    Entry,
    accepted_arguments,
    is_accepted,
    is_api_method,
    primary_inputs,
    side_roles,
    takes_files,
    uses_collection,
)
from irassay.lab.page_requests import BENCH_SETTINGS, MAX_USERS
from irassay.lab.requests import api_path

NUMBERS = {"whole": "integer", "wholes": "integer", "number": "number", "numbers": "number"}
LIMIT_WORDS = (("low", "minimum", "exclusiveMinimum"), ("high", "maximum", "exclusiveMaximum"))
PROBLEM = {"$ref": "#/components/responses/Problem"}
ID = {"parameters": [{"name": "id", "in": "path", "required": True, "schema": STRING}]}  # of a path with {id}
TAGS = {"openapi.json": "About", "docs": "About"}  # headings of operations, if not the first word of their path
TIMING = {"$ref": "#/components/headers/Server-Timing"}
MEDIA_TYPES = {  # of the formats of a result
    "json": "application/json", "csv": "text/csv; charset=utf-8", "latex": "text/x-tex; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8", "svg": "image/svg+xml",
    "png": "image/png",
}  # fmt: skip


def argument_schema(argument: Argument) -> dict[str, Any]:
    """The JSON Schema of one setting."""
    kind = argument["kind"]
    schema: dict[str, Any]
    if takes_files(argument):
        schema = {"type": "string"}
    elif kind in ("flag", "switch"):
        schema = {"type": "boolean"}
    elif kind in NUMBERS:
        schema = {"type": NUMBERS[kind], **_number_limits(argument)}
    else:
        schema = {"type": "string"}
        schema |= {"enum": list(argument["choices"])} if argument.get("choices") else {}
    if argument.get("repeats") or kind in ("wholes", "numbers"):
        schema = {"type": "array", "items": schema}
    schema["description"] = (
        f"{argument['help']} Give the id of an uploaded file." if takes_files(argument) else argument["help"]
    )
    return schema | ({"x-default": argument["default"]} if argument.get("default") else {})


def settings_schema(entry: Entry) -> dict[str, Any]:
    """The JSON Schema of a method's settings."""
    accepted = {name: a for name, a in accepted_arguments(entry).items() if name not in ("metrics", "metric")}
    required = {name: a for name, a in accepted.items() if a.get("required") and not takes_files(a)}
    schemas = {name: argument_schema(argument) for name, argument in accepted.items()}
    return record({name: schemas[name] for name in required}, schemas)


def body_schema(entry: Entry) -> dict[str, Any]:
    """The JSON Schema of a request for a method."""
    metrics = next((a for a in entry["arguments"] if a["name"] in ("metrics", "metric") and is_accepted(a)), None)
    settings = settings_schema(entry)
    properties: dict[str, Any] = {"settings": settings}
    required = ["settings"] if settings["required"] else []
    if metrics is not None:
        one = metrics["name"] == "metric"
        limits = {"minItems": 1, "maxItems": 1} if one else {}
        properties["metrics"] = {**list_of(STRING), "description": metrics["help"], **limits}
        required += ["metrics"] if one else []
    return record({name: properties[name] for name in required}, properties)


def method_document(command: str, entry: Entry) -> dict[str, Any]:
    """A method as the API describes it."""
    return {
        "path": api_path(command),
        "command": command,
        "question": entry["question"],
        "about": entry["about"],
        "cite": list(entry["cite"]),
        "collection": uses_collection(entry),
        "inputs": [argument["name"] for argument in primary_inputs(entry)],
        "request": body_schema(entry),
        "settings": settings_schema(entry),
    }


def _number_limits(declared: Mapping[str, Any]) -> dict[str, Any]:
    """The smallest and the largest number that a setting or parameter may be, as JSON Schema has them."""
    limits = {}
    for end, closed, open_ in LIMIT_WORDS:
        if declared.get(end) is not None:
            limits[open_ if declared.get("open", "") in (end, "both") else closed] = declared[end]
    return limits


def parameter_schema(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a parameter of a metric, from its domain."""
    kind = parameter["kind"]
    limits = _number_limits(parameter)
    words = list(parameter.get("words", ()))
    schemas: dict[str, dict[str, Any]] = {
        "flag": {"type": "boolean"},
        "whole": {"type": "integer", **limits},
        "number": {"type": "number", **limits},
        "word": {"type": "string", "enum": words},
        "table": {"type": "array", "items": {"type": "number", **limits}},
    }
    allowed = [schemas.get(kind, {"type": "string"})]
    if words and kind != "word":
        allowed.insert(0, schemas["word"])
    default = parameter.get("default")
    if default is None or parameter.get("optional"):
        allowed.append({"type": "null"})
    schema = {"anyOf": allowed} if len(allowed) > 1 else allowed[0]
    return {**schema, "description": parameter.get("sentence", ""), "default": default}


def metric_document(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """A metric as the API describes it; `entry` has its parameters as records."""
    properties = {each["name"]: parameter_schema(each) for each in entry["parameters"]}
    return {
        "name": name,
        "sentence": entry["sentence"],
        "aliases": list(entry.get("aliases", ())),
        "cutoff": bool(entry.get("cutoff")),
        "needs": list(entry.get("needs", ())),
        "range": entry.get("range", [None, None]),
        "cite": list(entry.get("cite", ())),
        "parameters": record({}, properties),
    }


def openapi(commands: Mapping[str, Entry], metrics: Iterable[str]) -> dict[str, Any]:
    """The OpenAPI 3.1 description of the API: of these commands, with the names of these metrics."""
    paths = _fixed_paths(commands, metrics)
    for command, entry in commands.items():
        if is_api_method(entry):
            prefix, item = ("/api/collections/{id}", dict(ID)) if uses_collection(entry) else ("/api", {})
            paths.setdefault(f"{prefix}/{api_path(command)}", item)["post"] = _method(command, entry)
    for path, item in paths.items():
        word = path.split("/")[2]
        for verb in item.keys() - {"parameters"}:
            item[verb].setdefault("tags", [TAGS.get(word, word.title())])
    return {
        "openapi": "3.1.0",
        "info": {"title": "irassay lab", "version": version("irassay"),
                 "description": "Every method of irassay, on uploaded collections."},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": ANSWER_SCHEMAS,
            "headers": {"Server-Timing": {"description": "How long the answer took: app;dur=MILLISECONDS.",
                                          "required": True, "schema": STRING}},
            "responses": {
                "Problem": _answer("What is wrong (RFC 9457).", "application/problem+json", ref("Problem")),
            },
        },
    }  # fmt: skip


def _fixed_paths(commands: Mapping[str, Entry], metrics: Iterable[str]) -> dict[str, Any]:
    """The paths of the API but for those of methods."""
    return {
        "/api/metrics": {
            "get": _get("Every metric, with the JSON Schema of its parameters.", list_of(ref("Metric")))
            | {"description": f"The metrics are {', '.join(metrics)}."}
        },
        "/api/methods": {"get": _get("Every method, with the JSON Schema of its request.", list_of(ref("Method")))},
        "/api/openapi.json": {"get": _get("This description.", OBJECT)},
        "/api/docs": {"get": _operation("This description, as a page.", _answer("The page.", "text/html"))},
        "/api/collections": {"get": _get("The collections.", list_of(ref("Collection"))), "post": _upload(commands)},
        "/api/collections/{id}": ID | {
            "get": _get("A collection.", ref("Collection")),
            "delete": _operation("Remove a collection with its files and results.", _answer("It is removed."), "204"),
        },
        "/api/collections/{id}/bench": ID | {
            "post": _get("Means, order and curves of user models.", ref("BenchAnswer")) | _json_body(_bench_schema())
        },
        "/api/jobs/{id}": ID | {
            "get": _get("The state of a job.", ref("Job")),
            "delete": _get("Cancel a job; one that has ended stays as it is.", ref("Job")),
        },
        "/api/jobs/{id}/events": ID | {
            "get": _operation("The progress of a job, as events with a Job each, which end with it.",
                              _answer("Server-sent events.", "text/event-stream")),
        },
        "/api/jobs/{id}/result": {"parameters": [*ID["parameters"], *_result_parameters()], "get": _result()},
    }  # fmt: skip


def _parameter(name: str, place: str, schema: Mapping[str, Any] = STRING, description: str = "") -> dict[str, Any]:
    about = {"description": description} if description else {}
    return {"name": name, "in": place, "required": place == "path", "schema": schema, **about}


def _answer(description: str, kind: str = "", schema: Mapping[str, Any] = STRING) -> dict[str, Any]:
    """An answer of this media type; every answer says how long it took."""
    content = {"content": {kind: {"schema": schema}}} if kind else {}
    return {"description": description, "headers": {"Server-Timing": TIMING}, **content}


def _operation(summary: str, answer: Mapping[str, Any], status: str = "200") -> dict[str, Any]:
    return {"summary": summary, "responses": {status: answer, "default": PROBLEM}}


def _get(summary: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return _operation(summary, _answer("The answer.", "application/json", schema))


def _json_body(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": bool(schema["required"]), "content": {"application/json": {"schema": schema}}}}


def _with_location(answer: dict[str, Any], description: str) -> dict[str, Any]:
    """An answer with the address of something new."""
    return answer | {"headers": answer["headers"] | {"Location": {"description": description, "schema": STRING}}}


def _method(command: str, entry: Entry) -> dict[str, Any]:
    """The operation of a method."""
    operation = _get(entry["question"], ref("Document")) | _json_body(body_schema(entry))
    job = _answer("A job was started.", "application/json", ref("Job"))
    operation["responses"]["202"] = _with_location(job, "The job.")
    prefer = _parameter("Prefer", "header", description="respond-async: always answer with a job.")
    name = api_path(command).replace("/", "-")
    return operation | {"description": entry["about"], "operationId": name, "parameters": [prefer], "tags": ["Methods"]}


def _bench_schema() -> dict[str, Any]:
    """The JSON Schema of a request of the bench."""
    settings = {name: argument_schema(argument) for name, argument in BENCH_SETTINGS.items()}
    metrics = {**list_of(STRING), "minItems": 1, "maxItems": MAX_USERS, "description": "The user models."}
    return record({"metrics": metrics}, {"settings": record({}, settings)})


def _result_parameters() -> list[dict[str, Any]]:
    return [
        _parameter("format", "query", {"type": "string", "enum": list(MEDIA_TYPES), "default": "json"}),
        _parameter(
            "chart", "query", {"type": "integer", "minimum": 0, "default": 0}, "Which picture, for svg and png."
        ),
        _parameter("download", "query", description="Anything, to get JSON as an attachment, as other formats are."),
    ]


def _result() -> dict[str, Any]:
    """The operation that gives a job's result in a format."""
    operation = _get("The result of a job that is done, in a format.", ref("Document"))
    content = operation["responses"]["200"]["content"]
    for kind in MEDIA_TYPES.values():
        content.setdefault(kind.partition(";")[0], {"schema": STRING})
    problem = _answer("The job is not done; its problem, if it failed.", "application/problem+json", ref("Problem"))
    operation["responses"]["409"] = problem
    return operation


def _upload(commands: Mapping[str, Entry]) -> dict[str, Any]:
    many = list_of({"type": "string", "contentMediaType": "application/octet-stream"})
    schema = record({}, {"name": STRING} | dict.fromkeys([*FIXED_ROLES, *side_roles(commands)], many))
    made = _answer("The collection, with what validate reports.", "application/json", ref("Collection"))
    operation = _operation("Upload a collection.", _with_location(made, "The collection."), "201")
    return operation | {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}
