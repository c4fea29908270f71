"""Progress bars on a terminal."""

import sys
from collections.abc import Callable
from shutil import get_terminal_size
from time import monotonic

from irassay.prose import padded_text

SHOWN_BARS: list["ProgressBar"] = []  # on the terminal; stopping one twice does no harm
BAR_WIDTH = 30  # characters
LEAST_SHARE = 0.05  # of the work, from which the time left can be estimated


def clear_progress() -> None:
    """Removes the progress bars that are still shown, for example when work was stopped half-way."""
    while SHOWN_BARS:
        SHOWN_BARS.pop().stop()


class ProgressBar:
    """A line on standard error with the share of the work that is done; it is removed when the work ends."""

    def __init__(self, label: str) -> None:
        self.label, self.finished = label, False
        self.started = self.drawn = monotonic()

    def update(self, done: int, total: int) -> None:
        """Draws the line at most ten times a second, once it takes over a second; at its end, removes it."""
        now, is_shown = monotonic(), self in SHOWN_BARS
        if is_shown and done >= total:
            self.stop()
        elif done < total and not self.finished and now - self.started >= 1 and now - self.drawn > 0.1:
            if not is_shown:
                SHOWN_BARS.append(self)
            self.drawn, share = now, done / total
            remaining = f", {(now - self.started) * (1 - share) / share:,.0f} s left" if share >= LEAST_SHARE else ""
            bar = ("=" * round(BAR_WIDTH * share)).ljust(BAR_WIDTH)
            self._write(f"{self.label} [{bar}] {share:.0%}{remaining}")

    def stop(self) -> None:
        """Removes the line."""
        if not self.finished:
            self.finished = True
            self._write("")

    def _write(self, text: str) -> None:
        columns = get_terminal_size().columns - 1
        sys.stderr.write(f"\r{padded_text(text[:columns], columns)}\r{text[:columns]}")
        sys.stderr.flush()


def progress(label: str, quiet: bool = False) -> Callable[[int, int], None]:
    """A function that shows progress on a terminal once work takes longer than a second; nothing when piped."""
    if quiet or not sys.stderr.isatty():
        return lambda done, total: None
    return ProgressBar(label).update
