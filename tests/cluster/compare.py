#!/usr/bin/python3
"""Sends the same requests to a real cluster of three nodes and to picklock-server's, and compares the answers.

    tests/cluster/compare.py build/bin/picklock-server tests/cluster/*.txt

A line of a file is a request: `alice@2> GET {tag}a` sends it on alice's connection to node 2. `alice@2>>` sends one that
blocks, and goes on once the node says that its client waits; `alice@2<` waits for the answer, or for what comes by itself.
`alice@2+` is sent with alice's next request in one piece, which the node carries out without looking elsewhere. {id1} and
{port1} stand for those of a node. Every file has clusters of its own. What two real clusters have different is masked below.
"""

import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time

NODES = 3
SHARES = [(0, 5460), (5461, 10922), (10923, 16383)]
PATIENCE = 5  # Seconds: a real node looks after blocked clients once a second at least.


class Connection:
    """A client that speaks RESP2; replies are shown as redis-cli would, errors too."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.settimeout(PATIENCE)
        self._lines = self._socket.makefile("rb")
        self._kept = b""

    def keep(self, words):
        """For the next send, which takes it along."""
        self._kept += b"*%d\r\n" % len(words)
        for word in words:
            self._kept += b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode())

    def send(self, words):
        self.keep(words)
        self._socket.sendall(self._kept)
        self._kept = b""

    def read(self):
        line = self._lines.readline()
        kind, text = line[:1], line[1:-2].decode()
        if kind == b"+":
            return text
        if kind == b"-":
            return "(error) " + text
        if kind == b":":
            return int(text)
        if int(text) < 0:
            return None
        if kind == b"$":
            return self._lines.read(int(text) + 2)[:-2].decode()
        return [self.read() for _ in range(int(text))]

    def call(self, *words):
        self.send(words)
        return self.read()

    def close(self):
        self._lines.close()
        self._socket.close()


def free_port():
    """One whose bus port, ten thousand above, is free too."""
    while True:
        with socket.socket() as first, socket.socket() as bus:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                bus.bind(("127.0.0.1", port + 10000))
                return port
            except (OSError, OverflowError):
                continue


class Place:
    """Three nodes and the connections to them."""

    def connect(self):
        self.clients = {}
        self.ids = [self.client("control", node).call("CLUSTER", "MYID") for node in range(1, NODES + 1)]

    def client(self, name, node):
        if (name, node) not in self.clients:
            self.clients[name, node] = Connection(self.ports[node - 1])
        return self.clients[name, node]

    def expand(self, word):
        word = re.sub(r"\{id(\d)\}", lambda found: self.ids[int(found[1]) - 1], word)
        return re.sub(r"\{port(\d)\}", lambda found: str(self.ports[int(found[1]) - 1]), word)

    def mask(self, reply):
        if isinstance(reply, list):
            return [self.mask(each) for each in reply]
        if isinstance(reply, int) and reply in self.ports:
            return f"<port{self.ports.index(reply) + 1}>"
        if not isinstance(reply, str):
            return reply
        for number, (name, port) in enumerate(zip(self.ids, self.ports), 1):
            reply = reply.replace(name, f"<id{number}>").replace(f"@{port + 10000}", f"@<bus{number}>")
            reply = reply.replace(f":{port}", f":<port{number}>")
        return reply

    def pass_time(self):
        pass

    def blocked(self, node):
        """How many clients of the node wait."""
        return int(re.search(r"blocked_clients:(\d+)", self.client("control", node).call("INFO", "clients"))[1])

    def send_blocking(self, client, node, words):
        before = self.blocked(node)
        client.send(words)
        end = time.monotonic() + PATIENCE
        while self.blocked(node) == before:
            if time.monotonic() > end:
                sys.exit(f"{self.name}: {words} does not block; send it with > instead")

    def close(self):
        for client in self.clients.values():
            client.close()
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
            process.wait()


class OnPicklock(Place):
    name = "picklock"

    def __init__(self, program):
        words = [program, "--port", "0", "--cluster-nodes", str(NODES)]
        self.processes = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True)]
        first = int(re.search(r":(\d+) ", self.processes[0].stdout.readline())[1])
        self.ports = [first + i for i in range(NODES)]
        self.connect()


class OnRedis(Place):
    name = "redis"

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()
        self.ports = []
        self.processes = []
        while len(self.processes) < NODES:
            port = free_port()
            directory = f"{self.directory.name}/{port}"
            os.mkdir(directory)
            words = ["redis-server", "--port", str(port), "--cluster-enabled", "yes", "--save", "", "--dir", directory,
                     "--bind", "127.0.0.1", "--cluster-node-timeout", "60000"]
            self.processes.append(subprocess.Popen(words, stdout=subprocess.DEVNULL))
            self.ports.append(port)
            self.await_true(lambda: self.answers(port))
        self.connect()
        for number, (first, last) in enumerate(SHARES, 1):
            control = self.client("control", number)
            control.call("CLUSTER", "SET-CONFIG-EPOCH", str(number))
            control.call("CLUSTER", "ADDSLOTSRANGE", str(first), str(last))
        for port in self.ports[1:]:
            self.client("control", 1).call("CLUSTER", "MEET", "127.0.0.1", str(port))
        self.await_true(lambda: all(self.is_joined(number) for number in range(1, NODES + 1)))

    def pass_time(self):
        time.sleep(0.3)

    @staticmethod
    def answers(port):
        try:
            Connection(port).close()
            return True
        except ConnectionRefusedError:
            return False

    def is_joined(self, number):
        info = self.client("control", number).call("CLUSTER", "INFO")
        nodes = self.client("control", number).call("CLUSTER", "NODES")
        return ("cluster_state:ok" in info and "cluster_known_nodes:3" in info and "epoch:3" in info
                and "handshake" not in nodes and nodes.count(" connected") == NODES)

    @staticmethod
    def await_true(asked):
        end = time.monotonic() + 60
        while not asked():
            assert time.monotonic() < end, "the real cluster does not come up"
            time.sleep(0.01)


def settle(words, reply):
    """What differs between two real clusters: order of a hash table, times, messages on the bus."""
    asked = [word.lower() for word in words[:2]]
    if asked == ["cluster", "nodes"]:
        lines = [line.split(" ") for line in reply.splitlines()]
        return sorted(" ".join(line[:4] + ["<sent>", "<received>"] + line[6:]) for line in lines)
    if asked == ["cluster", "info"]:
        return [line for line in reply.splitlines() if "_messages_" not in line]
    if asked[0] == "cluster" and asked[1] in ("replicas", "slaves") and isinstance(reply, list):
        return sorted(" ".join(line.split(" ")[:4]) for line in reply)
    if asked == ["cluster", "links"]:
        return sorted(str(link[:4] + link[6:8]) for link in reply)
    if asked == ["cluster", "shards"]:
        return sorted(re.sub(r"('replication-offset'), \d+", r"\1", str(shard)) for shard in reply)
    return reply


def play(place, line):
    """What the line brings, masked."""
    if line == "~":
        return place.pass_time()
    who, arrow, request = re.fullmatch(r"(\w+@\d)(>>|>|<|\+)\s*(.*)", line).groups()
    name, node = who.split("@")
    client = place.client(name, int(node))
    words = [place.expand(word) for word in shlex.split(request)]
    if arrow == "+":
        client.keep(words)
        return "(kept)"
    if arrow == ">>":
        place.send_blocking(client, int(node), words)
        return "(sent)"
    if arrow == ">":
        client.send(words)
    try:
        reply = place.mask(client.read())
    except TimeoutError:
        sys.exit(f"{place.name} does not answer {line}")
    return settle(words, reply) if words else reply


def compare(program, path):
    """The number of requests, and of answers that differ."""
    lines = [line.strip() for line in pathlib.Path(path).read_text().splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    places = [OnRedis(), OnPicklock(program)]
    differences = 0
    try:
        for line in lines:
            theirs, ours = (play(place, line) for place in places)
            if "--show" in sys.argv:
                print(line, "\n   ", theirs)
            if theirs != ours:
                differences += 1
                print(f"{path}: {line}\n    redis:    {theirs}\n    picklock: {ours}")
    finally:
        for place in places:
            place.close()
    return len(lines), differences


def main():
    requests = differences = 0
    for path in sys.argv[2:]:
        if path.startswith("--"):
            continue
        sent, different = compare(sys.argv[1], path)
        requests += sent
        differences += different
    print(f"{requests} requests to both clusters, {differences} answered differently")
    return 1 if differences or not requests else 0


if __name__ == "__main__":
    sys.exit(main())
