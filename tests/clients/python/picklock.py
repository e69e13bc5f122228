"""Starts picklock-server for a test, moves its clock and has requests go wrong.

Needs nothing but Python's standard library; use any Redis client beside it:

    with picklock.Server() as server:
        client = redis.Redis(port=server.port)
        client.set("lock", "alice", nx=True, px=1500)
        server.advance(1501)

With pytest, `pytest_plugins = ["picklock"]` in conftest.py makes the fixture `picklock_server`, and
PICKLOCK_SERVER in the environment names the program if it is not on the PATH.
"""

import atexit
import os
import re
import select
import socket
import subprocess
import threading


class Error(Exception):
    """What the server has answered with an error."""


class Connection:
    """One connection that speaks RESP2: enough for commands that steer the server."""

    def __init__(self, address):
        if isinstance(address, str):
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(address)
        else:
            self._socket = socket.create_connection(address)
        self._socket.settimeout(60)
        self._lines = self._socket.makefile("rb")

    def call(self, *words):
        parts = [str(word).encode() if not isinstance(word, bytes) else word for word in words]
        request = b"*%d\r\n" % len(parts)
        for part in parts:
            request += b"$%d\r\n%s\r\n" % (len(part), part)
        try:
            self._socket.sendall(request)
            reply = self._read()
        except socket.timeout:  # What comes after all would be taken for the reply to another request.
            self.close()
            raise
        if isinstance(reply, Error):
            raise reply
        return reply

    def close(self):
        self._lines.close()
        self._socket.close()

    def is_closed(self):
        """Whether the server has closed it, or close() has."""
        if self._socket.fileno() < 0:
            return True
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        try:
            return bool(poll.poll(0)) and not self._socket.recv(1, socket.MSG_PEEK)
        except ConnectionError:
            return True

    def _read(self):
        line = self._lines.readline()
        if not line:
            raise ConnectionError("picklock-server has closed the connection")
        kind, text = line[:1], line[1:-2]
        if kind == b"+":
            return text.decode(errors="replace")
        if kind == b"-":
            return Error(text.decode(errors="replace"))
        if kind == b":":
            return int(text)
        if kind == b"$":
            size = int(text)
            return None if size < 0 else self._lines.read(size + 2)[:-2]
        size = int(text)
        return None if size < 0 else [self._read() for _ in range(size)]


class Server:
    """A picklock-server of its own on a free port; ends with close() or the `with` block.

    `options` become command-line options: clock="offset", seed=7, auto_advance=True; a list gives
    one several times: replica=["r1", "r2"]. All times are milliseconds. `ports` has those of further
    servers and of the sentinel, by name.
    """

    def __init__(self, program=None, **options):
        program = program or os.environ.get("PICKLOCK_SERVER", "picklock-server")
        options.setdefault("port", 0)
        words = [program]
        for name, values in options.items():
            for value in values if isinstance(values, list) else [values]:
                if value is False:
                    continue
                words.append("--" + name.replace("_", "-"))
                if value is not True:
                    words.append(str(value))
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, errors="replace")
        ready = self._process.stdout.readline()
        where = re.search(r" ready on \[?(\S+?)\]?:(\d+) ", ready)
        if not where:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            raise RuntimeError("picklock-server did not start: " + (ready or "see its errors above"))
        atexit.register(self._process.terminate)  # A test that fails before its close() leaves no server behind.
        self.host, self.port = where[1], int(where[2])
        self.ports = {name: int(port) for name, port in re.findall(r", (\S+) on (\d+)", ready)}
        # What scripts log comes there, too: a pipe that nobody reads would hold the server up.
        self._reader = threading.Thread(target=lambda: all(self._process.stdout), daemon=True)
        self._reader.start()
        self._password = options.get("requirepass")
        self._turn = threading.Lock()  # A reply belongs to the thread that has asked.
        self._connect()

    def _connect(self):
        self._control = Connection((self.host, self.port))
        if self._password is not None:
            self._control.call("AUTH", self._password)

    def call(self, *words):
        """Any command, on the connection of its own that steers the server."""
        with self._turn:
            if self._control.is_closed():  # By a test's CLIENT KILL, or PICKLOCK RESTORE on another connection.
                self._control.close()
                self._connect()
            return self._control.call(*words)

    def advance(self, milliseconds):
        """Lets time pass; returns the new time."""
        return self.call("PICKLOCK", "ADVANCE", milliseconds)

    def now(self):
        return self.call("PICKLOCK", "NOW")

    def set_time(self, unix_milliseconds):
        return self.call("PICKLOCK", "SET-TIME", unix_milliseconds)

    def next(self):
        """Goes to the next event; None if nothing is pending."""
        return self.call("PICKLOCK", "NEXT")

    def wait_blocked(self, clients=1, timeout=5000):
        """Waits until so many clients are blocked."""
        return self.call("PICKLOCK", "BLOCKED", "MIN", clients, "TIMEOUT", timeout)

    def fault(self, what, *argument, **conditions):
        """Has the next request that fits go wrong: fault("DROP-REPLY", command="set", nth=2)."""
        words = [what, *argument]
        for name, value in conditions.items():
            words += [name.upper(), value]
        return self.call("PICKLOCK", "FAULT", "ADD", *words)

    def node(self, what, *words):
        """One of several servers: node("PROMOTE", "r1"); see PICKLOCK HELP."""
        return self.call("PICKLOCK", "NODE", what, *words)

    def clear_faults(self):
        self.call("PICKLOCK", "FAULT", "CLEAR")

    def reset(self):
        """As if it had just been started; connections stay."""
        self.call("PICKLOCK", "RESET")

    def trace(self, lines=20):
        return [line.decode() for line in self.call("PICKLOCK", "TRACE", lines)]

    def close(self):
        """Stops the server; returns its exit code."""
        self._control.close()
        self._process.terminate()
        try:
            return self._process.wait(timeout=10)
        finally:
            self._process.kill()
            self._process.wait()
            atexit.unregister(self._process.terminate)
            self._reader.join()
            self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


try:
    import pytest
except ImportError:
    pass
else:

    @pytest.fixture(scope="session")
    def picklock_process():
        """One server for all tests; its clock stands still."""
        with Server() as server:
            yield server

    @pytest.fixture
    def picklock_server(picklock_process):
        """The same server, as if it had just been started."""
        picklock_process.reset()
        yield picklock_process
