"""The two servers of the comparisons: picklock-server and redis-server, each with its defaults.

Every figure comes from servers that the very run has started. Who lacks Redis is told what to install.
"""

import contextlib
import math
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


def interval(values):
    """The least and the greatest order statistic between which the median lies in 95 of 100 cases."""
    values, skipped, outside = sorted(values), 0, 0.0
    while 2 * (outside + math.comb(len(values), skipped) / 2 ** len(values)) <= 0.05:
        outside += math.comb(len(values), skipped) / 2 ** len(values)
        skipped += 1
    low = max(skipped - 1, 0)
    return values[low], values[-1 - low]


def encode(words):
    encoded = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in encoded)


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
        return self.pipeline([words])[0]

    def pipeline(self, requests):
        return self.exchange(b"".join(encode(words) for words in requests), len(requests))

    def exchange(self, requests, count):
        """Sends so many requests at once; their replies, which must fit the sockets' buffers."""
        self.socket.sendall(requests)
        return [self.receive() for _ in range(count)]

    def cpu_seconds(self, background=True):
        """What all threads have computed so far; without those that Redis has for the background, if so wanted."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*")
        counted = [task for task in tasks if background or not (task / "comm").read_text().startswith("bio_")]
        return sum(int((task / "schedstat").read_text().split()[0]) for task in counted) / 1e9

    def resident_bytes(self):
        statm = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text()
        return int(statm.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def stop(self):
        self.socket.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def start_picklock(program, *options):
    return lambda port: [program, "--port", str(port), *options]


def start_redis(port):
    """With its defaults, but it is not to save in the midst of a run."""
    return ["redis-server", "--port", str(port), "--save", ""]


@contextlib.contextmanager
def running(name, command):
    server = Server(name, command)
    try:
        yield server
    finally:
        server.stop()


def redis():
    """A redis-server while the block runs."""
    return running("redis-server", start_redis)


@contextlib.contextmanager
def both(program, *options):
    """Both while the block runs, ours first."""
    with running("picklock-server", start_picklock(program, *options)) as ours, redis() as theirs:
        yield ours, theirs
