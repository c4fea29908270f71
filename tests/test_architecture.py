"""Imports go one way, so that the tree shows the architecture."""

import ast
from pathlib import Path

import irassay

ROOT = Path(irassay.__file__).parent
# From the ground up: a module may import from its own layer and from those before it.
LAYERS = [
    {"errors", "prose", "parallel", "provenance", "bibliography"},
    {"gain", "effort", "passages"},
    {"rankings"},
    {"scenarios", "turns", "ideal", "tails", "cwl"},
    {"definition", "instrument", "declare", "grammar", "metrics", "explanation"},
    {"reading", "trec"},
    {"judging", "judge"},
    {"truth", "dynamic", "sessions", "validate", "inputs", "evaluate", "scores", "enumerate"},
    {"tables", "simulation", "stats"},
    {"properties", "meta"},
    {"userfile"},
    {"papers", "report", "demo"},
    {"cli", "__main__"},
]
PLACE = {name: i for i, layer in enumerate(LAYERS) for name in layer}


def imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {name.split(".")[1] for name in names if name.startswith("irassay.")}


def test_nothing_reaches_back() -> None:
    wrong = []
    for path in ROOT.rglob("*.py"):
        own = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if own != "__init__":
            wrong += [f"{path.relative_to(ROOT)} imports {name}" for name in imports(path) if PLACE[name] > PLACE[own]]
    assert not wrong
