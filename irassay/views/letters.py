"""Letters that a picture may lack a font for."""

import shutil
import subprocess
from pathlib import Path

from irassay.views.view import View

AS_PIXELS = (".png", ".pdf")  # pictures that are drawn here, with the fonts of this machine
DRAWN = 0x0600  # the fonts that come along have the letters before this, and signs
SIGNS = range(0x1E00, 0x2E80)


def on_letters(view: View, path: Path) -> list[str]:
    """A note on names in a picture whose letters no font here is known to have, which are drawn as boxes."""
    if path.suffix not in AS_PIXELS:
        return []
    texts = {text for table in view.tables for row in (table.columns, *table.rows) for text in row if type(text) is str}
    odd = sorted({letter for text in texts for letter in text if ord(letter) >= DRAWN and ord(letter) not in SIGNS})
    if not odd or _has_font("".join(odd)):
        return []
    some = "".join(odd[:5]) + ("…" if len(odd) > 5 else "")
    return [
        f"no font here is known to have {some}, which may be boxes in the picture; .svg and .html keep them as text"
    ]


def _has_font(letters: str) -> bool:
    """Whether a font of this machine has all these letters, as far as fontconfig says."""
    if shutil.which("fc-list") is None:
        return False
    asked = ":charset=" + " ".join(f"{ord(letter):x}" for letter in letters[:1000])
    try:
        done = subprocess.run(["fc-list", asked, "family"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return bool(done.stdout.strip())
