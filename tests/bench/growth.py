#!/usr/bin/env python3
"""How cost grows with the number of keys, and how long clients wait for work that is not theirs, beside Redis.

    tests/bench/growth.py build/bin/picklock-server            1,000 to 10,000,000 keys
    tests/bench/growth.py build/bin/picklock-server --quick    to 1,000,000

All times are those that the server has computed, so that a busy machine blurs them less: for a request in the
table, in the best of nine rounds, and within one answer, in the best of three runs, for a pause. Ends with 1 if a pause is longer than 5 ms, or a cost
grows eightfold while the keys grow ten thousandfold (by more than a logarithm and the cache's misses).
"""

import argparse
import random
import sys
import time

import servers

PAUSE_MS, GROWTH = 5.0, 8.0
ROUNDS, REQUESTS = 9, 2000
RUNS = 3  # Of what pauses.
STORM = 1_000_000
FILL = """for i = ARGV[1], ARGV[2] do
  if ARGV[3] == 'ZADD' then redis.call('ZADD', 'zset', i, 'member:' .. i)
  else redis.call('SET', 'key:' .. i, 'value', 'PXAT', ARGV[3]) end
end"""
FAR = 4_000_000_000_000  # An instant beyond every run.


def fill(server, count, what):
    for start in range(0, count, 50_000):
        server.call("EVAL", FILL, 0, start, min(start + 50_000, count) - 1, what)


def cost(server, requests):
    """Microseconds of CPU for each of these requests."""
    encoded = b"".join(servers.encode(words) for words in requests)
    before = server.cpu_seconds()
    server.exchange(encoded, len(requests))
    return (server.cpu_seconds() - before) / len(requests) * 1e6


def expiry(server, number):
    """Microseconds for each key that expires; only where time can be moved."""
    if server.name != "picklock-server":
        return None
    for i in range(REQUESTS):
        server.call("SET", f"short:{i}", "value", "PX", 10 + i % 7)
    before = server.cpu_seconds()
    server.call("PICKLOCK", "ADVANCE", 100)
    return (server.cpu_seconds() - before) / REQUESTS * 1e6


def costs(server, keys, draw):
    """{what: microseconds} with so many keys, and so many members in a sorted set.

    Each right behind the filling of what it looks at: a system may take the pages of what lies idle for half a
    minute, whoever's they are, and the faults by which they come back cost ten times what is to be measured.
    """
    scanned = []

    def scan(_):
        before = server.cpu_seconds()
        for _ in range(200):
            scanned[0] = server.call("SCAN", scanned[0], "COUNT", 10)[0]
        return (server.cpu_seconds() - before) / 200 * 1e6

    def best(way):
        runs = [way(number) for number in range(ROUNDS)]
        return None if runs[0] is None else min(runs)

    fill(server, keys, FAR)
    figures = {"GET": best(lambda _: cost(server, [("GET", f"key:{draw.randrange(keys)}") for _ in range(REQUESTS)]))}
    figures["expiry"] = best(lambda number: expiry(server, number))
    scanned.append(server.call("SCAN", 0, "COUNT", 10)[0])
    figures["SCAN"] = best(scan)
    fill(server, keys, "ZADD")
    figures["ZADD"] = best(lambda number: cost(server, [("ZADD", "zset", draw.random() * keys, f"new:{number}:{i}")
                                                        for i in range(REQUESTS)]))
    return figures


def growth(program, most):
    """[(server, what, [microseconds at each size])]"""
    sizes = [10 ** n for n in range(3, 9) if 10 ** n <= most]
    lines = {}
    for size in sizes:
        with servers.both(program) as pair:
            for server in pair:
                for what, figure in costs(server, size, random.Random(1)).items():
                    if figure is not None:
                        lines.setdefault((what, server.name), []).append(figure)
        print(f"{size:,} keys", file=sys.stderr)
    return sizes, lines


def print_growth(sizes, lines):
    """The table and the plot; false if something grows that should not."""
    print(f"\n{'us a request':24}" + "".join(f"{size:>12,}" for size in sizes) + f"{'grows':>9}")
    fine = True
    for (what, name), figures in lines.items():
        grows = figures[-1] / figures[0]
        missed = name == "picklock-server" and grows > GROWTH
        fine = fine and not missed
        print(f"{what:7}{name:17}" + "".join(f"{figure:12.2f}" for figure in figures)
              + f"{grows:7.1f} x{'  MISSED' * missed}")
    print("\nThe same, one # for each tenth of the first size's cost:")
    for (what, name), figures in lines.items():
        for size, figure in zip(sizes, figures):
            print(f"{what:7}{name:17}{size:>12,} {'#' * min(round(figure / figures[0] * 10), 80)}")
    return fine


class Watched:
    """How long the server has computed before each of its answers."""

    def __init__(self, server):
        self.server, self.seconds = server, []

    def exchange(self, requests, count):
        before = self.server.cpu_seconds(background=False)
        replies = self.server.exchange(requests, count)
        self.seconds.append(self.server.cpu_seconds(background=False) - before)
        return replies

    def call(self, *words):
        return self.exchange(servers.encode(words), 1)[0]


def coming_pauses(server, count, words):
    """While so many requests come, each of a number of 8 digits, a hundred at a time: of each hundred."""
    watched = Watched(server)
    hundred = b"".join(servers.encode(word.replace("N", f"NNNNNN{i:02}") for word in words) for i in range(100))
    for number in range(count // 100):
        watched.exchange(hundred.replace(b"NNNNNN", b"%06d" % number), 100)
    return watched.seconds


def rehash_pauses(server, most):
    """While keys come."""
    return coming_pauses(server, most, ["SET", "key:N", "v"])


def member_pauses(server, most):
    """While a sorted set gets a fifth as many members."""
    return coming_pauses(server, most // 5, ["ZADD", "zset", "N", "member:N"])


def storm_pauses(server, most):
    """While a million keys expire at the same instant: the longest."""
    at = time.time() + 5
    while True:  # Until they all are there in time.
        fill(server, STORM, int(at * 1000))
        if time.time() < at:
            break
        at = time.time() + 30
    watched = Watched(server)
    while time.time() < at + 0.002 or watched.call("DBSIZE"):
        watched.call("PING")
    return [max(watched.seconds)]


def flush_pauses(server, most):
    """Of the flush and of the PINGs behind it: the longest, for what is freed between them keeps its own time."""
    fill(server, STORM, FAR)
    watched = Watched(server)
    watched.call("FLUSHALL", "ASYNC")
    for _ in range(1000):
        watched.call("PING")
    return [max(watched.seconds)]


def longest_pause(runs):
    """Milliseconds. Whoever else computes on the machine, or below it, makes one run's answers late: what is a
    server's own is so in all runs."""
    return max(min(answer) for answer in zip(*runs)) * 1000


def print_pauses(program, most):
    print(f"\n{f'longest pause, ms, of {RUNS} runs':44}{'ours':>9}{'Redis':>9}{'mark':>7}")
    missed = 0
    for what, pauses in [(f"{most:,} keys come, one after another", rehash_pauses),
                         (f"{most // 5:,} members come to a sorted set", member_pauses),
                         (f"{STORM:,} keys expire at once", storm_pauses),
                         (f"FLUSHALL ASYNC of {STORM:,} keys", flush_pauses)]:
        runs = []
        for _ in range(RUNS):
            with servers.both(program, "--clock", "system") as pair:
                runs.append([pauses(server, most) for server in pair])
        ours, theirs = map(longest_pause, zip(*runs))
        missed += ours > PAUSE_MS
        print(f"{what:44}{ours:9.2f}{theirs:9.2f}{PAUSE_MS:7.2f}{'  MISSED' * (ours > PAUSE_MS)}", flush=True)
    return not missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="picklock-server")
    parser.add_argument("--quick", action="store_true", help="to a million keys")
    arguments = parser.parse_args()
    servers.require("redis-server")
    most = 10 ** 6 if arguments.quick else 10 ** 7
    fine = print_growth(*growth(arguments.program, most))
    return print_pauses(arguments.program, most) and fine


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
