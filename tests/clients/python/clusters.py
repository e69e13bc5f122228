"""Where a scenario of a cluster client runs: on three nodes of picklock-server, and on three redis-servers.

The fixture `cluster` gives both in turn.
"""

import contextlib
import random
import shutil
import socket
import subprocess
import tempfile
import time

import picklock
import pytest
from redis.cluster import RedisCluster

NODES = 3


class Cluster:
    """Three nodes, and a connection to each; nodes count from 0."""

    def __init__(self, ports):
        self.ports = ports
        self.controls = [picklock.Connection(("127.0.0.1", port)) for port in ports]

    def client(self, **options):
        return RedisCluster(host="127.0.0.1", port=self.ports[0], **options)

    def call(self, node, *words):
        return self.controls[node].call(*words)

    def open_slot(self, slot, source, target):
        """Its keys go from one node to another."""
        self.call(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", self.call(source, "CLUSTER", "MYID"))
        self.call(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", self.call(target, "CLUSTER", "MYID"))

    def give_slot(self, slot, target):
        """Tells everybody who has it, the new owner first."""
        name = self.call(target, "CLUSTER", "MYID")
        for node in [target, *range(NODES)]:
            self.call(node, "CLUSTER", "SETSLOT", slot, "NODE", name)

    def clear(self):
        for node in range(NODES):
            self.call(node, "FLUSHALL")
            self.call(node, "SCRIPT", "FLUSH")


class OnPicklock(Cluster):
    def __init__(self):
        self.server = picklock.Server(cluster_nodes=NODES)
        super().__init__([self.server.port + i for i in range(NODES)])

    def close(self):
        self.server.close()


class OnRedis(Cluster):
    def __init__(self):
        self.directory = tempfile.mkdtemp()
        ports = self.free_ports(2 * NODES)
        self.processes = [
            subprocess.Popen(
                ["redis-server", "--port", str(ports[i]), "--cluster-port", str(ports[i + NODES]), "--bind", "127.0.0.1",
                 "--cluster-enabled", "yes", "--cluster-config-file", f"nodes-{i}.conf", "--save", ""],
                stdout=subprocess.DEVNULL, cwd=self.directory)
            for i in range(NODES)
        ]
        for port in ports[:NODES]:
            self.await_true(lambda: self.answers(port))
        addresses = [f"127.0.0.1:{port}" for port in ports[:NODES]]
        subprocess.run(["redis-cli", "--cluster", "create", *addresses, "--cluster-yes"], check=True,
                       stdout=subprocess.DEVNULL)
        super().__init__(ports[:NODES])
        for node in range(NODES):
            self.await_true(lambda: b"cluster_state:ok" in self.call(node, "CLUSTER", "INFO"))

    @staticmethod
    def free_ports(count):
        """Different ones that nobody has, below those that the system gives to whoever connects."""
        probes = []
        while len(probes) < count:
            with contextlib.suppress(OSError):
                probes.append(socket.create_server(("127.0.0.1", random.randrange(10_000, 30_000))))
        ports = [probe.getsockname()[1] for probe in probes]
        for probe in probes:
            probe.close()
        return ports

    @staticmethod
    def answers(port):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return True
        except ConnectionRefusedError:
            return False

    @staticmethod
    def await_true(asked):
        end = time.monotonic() + 20
        while not asked():
            assert time.monotonic() < end, "the real cluster does not come up"
            time.sleep(0.01)

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()
        shutil.rmtree(self.directory)


@pytest.fixture(scope="session", params=["picklock", "redis"])
def cluster_nodes(request):
    place = OnPicklock() if request.param == "picklock" else OnRedis()
    yield place
    place.close()


@pytest.fixture
def cluster(cluster_nodes):
    cluster_nodes.clear()
    return cluster_nodes
