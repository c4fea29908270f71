"""Characters for which this machine may have no font."""

import subprocess
from pathlib import Path

from irassay.views.view import View

FONT_FORMATS = (".png", ".pdf")  # drawn with the fonts of this machine
FIRST_UNCOVERED = 0x0600  # the bundled fonts have the characters before this, and these signs
SIGNS = range(0x1E00, 0x2E80)


def font_notes(view: View, path: Path) -> list[str]:
    """A note on characters of a chart for which no font was found, and which may be drawn as boxes."""
    if path.suffix not in FONT_FORMATS:
        return []
    texts = {text for table in view.tables for row in (table.columns, *table.rows) for text in row if type(text) is str}
    rare = sorted({c for text in texts for c in text if ord(c) >= FIRST_UNCOVERED and ord(c) not in SIGNS})
    if not rare or _has_font("".join(rare)):
        return []
    shown = "".join(rare[:5]) + ("…" if len(rare) > 5 else "")
    return [f"no font was found for {shown}, which may be boxes in the chart; .svg and .html keep them as text"]


def _has_font(letters: str) -> bool:
    """Whether fontconfig finds a font that has all these characters."""
    pattern = ":charset=" + " ".join(f"{ord(letter):x}" for letter in letters[:1000])
    try:
        done = subprocess.run(["fc-list", pattern, "family"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):  # there is no fontconfig
        return False
    return bool(done.stdout.strip())
