"""Where a scenario of a sentinel's clients runs: on a picklock-server with two replicas and a sentinel, and on three
redis-servers with a real sentinel.

The fixture `sentinels` gives both in turn, each made for one scenario.
"""

import os
import shutil
import subprocess
import tempfile
import time

import picklock
import pytest
from clusters import OnRedis as RealServers
from redis.sentinel import Sentinel

NAME = "mymaster"
REPLICAS = ["r1", "r2"]


def pairs(reply):
    """What SENTINEL MASTER and its like answer, as a dictionary of texts."""
    words = [word.decode() for word in reply]
    return dict(zip(words[::2], words[1::2]))


class Sentinels:
    """A primary, its replicas and their sentinel."""

    def open_control(self):
        self.sentinel = picklock.Connection(("127.0.0.1", self.sentinel_port))

    def client(self, **options):
        options.setdefault("socket_timeout", 5)
        return Sentinel([("127.0.0.1", self.sentinel_port)], socket_timeout=5).master_for(NAME, **options)

    def ask(self, *words):
        return self.sentinel.call("SENTINEL", *words)

    def master_port(self):
        return int(self.ask("GET-MASTER-ADDR-BY-NAME", NAME)[1])

    def call(self, port, *words):
        """What a server says, asked again where a sentinel that reconfigures it has ended the connection."""
        end = time.monotonic() + 10
        while True:
            connection = picklock.Connection(("127.0.0.1", port))
            try:
                return connection.call(*words)
            except ConnectionError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)
            finally:
                connection.close()

    def events(self):
        """A connection to which all events of the sentinel come."""
        connection = picklock.Connection(("127.0.0.1", self.sentinel_port))
        connection.call("PSUBSCRIBE", "*")
        return connection

    def fail_over(self):
        """By SENTINEL FAILOVER; returns once another server is the master, and the old one knows it."""
        before = self.master_port()
        assert self.ask("FAILOVER", NAME) == "OK"
        self.await_true(lambda: self.master_port() != before)
        self.await_true(lambda: self.call(before, "ROLE")[0] == b"slave")

    @staticmethod
    def await_true(asked, seconds=20):
        end = time.monotonic() + seconds
        while not asked():
            assert time.monotonic() < end, "it does not come true"
            time.sleep(0.01)


class OnPicklock(Sentinels):
    def __init__(self):
        self.server = picklock.Server(replica=REPLICAS, sentinel=0)
        self.ports = [self.server.port] + [self.server.ports[name] for name in REPLICAS]
        self.sentinel_port = self.server.ports["sentinel"]
        self.open_control()

    def let_writes_lag(self):
        """What is written from now on reaches no replica."""
        for name in REPLICAS:
            self.server.node("LAG", name, "ALL")

    def crash_primary(self):
        """It dies, and is replaced: at once, since the test says what time it is."""
        before = self.master_port()
        self.server.node("STOP", "default")
        self.server.advance(30_001)
        assert self.master_port() != before

    def revive_primary(self):
        self.server.node("START", "default")

    def close(self):
        self.sentinel.close()
        self.server.close()


class OnRedis(Sentinels):
    def __init__(self):
        self.directory = tempfile.mkdtemp()
        ports = RealServers.free_ports(4)
        self.ports, self.sentinel_port = ports[:3], ports[3]
        follow = ["--replicaof", f"127.0.0.1 {ports[0]}"]
        self.processes = [self.start(port, *([] if port == ports[0] else follow)) for port in self.ports]
        for port in self.ports:
            self.await_true(lambda: RealServers.answers(port))
        for port in self.ports[1:]:
            self.await_true(lambda: self.call(port, "ROLE")[3] == b"connected")
        path = os.path.join(self.directory, "sentinel.conf")
        with open(path, "w") as file:
            file.write(f"port {self.sentinel_port}\nbind 127.0.0.1\nsentinel monitor {NAME} 127.0.0.1 {ports[0]} 1\n")
        self.processes.append(subprocess.Popen(["redis-server", path, "--sentinel"], stdout=subprocess.DEVNULL,
                                               cwd=self.directory))
        self.await_true(lambda: RealServers.answers(self.sentinel_port))
        self.open_control()
        # So that what takes it seconds takes it parts of one. It trusts what is younger than five PING-PERIODs, and
        # asks replicas whose master is down once a second.
        self.ask("DEBUG", "INFO-PERIOD", 100, "PING-PERIOD", 300, "PUBLISH-PERIOD", 100, "ASK-PERIOD", 100)
        self.await_true(lambda: len(self.ask("REPLICAS", NAME)) == 2)
        self.await_true(lambda: all(pairs(each)["master-link-status"] == "ok" for each in self.ask("REPLICAS", NAME)))

    def start(self, port, *more):
        return subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "",
                                 "--repl-diskless-sync-delay", "0", *more], stdout=subprocess.DEVNULL, cwd=self.directory)

    def let_writes_lag(self):
        primary = picklock.Connection(("127.0.0.1", self.ports[0]))
        primary.call("CONFIG", "SET", "requirepass", "unknown to the replicas")
        assert primary.call("CLIENT", "KILL", "TYPE", "replica") == 2
        primary.close()

    def crash_primary(self):
        before = self.master_port()
        assert self.ask("SET", NAME, "DOWN-AFTER-MILLISECONDS", 300) == "OK"
        self.processes[0].kill()
        self.processes[0].wait()
        self.await_true(lambda: self.master_port() != before)
        # The new one may be slow on a busy machine, and is not to be replaced for that.
        assert self.ask("SET", NAME, "DOWN-AFTER-MILLISECONDS", 30_000) == "OK"

    def revive_primary(self):
        self.processes[0] = self.start(self.ports[0])
        self.await_true(lambda: RealServers.answers(self.ports[0]))

    def close(self):
        self.sentinel.close()
        for process in self.processes:
            process.kill()
            process.wait()
        shutil.rmtree(self.directory)


@pytest.fixture(params=["picklock", "redis"])
def sentinels(request):
    place = OnPicklock() if request.param == "picklock" else OnRedis()
    yield place
    place.close()
