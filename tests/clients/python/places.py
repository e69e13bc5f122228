"""Where a scenario runs: on picklock-server, whose clock the scenario moves, and on a real server.

The fixture `place` gives both in turn.
"""

import shutil
import subprocess
import tempfile
import time

import pytest
import redis


class OnPicklock:
    """The emulator: locks last as long as anybody wants, since time passes only when told."""

    lease = 30.0  # Seconds.

    def __init__(self, server):
        self.server = server

    @property
    def words(self):
        """How redis-cli and redis-benchmark are told where it is."""
        return ["-h", self.server.host, "-p", str(self.server.port)]

    def client(self, **options):
        return redis.Redis(port=self.server.port, **options)

    def let_lease_end(self):
        self.server.advance(30_001)


class OnRedis:
    """A real server, where a lease has to end by itself: so it is short."""

    lease = 0.004

    def __init__(self):
        self.directory = tempfile.mkdtemp()
        self.path = self.directory + "/redis.sock"
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while True:
            try:
                self.client().ping()
                return
            except redis.ConnectionError:
                assert time.monotonic() < deadline, "redis-server does not answer"
                time.sleep(0.002)

    @property
    def words(self):
        return ["-s", self.path]

    def client(self, **options):
        return redis.Redis(unix_socket_path=self.path, **options)

    def let_lease_end(self):
        time.sleep(0.006)

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory)


@pytest.fixture(scope="session")
def real_redis():
    place = OnRedis()
    yield place
    place.close()


@pytest.fixture(params=["picklock", "redis"])
def place(request):
    if request.param == "picklock":
        return OnPicklock(request.getfixturevalue("picklock_server"))
    real = request.getfixturevalue("real_redis")
    real.client().flushall()
    return real
