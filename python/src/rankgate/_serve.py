"""Answers queries to the retrievers of this process over a socket, by the protocol of programs."""

import asyncio
import inspect
import json
import math
import os
import secrets
import socket
import sys
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ._retriever import Params, Query, Registered, Reply, Setup, Turn

#: How long a batch waits for queries that are on their way, in seconds.
LINGER = 0.01

Line = dict[str, Any]


class Server:
    """Serves retrievers to the bridge programs that `rankgate` starts, each in a thread of its own."""

    def __init__(self, retrievers: Mapping[str, Registered]):
        self._retrievers = retrievers
        self._token = secrets.token_hex(16)
        self._folder = tempfile.TemporaryDirectory(prefix="rankgate-")
        self.tracebacks: dict[tuple[str, str], list[str]] = {}
        """What went wrong, by benchmark and configuration."""
        if sys.platform != "win32":
            path = os.path.join(self._folder.name, "socket")
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.bind(path)
            self._address = f"unix:{path}"
        else:
            self._socket = socket.socket()
            self._socket.bind(("127.0.0.1", 0))
            self._address = f"tcp:{self._socket.getsockname()[1]}"
        self._socket.listen()
        threading.Thread(target=self._accept, name="rankgate-serve", daemon=True).start()

    def arguments(self) -> list[str]:
        """What tells the command that these retrievers are served."""
        bridge = json.dumps([sys.executable, "-I", "-S", str(Path(__file__).with_name("_bridge.py"))])
        return [word for name in sorted(self._retrievers) for word in ("--retriever", f"{name}={bridge}")]

    def environment(self) -> dict[str, str]:
        """Where the bridge finds this server."""
        return {"RANKGATE_BRIDGE": self._address, "RANKGATE_BRIDGE_TOKEN": self._token}

    def close(self) -> None:
        self._socket.close()
        self._folder.cleanup()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._socket.accept()
            except OSError:
                return  # It was closed.
            threading.Thread(target=self._talk, args=(link,), name="rankgate-retriever", daemon=True).start()

    def _talk(self, link: socket.socket) -> None:
        try:
            with link, link.makefile("rb") as lines:
                if not secrets.compare_digest(lines.readline().strip(), self._token.encode()):
                    return
                hello = lines.readline()
                if not hello:
                    return
                told = json.loads(hello)
                key = (told["benchmark"], told["configuration"])
                try:
                    asyncio.run(self._converse(link, lines, told, key))
                except _NotBuilt as error:
                    self.tracebacks.setdefault(key, []).append(error.traceback)
                    link.sendall(b"-" + error.text.encode("utf-8", "backslashreplace") + b"\n")
        except OSError:
            pass  # The command has ended, and says why.

    async def _converse(self, link: socket.socket, lines: Any, hello: Line, key: tuple[str, str]) -> None:
        known = self._retrievers[hello["retriever"]]
        retrieve = await _build(known, hello)
        greeting: Line = {"rankgate": 1} if known.batch is None else {"rankgate": 1, "batch": known.batch}
        link.sendall(b"+" + _line(greeting))

        def fail(query: Query) -> Line:
            error = sys.exc_info()[1]
            assert error is not None
            text = f"Query {query.id} ({str(query)!r}):\n{_traceback(error)}"
            self.tracebacks.setdefault(key, []).append(text)
            return {"id": query.id, "error": _described(error)}

        requests = _Requests(lines)
        open_tasks: set[asyncio.Task[None]] = set()
        while asked := await requests.take(known.batch or 1):
            task = asyncio.ensure_future(_answer(link, retrieve, asked, known.batch is not None, fail))
            open_tasks.add(task)
            task.add_done_callback(open_tasks.discard)
            # What is not async has answered by now; what is goes on beside the next.
            await asyncio.sleep(0)
        await asyncio.gather(*open_tasks)


class _Requests:
    """Requests as they come in. A thread of its own reads: a loop that waits for a plain retriever does not."""

    def __init__(self, lines: Iterable[bytes]):
        self._waiting: deque[Line] = deque()
        self._ended = False
        self._arrived = asyncio.Event()
        loop = asyncio.get_running_loop()

        def read() -> None:
            try:
                for line in lines:
                    loop.call_soon_threadsafe(self._add, json.loads(line))
            except (OSError, ValueError):
                pass  # The conversation has ended.
            try:
                loop.call_soon_threadsafe(self._end)
            except RuntimeError:
                pass  # So has the loop.

        threading.Thread(target=read, name="rankgate-requests", daemon=True).start()

    def _add(self, request: Line) -> None:
        self._waiting.append(request)
        self._arrived.set()

    def _end(self) -> None:
        self._ended = True
        self._arrived.set()

    async def take(self, most: int) -> list[Line]:
        """Waits for a request, and takes those with it that are on their way; none at the end."""
        while not self._waiting and not self._ended:
            self._arrived.clear()
            await self._arrived.wait()
        while len(self._waiting) < most and not self._ended:
            self._arrived.clear()
            try:
                await asyncio.wait_for(self._arrived.wait(), LINGER)
            except asyncio.TimeoutError:
                break
        return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]


class _NotBuilt(Exception):
    """There is no retriever; why, on one line and as a traceback."""

    def __init__(self, text: str, traceback: str):
        super().__init__(text)
        self.text, self.traceback = text, traceback


async def _build(known: Registered, hello: Line) -> Callable[..., Any]:
    params = Params(hello["params"] or {})
    setup = Setup(hello["benchmark"], hello["configuration"], params, hello["depth"], Path(hello["spec"]))
    try:
        retrieve = await _awaited(known.factory(setup))
        if not callable(retrieve):
            raise TypeError(f"a retriever is a function of query and depth, found {type(retrieve).__name__}")
        unread = params.unread()
        if unread:
            raise TypeError(f"nothing reads the parameters {', '.join(unread)}: leave them out, or read them")
    except Exception as error:
        raise _NotBuilt(_described(error), _traceback(error)) from error
    return retrieve  # type: ignore[no-any-return]


def _history(request: Line) -> list[Turn]:
    return [Turn(turn["text"], turn.get("answer")) for turn in request.get("history", [])]


async def _answer(
    link: socket.socket,
    retrieve: Callable[..., Any],
    requests: list[Line],
    batched: bool,
    fail: Callable[[Query], Line],
) -> None:
    queries = [
        Query(one["text"], id=one["id"], metadata=one["metadata"], history=_history(one)) for one in requests
    ]
    depth = requests[0]["depth"]
    replies: list[Line]
    try:
        if batched:
            answers = list(await _awaited(retrieve(queries, depth)))
            if len(answers) != len(queries):
                raise ValueError(f"{len(answers)} answers to {len(queries)} queries")
        else:
            answers = [await _awaited(retrieve(queries[0], depth))]
        replies = [_reply(query, answer, fail) for query, answer in zip(queries, answers, strict=True)]
    except Exception:
        replies = [fail(query) for query in queries]
    link.sendall(b"".join(map(_line, replies)))


def _reply(query: Query, answer: Any, fail: Callable[[Query], Line]) -> Line:
    try:
        reply: Line = {"id": query.id}
        if isinstance(answer, Reply):
            if answer.answer is not None:
                reply["answer"] = answer.answer
            if answer.stages:
                reply["stages"] = {name: _hits(stage) for name, stage in answer.stages.items()}
            if answer.times:
                reply["times"] = {name: float(time) for name, time in answer.times.items()}
            if answer.usage:
                reply["usage"] = {name: _amount(amount) for name, amount in answer.usage.items()}
            if answer.calls is not None:
                if answer.hits != ():
                    raise TypeError("a Reply has hits or calls, not both")
                reply["calls"] = [_hits(call) for call in answer.calls]
            answer = answer.hits
        if "calls" not in reply:
            reply["hits"] = _hits(answer)
        # Only what can be written is an answer.
        _line(reply)
        return reply
    except Exception:
        return fail(query)


def _hits(answer: Any) -> list[Any]:
    if isinstance(answer, str | bytes | Mapping) or not isinstance(answer, Iterable):
        raise TypeError(f"a retriever returns a list of (id, score), found {type(answer).__name__}")
    hits: list[Any] = []
    for hit in answer:
        if not isinstance(hit, tuple | list):
            hits.append(_id(hit, hit))
            continue
        if len(hit) != 2:
            raise TypeError(f"a hit is (id, score), found {hit!r}")
        id = _id(hit[0], hit)
        try:
            score = float(hit[1])
        except (TypeError, ValueError):
            raise TypeError(f"a hit is (id, score), and in {hit!r} the score is no number") from None
        if not math.isfinite(score):
            raise ValueError(f"the score of {id!r} is {score}, and scores are finite numbers")
        hits.append([id, score])
    return hits


def _amount(amount: Any) -> int | float:
    """Whole numbers as such, also those of numpy."""
    return int(amount.__index__()) if hasattr(amount, "__index__") else float(amount)


def _id(id: Any, hit: Any) -> str:
    if isinstance(id, str):
        return id
    if not hasattr(id, "__index__"):
        raise TypeError(f"a hit is (id, score), and in {hit!r} the id is neither text nor a whole number")
    return str(id.__index__())


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _line(value: Line) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"


def _described(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(type(error), error)).strip()


def _traceback(error: BaseException) -> str:
    """From the retriever's own code on: what called it is nobody's concern."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace or error.__traceback__)
    return "".join(lines).rstrip()
