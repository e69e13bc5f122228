"""The two servers of the comparisons: picklock-server and redis-server, each with its defaults.

Every figure comes from servers that the very run has started. Who lacks Redis is told what to install.
"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

ORACLE = "7.0.15"


def require(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        sys.exit(f"{', '.join(missing)} not found: apt-get install redis-server redis-tools")
    version = subprocess.run(["redis-server", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"v=(\S+)", version)[1]
    if found != ORACLE:
        print(f"The marks are meant for Redis {ORACLE}; this is {found}.", file=sys.stderr)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server process on a port of its own, and one connection to it."""

    def __init__(self, name, command):
        self.name, self.port = name, free_port()
        self.process = subprocess.Popen(command(self.port), stdout=subprocess.DEVNULL)
        self.socket = self._connect()
        self.replies = self.socket.makefile("rb")

    def _connect(self):
        for _ in range(500):
            try:
                return socket.create_connection(("127.0.0.1", self.port))
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.01)
        sys.exit(f"{self.name} does not listen on port {self.port}")

    def send(self, *words):
        encoded = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in encoded))

    def receive(self):
        line = self.replies.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            sys.exit(f"{self.name}: {rest.decode()}")
        if kind == b"$" and rest != b"-1":
            return self.replies.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self.receive() for _ in range(int(rest))]
        return int(rest) if kind == b":" else rest

    def call(self, *words):
        self.send(*words)
        return self.receive()

    def cpu_seconds(self):
        """What all threads have computed so far, those that have ended not included."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def resident_bytes(self):
        statm = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text()
        return int(statm.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def stop(self):
        self.socket.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


@contextlib.contextmanager
def both(program):
    """picklock-server and redis-server, in this order, while the block runs."""
    # The port alone: each runs with its defaults, but Redis is not to save in the midst of a run.
    ours = Server("picklock-server", lambda port: [program, "--port", str(port)])
    try:
        theirs = Server("redis-server", lambda port: ["redis-server", "--port", str(port), "--save", ""])
        try:
            yield ours, theirs
        finally:
            theirs.stop()
    finally:
        ours.stop()
