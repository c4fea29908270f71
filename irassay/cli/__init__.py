"""The command line: parse by the index, read the inputs, ask the method, print the answer."""

import os
import sys
from contextlib import suppress
from typing import NoReturn

from irassay.errors import InputError, spelled_as

INTERRUPTS: list[int] = []  # every Ctrl-C
NUMBERS = {  # variables of the environment, with what they may be
    "POLARS_MAX_THREADS": (1, 1 << 16, "a number of threads from 1 on"),
    "SOURCE_DATE_EPOCH": (0, 253402300799, "seconds since 1970, a whole number"),
}
LEAST_FILES = 32  # open at a time, with which libraries do their work
NO_ROOM = "there is not enough memory for this; give fewer runs, topics or metrics at a time"


def command() -> NoReturn:
    """Runs a command in a process of its own, which ends at once: taking down what it built would take longer."""
    import atexit

    from irassay.limits import LEAST, in_child, limited

    open_streams()
    tells = status = None
    if limited(below=LEAST):
        stop(f"{LEAST >> 20} MiB of address space are needed at least; allow more (ulimit -v)", 2)
    if limited() and (tells := in_child()) is None:
        stop(f"{NO_ROOM}, or allow more (ulimit -v)", 2)

    def end() -> None:  # registered first, and so called last
        if tells is not None and (status is not None or os.environ.get("IRASSAY_TRACEBACK")):
            os.write(tells, b".")
        if status is not None:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(status)

    atexit.register(end)
    try:
        try:
            heed_interrupts()
            main()
        except KeyboardInterrupt:  # outside of what main looks after
            stop("stopped", 130)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
        raise


def main() -> NoReturn:
    """Runs a command; bad input ends in one sentence on standard error and status 2."""
    spellings: dict[str, str] = {}
    with spelled_as("option", spellings):
        run_words(spellings)


def run_words(spellings: dict[str, str]) -> NoReturn:
    """Runs the command of this process; `spellings` are those of its arguments, once it is known."""
    import gc

    from irassay.limits import limited

    gc.set_threshold(300_000, 20, 20)  # what imports make is not garbage
    open_streams()
    for stream in (sys.stdout, sys.stderr):  # what an encoding lacks is seen as an escape
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        from irassay.cli.program import run

        check_environment()
        status = run(sys.argv[1:], spellings)
        sys.stdout.flush()
    except InputError as problem:
        stop(str(problem), 2)
    except BrokenPipeError:
        leave(141)  # as a command that SIGPIPE ends
    except OSError as problem:
        named = f"{problem.filename}: " if problem.filename is not None else ""
        traced(problem)
        stop(f"{named}{problem.strerror or problem}", 2)
    except MemoryError as problem:
        traced(problem)
        stop(NO_ROOM, 2)
    except KeyboardInterrupt:
        stop("stopped", 130)
    except SystemExit:
        raise
    except BaseException as problem:  # a panic of a library is no Exception
        if INTERRUPTS:  # which a library made something else of, as numpy does while it is imported
            stop("stopped", 130)
        traced(problem)
        if isinstance(problem, ImportError) and "failed to map" in str(problem):  # a library that found no room
            stop(NO_ROOM, 2)
        what = f"{type(problem).__name__}: {problem}"
        if limited():
            failed = "memory is limited (ulimit -v), and something failed for want of it or for another reason"
            stop(f"{failed} ({' '.join(what.split())}); allow more, and report it if that does not help", 2)
        stop(f"a fault of ours: {what}; please report it, with what IRASSAY_TRACEBACK=1 shows", 3)
    sys.exit(status)


def heed_interrupts() -> None:
    """Lets no Ctrl-C be lost, wherever it comes, unless whoever started this has it ignored."""
    import signal

    def heard(number: int, _: object) -> None:
        INTERRUPTS.append(number)
        raise KeyboardInterrupt

    def again(lost: "sys.UnraisableHookArgs") -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):  # it came where nothing can be raised, as in a destructor
            from _thread import interrupt_main
            from threading import Timer

            Timer(0.01, interrupt_main).start()
        else:
            sys.__unraisablehook__(lost)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, heard)
        sys.unraisablehook = again


def check_environment() -> None:
    """Refuses what libraries that are not loaded yet would choke on; nothing is the same as not set."""
    for name, (least, most, what) in NUMBERS.items():
        told = os.environ.get(name)
        if told == "":
            del os.environ[name]
        elif told is not None and not (told.isdecimal() and len(told) < 13 and least <= int(told) <= most):
            raise InputError(f"{name} is {told!r} in the environment; set it to {what}, or unset it")
    with suppress(ImportError):  # where there are no such limits
        import resource

        few, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= few < LEAST_FILES:
            raise InputError(f"{few} files may be open at a time, and {LEAST_FILES} are needed; allow more (ulimit -n)")


def open_streams() -> None:
    """Puts nothing in the place of standard streams that are closed, lest a file of ours takes it."""
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(number)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


def traced(problem: BaseException) -> None:
    """Raises a problem again for whoever wants to see where it came from."""
    if os.environ.get("IRASSAY_TRACEBACK"):
        raise problem


def stop(said: str, status: int) -> NoReturn:
    """Ends with a sentence on standard error, without what is left to print where that cannot be printed."""
    from irassay.prose import in_window, visible

    with suppress(OSError):
        print(in_window(f"irassay: {visible(said, keep=chr(10))}"), file=sys.stderr)
    leave(status)


def leave(status: int) -> NoReturn:
    """Ends with a status, whatever has become of standard output."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # what is left has nowhere to go
    sys.exit(status)
