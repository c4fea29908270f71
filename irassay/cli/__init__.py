"""The command line: parse, call, print; nothing else."""

import os
import sys


def main() -> None:
    """Runs a command; bad input ends in one sentence on standard error and status 2."""
    from irassay.errors import InputError, options_named

    try:
        from irassay.cli.app import app

        with options_named():
            app(sys.argv[1:])(standalone_mode=True)
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
