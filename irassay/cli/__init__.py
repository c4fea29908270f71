"""The command line: parse by the index, read the inputs, ask the method, print the answer."""

import os
import sys


def main() -> None:
    """Runs a command; bad input ends in one sentence on standard error and status 2."""
    from irassay.errors import InputError, options_named

    try:
        from irassay.cli.program import run

        with options_named():
            status = run(sys.argv[1:])
        sys.stdout.flush()
        sys.exit(status)
    except InputError as problem:
        print(f"irassay: {problem}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as problem:
        if os.environ.get("IRASSAY_TRACEBACK"):
            raise
        where = f"{type(problem).__name__}: {problem}"
        print(
            f"irassay: a fault of ours: {where}; please report it, with what IRASSAY_TRACEBACK=1 shows", file=sys.stderr
        )
        sys.exit(3)
    except KeyboardInterrupt:
        print("irassay: stopped", file=sys.stderr)
        sys.exit(130)
