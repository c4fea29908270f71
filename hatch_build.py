"""Compiles what the package has in C if there is a compiler; else the wheel is pure Python."""

import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

OPTIONS = ("-O3", "-std=gnu11", "-fPIC", "-shared", "-ffp-contract=off")


class Scanner(BuildHookInterface):
    """What hatchling asks when it builds a wheel, editable ones too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles what is in C and says that the wheel is for this platform; or does neither."""
        compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
        for source in sorted(Path(self.root).glob("irassay/**/*.c")):
            file = source.with_suffix(".shared")
            new = Path(f"{file}.new")
            command = [*compiler.split(), *OPTIONS, str(source), "-o", str(new), "-lm"]
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=120)
                new.replace(file)  # a process that has the old one open keeps it
            except (OSError, subprocess.SubprocessError) as problem:
                for each in (file, new):
                    each.unlink(missing_ok=True)
                self.app.display_warning(f"{source.name} was not compiled ({problem}); irassay is slower without it")
                continue
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{next(sys_tags()).platform}"
            build_data["artifacts"].append(str(file.relative_to(self.root)))
