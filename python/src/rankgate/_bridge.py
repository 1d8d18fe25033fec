"""The program that rankgate starts in place of a retriever of another process: it carries lines to and fro.

It is started as a file, without the package and without site-packages, so that it is there at once.
"""

import os
import socket
import sys
import threading

CHUNK = 1 << 16


def main() -> int:
    kind, _, place = os.environ["RANKGATE_BRIDGE"].partition(":")
    if kind == "unix":
        link = socket.socket(socket.AF_UNIX)
        link.connect(place)
    else:
        link = socket.create_connection(("127.0.0.1", int(place)))
    link.sendall(os.environ["RANKGATE_BRIDGE_TOKEN"].encode() + b"\n")

    def carry_requests() -> None:
        try:
            while chunk := os.read(0, CHUNK):
                link.sendall(chunk)
            link.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The other side is gone, which the main thread sees.

    threading.Thread(target=carry_requests, daemon=True).start()
    # The first byte says whether there is a retriever: `+`, or `-` and why there is none.
    verdict = link.recv(1)
    target = 1 if verdict == b"+" else 2
    while chunk := link.recv(CHUNK):
        while chunk:
            chunk = chunk[os.write(target, chunk) :]
    return 0 if verdict == b"+" else 1


if __name__ == "__main__":
    sys.stdout.flush()
    # A thread that waits for standard input is not waited for.
    os._exit(main())
