"""The command line: parse, call, print; nothing else."""

import sys


def main() -> None:
    """Runs a command; bad input ends in one sentence on standard error and status 2."""
    from irassay.errors import InputError

    try:
        from irassay.cli.app import app

        app(standalone_mode=True)
    except InputError as problem:
        print(f"irassay: {problem}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        print("irassay: stopped", file=sys.stderr)
        sys.exit(130)
