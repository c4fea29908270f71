"""Compiles irassay/io/scan/scan.c where there is a compiler; without one the wheel is pure Python, and slower."""

import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

SCANNER = Path("irassay") / "io" / "scan"
OPTIONS = ("-O3", "-std=gnu11", "-fPIC", "-shared")


class Scanner(BuildHookInterface):
    """What hatchling asks when it builds a wheel, editable ones too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles the scanner and says that the wheel is for this platform; or does neither."""
        folder = Path(self.root) / SCANNER
        target, new = folder / "scan.shared", folder / "scan.shared.new"
        compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
        command = [*compiler.split(), *OPTIONS, str(folder / "scan.c"), "-o", str(new), "-lm"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=120)
            new.replace(target)  # a process that has the old one open keeps it
        except (OSError, subprocess.SubprocessError) as problem:
            for file in (target, new):
                file.unlink(missing_ok=True)
            self.app.display_warning(f"scan.c was not compiled ({problem}); files are read without it")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{next(sys_tags()).platform}"
        build_data["artifacts"].append(str(SCANNER / "scan.shared"))
