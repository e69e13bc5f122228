#!/usr/bin/env python3
"""The lock client over TCP, to a Redis server, beside hiredis sending the same two EVALSHAs by hand.

    tests/bench/lock_client.py build/bin/picklock-lock-bench

Nine runs in turns on one server; the mark is that the interval of the ratios of their speeds reaches 1.0.
"""

import statistics
import subprocess
import sys

import servers

RUNS, PAIRS = 9, 5000


def main():
    servers.require("redis-server")
    with servers.redis() as server:
        printed = subprocess.run([sys.argv[1], str(server.port), str(RUNS), str(PAIRS)], capture_output=True, text=True)
    if printed.returncode:
        sys.exit(printed.stderr)
    runs = [tuple(map(float, line.split())) for line in printed.stdout.splitlines()]
    ratios = [by_hand / ours for ours, by_hand in runs]
    low, high = servers.interval(ratios)
    ours, by_hand = (statistics.median(column) for column in zip(*runs))
    print(f"\nacquire and release over TCP: {ours:.1f} us by the lock client, {by_hand:.1f} us by hiredis by hand: "
          f"{statistics.median(ratios):.2f} x [{low:.2f}, {high:.2f}], to reach 1.0{'' if high >= 1 else '  MISSED'}")
    return high >= 1


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
