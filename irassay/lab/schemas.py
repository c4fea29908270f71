"""Declarations as JSON Schema and OpenAPI: every method and metric of the index, with nothing written by hand."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from irassay.lab.requests import (
    FIXED_ROLES,
    Argument,
    Entry,
    accepted_arguments,
    api_path,
    is_accepted,
    is_offered,
    primary_inputs,
    side_roles,
    takes_files,
    uses_collection,
)

NUMBERS = {"whole": "integer", "wholes": "integer", "number": "number", "numbers": "number"}
PROBLEM = {"$ref": "#/components/responses/Problem"}
FORMATS = ("json", "csv", "latex", "markdown", "html", "svg", "png")


def argument_schema(argument: Argument) -> dict[str, Any]:
    """The JSON Schema of one setting."""
    kind = argument["kind"]
    schema: dict[str, Any]
    if takes_files(argument):
        schema = {"type": "string", "description": "The id of an uploaded file."}
    elif kind in ("flag", "switch"):
        schema = {"type": "boolean"}
    elif kind in NUMBERS:
        schema = {"type": NUMBERS[kind]}
        schema |= {} if argument.get("low") is None else {"minimum": argument["low"]}
        schema |= {} if argument.get("high") is None else {"maximum": argument["high"]}
    else:
        schema = {"type": "string"}
        schema |= {"enum": list(argument["choices"])} if argument.get("choices") else {}
    if argument.get("repeats") or kind in ("wholes", "numbers"):
        schema = {"type": "array", "items": schema}
    schema["description"] = argument["help"]
    return schema | ({"x-default": argument["default"]} if argument.get("default") else {})


def settings_schema(entry: Entry) -> dict[str, Any]:
    """The JSON Schema of a method's settings."""
    accepted = accepted_arguments(entry).items()
    properties = {name: argument_schema(a) for name, a in accepted if name not in ("metrics", "metric")}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def body_schema(entry: Entry) -> dict[str, Any]:
    """The JSON Schema of a request for a method."""
    metrics = next((a for a in entry["arguments"] if a["name"] in ("metrics", "metric") and is_accepted(a)), None)
    properties: dict[str, Any] = {"settings": settings_schema(entry)}
    if metrics is not None:
        several = metrics["name"] == "metrics"
        limits = {} if several else {"minItems": 1, "maxItems": 1}
        properties["metrics"] = {
            "type": "array", "items": {"type": "string"}, "description": metrics["help"], **limits
        }  # fmt: skip
    return {"type": "object", "properties": properties, "additionalProperties": False}


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


def parameter_schema(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a parameter of a metric, from its domain."""
    kind = parameter["kind"]
    ends = {}
    for end, name in (("low", "inimum"), ("high", "aximum")):
        if parameter.get(end) is not None:
            is_open = parameter.get("open", "") in (end, "both")
            word = ("exclusiveM" if is_open else "m") + name
            ends[word] = parameter[end]
    words = list(parameter.get("words", ()))
    schemas: dict[str, dict[str, Any]] = {
        "flag": {"type": "boolean"},
        "whole": {"type": "integer", **ends},
        "number": {"type": "number", **ends},
        "word": {"type": "string", "enum": words},
        "table": {"type": "array", "items": {"type": "number", **ends}},
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
        "parameters": {"type": "object", "properties": properties, "additionalProperties": False},
    }


def openapi(commands: Mapping[str, Entry]) -> dict[str, Any]:
    """The OpenAPI 3.1 description of the API."""
    offered = {command: entry for command, entry in commands.items() if is_offered(entry)}
    paths: dict[str, Any] = {
        "/api/metrics": {"get": _operation("Every metric, with the JSON Schema of its parameters.", "Metrics")},
        "/api/methods": {"get": _operation("Every method, with the JSON Schema of its request.", "Methods")},
        "/api/collections": {
            "get": _operation("The collections.", "Collections", {"type": "array", "items": _ref("Collection")}),
            "post": _upload(commands),
        },
        "/api/collections/{id}": {
            "parameters": [_path_parameter("id")],
            "get": _operation("A collection.", "Collections", _ref("Collection")),
            "delete": {"summary": "Remove a collection with its files and results.", "tags": ["Collections"],
                       "responses": {"204": {"description": "It is removed."}, "default": PROBLEM}},
        },
        "/api/collections/{id}/bench": {
            "parameters": [_path_parameter("id")],
            "post": _with_body(_operation("Means, order and curves of user models.", "Bench"), _ref("BenchRequest")),
        },
        "/api/jobs/{id}": {
            "parameters": [_path_parameter("id")],
            "get": _operation("The state of a job.", "Jobs", _ref("Job")),
            "delete": _operation("Cancel a job.", "Jobs", _ref("Job")),
        },
        "/api/jobs/{id}/events": {
            "parameters": [_path_parameter("id")],
            "get": {"summary": "The progress of a job, as server-sent events that end with it.", "tags": ["Jobs"],
                    "responses": {"200": {"description": "Job objects.", "content": {"text/event-stream": {}}},
                                  "default": PROBLEM}},
        },
        "/api/jobs/{id}/result": {
            "parameters": [
                _path_parameter("id"),
                {"name": "format", "in": "query", "schema": {"type": "string", "enum": list(FORMATS)}},
            ],
            "get": _operation("The result of a finished job; 409 before its end.", "Jobs"),
        },
    }  # fmt: skip
    for command, entry in offered.items():
        on_collection = uses_collection(entry)
        path = f"/api/collections/{{id}}/{api_path(command)}" if on_collection else f"/api/{api_path(command)}"
        operation = _with_body(_operation(entry["question"], "Methods"), body_schema(entry))
        operation |= {"description": entry["about"], "operationId": api_path(command).replace("/", "-")}
        operation["responses"]["202"] = {
            "description": "A job was started.",
            "headers": {"Location": {"description": "The job.", "schema": {"type": "string"}}},
            "content": {"application/json": {"schema": _ref("Job")}},
        }
        entry_of_path = paths.setdefault(path, {})
        entry_of_path |= {"parameters": [_path_parameter("id")]} if on_collection else {}
        entry_of_path["post"] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "irassay lab", "version": version("irassay"),
                 "description": "Every method of irassay, on uploaded collections."},
        "security": [{"token": []}, {"cookie": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "irassay-lab"},
            },
            "schemas": SCHEMAS,
            "responses": {
                "Problem": {
                    "description": "What is wrong, as a problem document (RFC 9457).",
                    "content": {"application/problem+json": {"schema": _ref("Problem")}},
                }
            },
        },
    }  # fmt: skip


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _path_parameter(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _operation(summary: str, tag: str, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    content = {"application/json": {"schema": schema or {}}}
    responses: dict[str, Any] = {"200": {"description": "The answer.", "content": content}, "default": PROBLEM}
    return {"summary": summary, "tags": [tag], "responses": responses}


def _with_body(operation: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    return operation | {"requestBody": {"content": {"application/json": {"schema": schema}}}}


def _upload(commands: Mapping[str, Entry]) -> dict[str, Any]:
    file = {"type": "string", "contentMediaType": "application/octet-stream"}
    many = {"type": "array", "items": file}
    properties = {"name": {"type": "string"}} | dict.fromkeys([*FIXED_ROLES, *side_roles(commands)], many)
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {
        "summary": "Upload a collection.",
        "tags": ["Collections"],
        "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}},
        "responses": {
            "201": {
                "description": "The collection, with what validate reports.",
                "headers": {"Location": {"schema": {"type": "string"}}},
                "content": {"application/json": {"schema": _ref("Collection")}},
            },
            "default": PROBLEM,
        },
    }


_STRING = {"type": "string"}
_FILE = {"type": "object", "properties": dict.fromkeys(("id", "role", "name", "sha256"), _STRING)}
SCHEMAS: dict[str, Any] = {
    "Collection": {
        "type": "object",
        "properties": {
            "id": _STRING, "name": _STRING, "files": {"type": "array", "items": _FILE},
            "notes": {"type": "array", "items": _STRING},
        },
    },
    "Job": {
        "type": "object",
        "properties": {
            "id": _STRING, "state": {"enum": ["queued", "running", "done", "failed", "cancelled"]},
            "progress": {"type": "number", "minimum": 0, "maximum": 1}, "detail": _STRING,
        },
    },
    "BenchRequest": {
        "type": "object",
        "properties": {
            "metrics": {"type": "array", "items": _STRING, "minItems": 1, "maxItems": 4},
            "settings": {
                "type": "object",
                "properties": {
                    "ranks": {"type": "integer", "minimum": 1, "maximum": 100},
                    "ranking": {"type": "string", "description": "Grades from the top, such as 1,0,2."},
                    "client": {**_STRING, "description": "A newer request of this client replaces one that waits."},
                },
                "additionalProperties": False,
            },
        },
        "required": ["metrics"],
        "additionalProperties": False,
    },
    "Problem": {
        "type": "object",
        "properties": {
            "type": _STRING, "title": _STRING, "status": {"type": "integer"}, "detail": _STRING,
            "errors": {
                "type": "array",
                "items": {"type": "object", "properties": {"pointer": _STRING, "detail": _STRING}},
            },
        },
    },
}  # fmt: skip
