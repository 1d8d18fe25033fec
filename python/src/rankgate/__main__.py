"""`python -m rankgate`: the command, whatever PATH says."""

import os
import subprocess
import sys

from ._errors import RankgateError
from ._program import find_rankgate_bin


def main() -> None:
    try:
        program = find_rankgate_bin()
    except RankgateError as error:
        sys.exit(f"error: {error}")
    arguments = [program, *sys.argv[1:]]
    if sys.platform == "win32":
        sys.exit(subprocess.run(arguments).returncode)
    os.execv(program, arguments)


if __name__ == "__main__":
    main()
