"""The command line: parse the words by the index, ask the method, print the answer, set the exit status."""

import math
import os
import sys
from contextlib import suppress
from typing import NoReturn

from irassay.errors import InputError, error_line, spelled_as

INTERRUPTS: list[int] = []  # every Ctrl-C
NUMBER_VARIABLES = {  # environment variables that libraries read: smallest value, largest value, description
    "POLARS_MAX_THREADS": (1, 1 << 16, "a number of threads, 1 or more"),
    "SOURCE_DATE_EPOCH": (0, 253402300799, "whole seconds since 1970"),
}
OPEN_FILES_NEEDED = 32  # at the same time, by the libraries
STARTS_WORKERS = "lab"  # the command that runs users' files in processes of its own
OUT_OF_MEMORY = "Not enough memory. Give fewer runs, topics or metrics at a time"


def command() -> NoReturn:
    """Runs the command of this process and exits at once, because freeing what it built would take longer."""
    import atexit

    from irassay.limits import SMALLEST_LIMIT, memory_limit, start_child

    open_streams()
    pipe = status = None
    if memory_limit() < SMALLEST_LIMIT:
        stop(f"irassay needs at least {SMALLEST_LIMIT >> 20} MiB of address space. Allow more (ulimit -v).", 2)
    if memory_limit() < math.inf and (pipe := start_child()) is None:
        stop(f"{OUT_OF_MEMORY}, or allow more (ulimit -v).", 2)
    words = sys.argv[1:]
    has_user_code = words[:1] != [STARTS_WORKERS] and any(word.split("=")[0] == "--define" for word in words)
    if has_user_code and pipe is None and hasattr(os, "fork") and (pipe := start_child()) is None:
        stop("The process ended before the answer was complete; does your file (--define) end it, as os._exit does?", 3)

    def end() -> None:  # registered first, so called last
        if pipe is not None and (status is not None or os.environ.get("IRASSAY_TRACEBACK")):
            os.write(pipe, b".")
        if status is not None:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(status)

    atexit.register(end)
    try:
        try:
            handle_interrupts()
            main()
        except KeyboardInterrupt:  # before or after the part that main guards
            stop("Stopped.", 130)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
        raise


def main() -> NoReturn:
    """Runs the command of this process; bad input ends with one sentence on standard error and status 2."""
    import gc

    from irassay.limits import memory_limit

    gc.set_threshold(300_000, 20, 20)  # what imports create is not garbage
    open_streams()
    for stream in (sys.stdout, sys.stderr):  # characters that the encoding lacks are shown as escapes
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    spellings: dict[str, str] = {}  # of the command's arguments, filled once the command is known
    with spelled_as("option", spellings):
        try:
            from irassay.cli.program import run

            check_environment()
            status = run(sys.argv[1:], spellings)
            sys.stdout.flush()
        except InputError as problem:
            stop(str(problem), 2)
        except BrokenPipeError:
            leave(141)  # like a command that SIGPIPE ends
        except OSError as problem:
            file = f"{problem.filename}: " if problem.filename is not None else ""
            stop(f"{file}{problem.strerror or problem}.", 2, problem)
        except SystemExit:
            raise
        except BaseException as problem:  # a panic of a library is not an Exception
            # A library may turn an interrupt into another exception, as numpy does while it is imported.
            if INTERRUPTS or isinstance(problem, KeyboardInterrupt):
                stop("Stopped.", 130)
            library_failed = isinstance(problem, ImportError) and "failed to map" in str(problem)  # no memory for it
            if library_failed or isinstance(problem, MemoryError):
                stop(f"{OUT_OF_MEMORY}.", 2, problem)
            details = f"{type(problem).__name__}: {problem}"
            from irassay.provenance import DEFINED_FILES

            for file in DEFINED_FILES:
                if line := error_line(problem, file):
                    stop(f"{file}, line {line}: {details}", 2, problem)
            if memory_limit() < math.inf:
                cause = f"Something failed, perhaps because memory is limited (ulimit -v): {' '.join(details.split())}"
                stop(f"{cause}. Allow more, and report it if that does not help.", 2, problem)
            stop(f"internal error: {details}; please report it with the output of IRASSAY_TRACEBACK=1", 3, problem)
    sys.exit(status)


def handle_interrupts() -> None:
    """Makes sure that no Ctrl-C is lost, unless the parent process has it ignored."""
    import signal

    def interrupt(number: int, _: object) -> None:
        INTERRUPTS.append(number)
        raise KeyboardInterrupt

    def interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):  # raised where nothing can be raised, as in a destructor
            from _thread import interrupt_main
            from threading import Timer

            Timer(0.01, interrupt_main).start()
        else:
            sys.__unraisablehook__(lost)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
        sys.unraisablehook = interrupt_again


def check_environment() -> None:
    """Refuses an environment in which libraries would fail when they are loaded; an empty variable counts as unset."""
    for name, (low, high, description) in NUMBER_VARIABLES.items():
        text = os.environ.get(name)
        if text == "":
            del os.environ[name]
        elif text is not None and not (text.isdecimal() and len(text) < 13 and low <= int(text) <= high):
            raise InputError(f"{name} is {text!r} in the environment. Set it to {description}, or unset it.")
    with suppress(ImportError):  # on systems without such limits
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= limit < OPEN_FILES_NEEDED:
            raise InputError(
                f"This process may open {limit} files, but irassay needs {OPEN_FILES_NEEDED}. Allow more (ulimit -n)."
            )


def open_streams() -> None:
    """Opens the null device in place of closed standard streams, so that no other file takes their number."""
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(number)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


def stop(message: str, status: int, cause: BaseException | None = None) -> NoReturn:
    """Ends with a sentence on standard error; raises the cause instead if IRASSAY_TRACEBACK is set."""
    from irassay.prose import visible_text, wrapped_for_terminal

    if cause is not None and os.environ.get("IRASSAY_TRACEBACK"):
        raise cause
    with suppress(OSError):
        print(wrapped_for_terminal(f"irassay: {visible_text(message, keep=chr(10))}"), file=sys.stderr)
    leave(status)


def leave(status: int) -> NoReturn:
    """Ends with this status, even if standard output can no longer be written."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # what is left has nowhere to go
    sys.exit(status)
