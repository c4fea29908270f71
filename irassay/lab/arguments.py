"""The arguments of commands over HTTP: which there are, which are files, and the roles of these in a collection."""

from collections.abc import Mapping
from typing import Any

from irassay.lab.stored_files import StoredFile
from irassay.lab.workspace import Collection

Entry = Mapping[str, Any]  # of a command in the index
Argument = Mapping[str, Any]

ROLES = {"human": "qrels", "others": "other", "runs": "run"}  # of inputs not named after the role of their files
SEVERAL_ROLES = ("inputs", "paths")  # inputs that take files of several roles
FOLDER_ROLES = ("sessions",)  # of inputs that are a file or a folder: several files are a folder
FIXED_ROLES = ("qrels", "run", "scores", "other")


def is_api_method(entry: Entry) -> bool:
    """Whether a command is a method of the API: it has a result, and no input that only a command line can give."""
    return any(argument["name"] == "format" for argument in entry["arguments"])


def takes_files(argument: Argument) -> bool:
    """Whether the values of an argument are files."""
    return bool(argument.get("files"))


def is_accepted(argument: Argument) -> bool:
    """Whether an argument may be given over HTTP: it is no file to write, and needs no network."""
    is_written = argument["part"] == "view" and takes_files(argument)
    return argument["part"] != "envelope" and not is_written and not argument.get("network")


def accepted_arguments(entry: Entry) -> dict[str, Argument]:
    """The arguments that may be given over HTTP, by name; a setting named as an input is, goes by its option's name.

    Files are those of a collection, so a method without one takes none.
    """
    accepted: dict[str, Argument] = {}
    has_files = uses_collection(entry)
    for argument in (a for a in entry["arguments"] if is_accepted(a) and (has_files or not takes_files(a))):
        name = argument["name"]
        accepted[argument["flags"][0].lstrip("-").replace("-", "_") if name in accepted else name] = argument
    return accepted


def primary_inputs(entry: Entry) -> list[Argument]:
    """The inputs that are files of the collection, as opposed to files that say how to read them."""
    parts = [a for a in entry["arguments"] if takes_files(a) and is_accepted(a)]
    inputs = [a for a in parts if a["part"] == "input" and not a.get("panel")]
    return inputs and [a for a in parts if a in inputs or a["name"] in ROLES]


def uses_collection(entry: Entry) -> bool:
    """Whether a method is about the files of a collection."""
    return bool(primary_inputs(entry))


def side_roles(commands: Mapping[str, Entry]) -> list[str]:
    """The roles of files besides judgements, runs and score tables: the names of the arguments that take a file."""
    arguments = [a for entry in commands.values() if is_api_method(entry) for a in accepted_arguments(entry).values()]
    names = {role_of(argument["name"]) for argument in arguments if takes_files(argument)}
    return sorted(names - {*FIXED_ROLES, *SEVERAL_ROLES})


def reading_files(entry: Entry, collection: Collection) -> dict[str, StoredFile]:
    """The collection's files that say how to read its runs, by the name of the argument that takes them."""
    reading = [argument["name"] for argument in entry["arguments"] if argument.get("panel") == "Reading"]
    return {name: files[0] for name in reading if (files := collection.of_role(role_of(name)))}


def role_of(name: str) -> str:
    """The role of the files that an argument of this name takes."""
    return ROLES.get(name, name.replace("_", "-"))
