#!/usr/bin/env python3
"""How long picklock-server takes to be ready and to stop, beside Redis.

    tests/bench/start.py build/bin/picklock-server

Both servers run with their defaults and start in turns. Ready is the first answer to a PING of a client that tries to
connect from the start on; stopped is the end of the process after SIGTERM, with that client still connected. Medians of
nine runs. Ends with 1 if a mark is missed.
"""

import argparse
import signal
import socket
import statistics
import subprocess
import sys
import time

import servers

RUNS = 9
READY_MS, STOP_MS = 20.0, 50.0
PATIENCE = 10  # Seconds; nothing takes as long.


def answered(process, port, until):
    """A connection whose PING has been answered, or None if there was none by then."""
    while process.poll() is None and time.perf_counter() < until:
        try:
            client = socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.0002)
            continue
        client.sendall(b"PING\r\n")
        if client.recv(64) == b"+PONG\r\n":
            return client
        client.close()
    return None


def start_and_stop(name, command):
    """Milliseconds until it is ready, and until it has stopped."""
    port = servers.free_port()
    began = time.perf_counter()
    process = subprocess.Popen(command(port), stdout=subprocess.DEVNULL)
    client = answered(process, port, began + PATIENCE)
    ready = time.perf_counter()
    if client is None:
        process.kill()
        sys.exit(f"{name} has not answered a PING on port {port}: start it by hand to see why")
    with client:
        asked = time.perf_counter()
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        return (ready - began) * 1e3, (time.perf_counter() - asked) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="picklock-server")
    arguments = parser.parse_args()
    servers.require("redis-server")
    commands = {"picklock-server": servers.start_picklock(arguments.program), "redis-server": servers.start_redis}
    runs = {name: [] for name in commands}
    for number in range(RUNS):
        for name in list(commands) if number % 2 else reversed(commands):
            runs[name].append(start_and_stop(name, commands[name]))
    ours, theirs = ([statistics.median(column) for column in zip(*runs[name])] for name in commands)
    fine = True
    print(f"\n{'ms':24}{'ours':>12}{'Redis':>9}{'mark':>8}")
    for what, mine, other, mark in zip(["from start to ready", "from SIGTERM to the end"], ours, theirs,
                                       [READY_MS, STOP_MS]):
        fine = fine and mine <= mark
        print(f"{what:24}{mine:12.2f}{other:9.2f}{mark:8.2f}{'  MISSED' * (mine > mark)}")
    return fine


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
