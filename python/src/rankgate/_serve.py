"""Answers queries to the retrievers of this process over a socket, by the protocol of programs."""

import _thread
import asyncio
import contextvars
import functools
import inspect
import json
import os
import queue
import re
import secrets
import socket
import sys
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._hits import Refused, a, in_order, read_hits
from ._retriever import Params, Query, Registered, Response, Setup, missing

#: How long a batch waits for queries that are on their way, in seconds.
LINGER = 0.01

Line = dict[str, Any]


class Server:
    """Serves retrievers to the bridge programs that `rankgate` starts, each in a thread of its own."""

    def __init__(self, retrievers: Mapping[str, Registered], named: Iterable[str] = ()):
        self._retrievers = retrievers
        # A name that is not registered is an error of the gates that need it, and of no other.
        self._names = sorted({*retrievers, *named})
        # What conftest.py has set is set for retrievers as well.
        self._context = contextvars.copy_context()
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
        served = [word for name in self._names for word in ("--retriever", f"{name}={bridge}")]
        # Both builds of `deterministic` are in this process, which their verdict says.
        return [*served, "--in-process"] if served else []

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
                so_far = _SoFar()
                try:
                    asyncio.run(self._converse(link, lines, told, so_far))
                except _NotBuilt as error:
                    if error.traceback != error.text:
                        self.tracebacks.setdefault(key, []).append(error.traceback)
                    link.sendall(_refusal(error.text))
                except OSError:
                    raise
                except BaseException as error:
                    # Such as `sys.exit()` in a task that a retriever has started: it ends the loop.
                    self.tracebacks.setdefault(key, []).append(_traceback(error))
                    told_lines = [_line({"id": id, "error": _described(error)}) for id in so_far.unanswered]
                    link.sendall(b"".join(told_lines) if so_far.has_greeted else _refusal(_described(error)))
                    # The thread that reads requests would wait for more, and hold what is to be closed.
                    link.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The command has ended, and says why.

    async def _converse(self, link: socket.socket, lines: Any, hello: Line, so_far: "_SoFar") -> None:
        name, key = hello["retriever"], (hello["benchmark"], hello["configuration"])
        if name not in self._retrievers:
            raise _NotBuilt(missing(name), missing(name))
        known = self._retrievers[name]
        worker = Worker(f"rankgate-{key[1]}", self._context)
        try:
            retrieve = await _build(known, hello, worker)
            greeting: Line = {"rankgate": 1} if known.batch is None else {"rankgate": 1, "batch": known.batch}
            link.sendall(b"+" + _line(greeting))
            so_far.has_greeted = True

            def fail(query: Query) -> Line:
                error = sys.exc_info()[1]
                assert error is not None
                text = f"Query {query.id} ({str(query)!r}):\n{_traceback(error)}"
                self.tracebacks.setdefault(key, []).append(text)
                return {"id": query.id, "error": _described(error)}

            def reply(replies: list[Line]) -> None:
                for one in replies:
                    so_far.unanswered.pop(one["id"], None)
                link.sendall(b"".join(map(_line, replies)))

            requests = _Requests(lines)
            open_tasks: set[asyncio.Task[None]] = set()
            while asked := await requests.take(known.batch or 1):
                so_far.unanswered.update((one["id"], None) for one in asked)
                answering = _Answering(retrieve, asked, known.batch is not None, fail)
                value = await answering.ask(worker)
                # What is not async has answered by now; what is goes on beside the next.
                if answering.replies is not None:
                    reply(answering.replies)
                    continue
                task = worker.context.copy().run(asyncio.ensure_future, answering.wait(value, reply))
                open_tasks.add(task)
                task.add_done_callback(open_tasks.discard)
                await asyncio.sleep(0)
            await asyncio.gather(*open_tasks)
        finally:
            worker.end()


@dataclass
class _SoFar:
    """How far a conversation is."""

    has_greeted: bool = False
    unanswered: dict[str, None] = field(default_factory=dict)


class Worker:
    """A thread without an event loop, for the functions of one configuration that are not async.

    What a factory has made is used on the thread that made it: a connection of sqlite3 asks for that. Such functions may
    run loops of their own, as `asyncio.run` does.
    """

    def __init__(self, name: str, context: contextvars.Context):
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.context = context.copy()
        """The context variables, as the last function left them."""
        # Nobody waits for it at the end: a retriever may hang.
        threading.Thread(target=self.context.run, args=(self._work,), name=name, daemon=True).start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    async def call(self, function: Callable[..., Any], *arguments: Any) -> tuple[Any, BaseException | None]:
        """What the function returns, or raises: a future takes no `StopIteration`, and `sys.exit()` would end the loop."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

        def have(value: Any, error: BaseException | None) -> None:
            if not done.cancelled():
                done.set_result((value, error))

        def job() -> None:
            value, error = None, None
            try:
                value = function(*arguments)
            except BaseException as raised:
                error = raised
            try:
                loop.call_soon_threadsafe(have, value, error)
            except RuntimeError:
                pass  # The conversation has ended.

        self._jobs.put(job)
        return await done

    def end(self) -> None:
        self._jobs.put(None)


def _is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it makes a coroutine, also of an object that is called and of `functools.partial`."""
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


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


async def _build(known: Registered, hello: Line, worker: Worker) -> Callable[..., Any]:
    params = Params(hello["params"] or {})
    setup = Setup(hello["benchmark"], hello["configuration"], params, hello["depth"], Path(hello["spec"]))
    try:
        # What is async is called where the loop is, since it may start tasks.
        value, error = (known.factory(setup), None) if _is_async(known.factory) else await worker.call(known.factory, setup)
        if error is not None:
            raise error
        retrieve = await _awaited(value)
        if not callable(retrieve):
            raise Refused(f"a retriever is a function of query and depth, found {type(retrieve).__name__}")
        unread = ", ".join(f"`{name}`" for name in params.unread())
        if unread:
            raise Refused(
                f"the build of `{hello['retriever']}` did not read the parameters {unread}: read them in the function "
                "of `setup`, or leave them out"
            )
    except BaseException as raised:
        _end_with(raised)
        raise _NotBuilt(_described(raised), _traceback(raised)) from raised
    return retrieve  # type: ignore[no-any-return]


class _Answering:
    """The answers to queries that a retriever is asked at once."""

    def __init__(
        self, retrieve: Callable[..., Any], requests: list[Line], batched: bool, fail: Callable[[Query], Line]
    ):
        self._retrieve, self._batched, self._fail = retrieve, batched, fail
        self._queries = [
            Query(one["text"], id=one["id"], metadata=one["metadata"]) for one in requests
        ]
        self._depth = requests[0]["depth"]
        self.replies: list[Line] | None = None
        """None while what answers is async, and has not."""

    async def ask(self, worker: Worker) -> Any:
        """Asks, and has the replies unless the answer has to be awaited, which is returned then."""
        if _is_async(self._retrieve):
            return self._ask()
        value, _ = await worker.call(self._ask)
        return value

    def _ask(self) -> Any:
        try:
            value = self._retrieve(self._queries if self._batched else self._queries[0], self._depth)
            if not inspect.isawaitable(value):
                # A generator is code of the retriever, too: it runs where the retriever does.
                self.replies = self._replies(value)
            return value
        except BaseException as error:
            self._have_failed(error)

    async def wait(self, value: Any, reply: Callable[[list[Line]], None]) -> None:
        async def caught() -> tuple[Any, BaseException | None]:
            # `sys.exit()` would end the loop.
            try:
                return await value, None
            except BaseException as error:
                return None, error

        # In a task of its own: what cancels this one is the end of the loop, and nobody waits for a reply any more.
        answering = asyncio.ensure_future(caught())
        await asyncio.wait([answering])
        answer, error = answering.result()
        try:
            if error is not None:
                raise error
            self.replies = self._replies(answer)
        except BaseException as raised:
            self._have_failed(raised)
        reply(self.replies or [])

    def _replies(self, value: Any) -> list[Line]:
        answers = in_order(value, "a retriever of batches returns a list of answers") if self._batched else [value]
        if len(answers) != len(self._queries):
            raise Refused(f"{len(answers)} answers to {len(self._queries)} queries")
        return [_reply(query, answer, self._fail) for query, answer in zip(self._queries, answers, strict=True)]

    def _have_failed(self, error: BaseException) -> None:
        _end_with(error)
        self.replies = [self._fail(query) for query in self._queries]


def _end_with(error: BaseException) -> None:
    """Whatever a retriever raises is its error; where somebody wants the process to end, or a loop is closed, it does."""
    if isinstance(error, KeyboardInterrupt):
        _thread.interrupt_main()
    if isinstance(error, GeneratorExit):
        raise error


def _reply(query: Query, answer: Any, fail: Callable[[Query], Line]) -> Line:
    try:
        reply: Line = {"id": query.id}
        if isinstance(answer, Response):
            if answer.answer is not None:
                reply["answer"] = answer.answer
            if answer.scores:
                reply["scores"] = {name: float(score) for name, score in answer.scores.items()}
            answer = answer.hits
        reply["hits"] = read_hits(answer, _A_LIST)
        # Only what can be written is an answer.
        _line(reply)
        return reply
    except BaseException as error:
        _end_with(error)
        return fail(query)


_A_LIST = "a retriever returns a list of (id, score)"


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _line(value: Line) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"


def _refusal(text: str) -> bytes:
    """What the bridge is told where there is no retriever."""
    return b"-" + text.encode("utf-8", "backslashreplace") + b"\n"


def _described(error: BaseException) -> str:
    """What was raised, in a text that is the same wherever the same went wrong."""
    if isinstance(error, Refused):
        return str(error)
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    if _is_skip(error):
        # A gate that was asked for does not pass for less than it claims, nor go away.
        text += "; a retriever cannot skip its gates: `pytest --deselect` does"
    elif isinstance(error, RuntimeError) and "no running event loop" in text:
        text += "; functions that are not async run on a thread without a loop: make this one `async def`"
    return _without_addresses(text)


def _without_addresses(text: str) -> str:
    """Where an object lies says nothing, and is another place each time."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def _shown(value: Any) -> str:
    try:
        text = _without_addresses(repr(value))
    except Exception:
        return a(value)
    return text if len(text) <= 160 else text[:160] + "..."


def _is_skip(error: BaseException) -> bool:
    """Whether it is `pytest.skip`, `pytest.importorskip` or what unittest has for it."""
    import unittest

    pytest = sys.modules.get("pytest")
    return isinstance(error, unittest.SkipTest) or pytest is not None and isinstance(error, pytest.skip.Exception)


def _traceback(error: BaseException) -> str:
    """From the retriever's own code on: what called it is nobody's concern."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith((__file__, os.path.dirname(asyncio.__file__))):
        trace = trace.tb_next
    if isinstance(error, Refused):
        return str(error) if error.found is None else f"{error}: {_shown(error.found)}"
    if trace is None:
        return _described(error)
    told = traceback.TracebackException(type(error), error, trace)
    # Carets are made by parsing lines, in which Python 3.11 takes threads for one another: pytest parses in another one.
    open_ones: list[traceback.TracebackException | None] = [told]
    while open_ones:
        one = open_ones.pop()
        if one is not None:
            for frame in one.stack:
                if hasattr(frame, "colno"):
                    setattr(frame, "colno", None)
            open_ones += [one.__cause__, one.__context__, *(getattr(one, "exceptions", None) or [])]
    return "".join(told.format()).rstrip()
