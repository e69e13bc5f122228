#!/usr/bin/env python3
"""picklock-server beside Redis over sockets: throughput, and what a request costs the server.

    tests/bench/sockets.py build/bin/picklock-server           nine runs in turns, some minutes
    tests/bench/sockets.py build/bin/picklock-server --quick   six short ones, under two minutes
    tests/bench/sockets.py build/bin/picklock-server --rows SET,GET

Both servers run with their defaults and are asked by redis-benchmark in turns; a row's figure is the median of the
ratios of its pairs, with the interval that covers it in 95 of 100 cases (order statistics, no assumption about how
times are distributed). Ends with 1 if a mark is missed.
"""

import argparse
import csv
import io
import math
import pathlib
import statistics
import subprocess
import sys

import servers

# What redis-benchmark does by default, in its order, for some rows live on what others leave: name, words that choose
# it, and how many times as long as a plain request it takes.
DEFAULT_ROWS = (
    [(name.upper(), ["-t", name], 1) for name in ["ping_inline", "ping_mbulk", "set", "get", "incr", "lpush", "rpush",
                                                  "lpop", "rpop", "sadd", "hset", "spop", "zadd", "zpopmin"]]
    + [(f"LRANGE_{count}", ["lrange", "range", "0", str(count - 1)], count / 25) for count in [100, 300, 500, 600]]
    + [("MSET (10 keys)", ["-t", "mset"], 3)])
CALLS = "for i = 1, 1000 do redis.call('incr', KEYS[1]) end return 1"
SETTINGS = [("1 connection", 1, 1, 5_000), ("50 connections", 50, 1, 20_000), ("pipeline of 16", 50, 16, 100_000)]
CHEAP = {"SET", "GET", "INCR", "HSET", "EVALSHA acquire", "EVALSHA release"}
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "lua/scripts"


def script_rows(pair):
    def load(script):
        return [server.call("SCRIPT", "LOAD", script) for server in pair][0].decode()

    acquire, release = (load((SCRIPTS / f"set_nx_px_{what}.lua").read_bytes()) for what in ["acquire", "release"])
    lock = ["1", "lock:__rand_int__", "owner"]  # Of which most are free when they are to be taken.
    return [("EVALSHA acquire", ["-r", "100000", "evalsha", acquire, *lock, "30000"], 2),
            ("EVALSHA release", ["-r", "100000", "evalsha", release, *lock], 2),
            ("1,000 calls", ["evalsha", load(CALLS), "1", "key"], 150)]


def run(server, words, connections, pipeline, requests):
    """Requests a second, and the server's microseconds of CPU for each of them."""
    options = ["-p", server.port, "-c", connections, "-P", pipeline, "-n", requests, "--csv"]
    before = server.cpu_seconds()
    printed = subprocess.run(["redis-benchmark", *map(str, options), *words], capture_output=True, text=True)
    table = list(csv.reader(io.StringIO(printed.stdout)))
    if printed.returncode or len(table) < 2:
        sys.exit(f"redis-benchmark {' '.join(map(str, options + words))}: {printed.stdout}{printed.stderr}")
    return float(table[-1][1]), (server.cpu_seconds() - before) / requests * 1e6


def interval(values):
    """The least and the greatest order statistic between which the median lies in 95 of 100 cases."""
    values, skipped, outside = sorted(values), 0, 0.0
    while 2 * (outside + math.comb(len(values), skipped) / 2 ** len(values)) <= 0.05:
        outside += math.comb(len(values), skipped) / 2 ** len(values)
        skipped += 1
    low = max(skipped - 1, 0)
    return values[low], values[-1 - low]


def measure(pair, rows, runs, requests_of):
    """{(row, setting): [((rate, cost) of ours, (rate, cost) of theirs), ...]}"""
    figures = {}
    for number in range(runs):
        for setting, connections, pipeline, plain in SETTINGS:
            for server in pair:
                server.call("FLUSHALL")
                server.call("RPUSH", "range", *["VXK"] * 600)
            for row, words, weight in rows:
                requests = max(int(plain * requests_of / weight), 10 * connections)
                one = {}
                for server in pair if number % 2 else pair[::-1]:
                    one[server.name] = run(server, words, connections, pipeline, requests)
                figures.setdefault((row, setting), []).append(tuple(one[server.name] for server in pair))
        print(f"run {number + 1} of {runs}", file=sys.stderr)
    return figures


def cell(runs, column):
    return statistics.median(ours[column] / theirs[column] for ours, theirs in runs)


def throughput(runs, mark):
    """"1.07 [1.02, 1.11]", and whether the interval reaches the mark."""
    low, high = interval([ours[0] / theirs[0] for ours, theirs in runs])
    met = mark is None or high >= mark
    return f"{cell(runs, 0):5.2f} [{low:4.2f}, {high:4.2f}]{' ' if met else '<'}", met


def print_table(rows, figures):
    """A line for each row; false if a mark is missed."""
    print(f"\n{'x Redis':16} | {'throughput, the more the better':^60} | {'CPU a request, pipeline of 16':^37}")
    print(f"{'':16} |" + "".join(f" {name:19}" for name, *_ in SETTINGS) + f" | {'x Redis':^8} {'mark':>5} "
          f"{'ours us':>8} {'Redis us':>8}")
    missed = 0
    for row, _, _ in rows:
        special = row.startswith("EVALSHA"), row == "1,000 calls"
        marks = [None, None, 1.3] if special[0] else [1.5, 1.5, 1.5] if special[1] else [1.0, 1.0, None]
        cells = [throughput(figures[row, setting[0]], mark) for setting, mark in zip(SETTINGS, marks)]
        piped, mark = figures[row, SETTINGS[2][0]], 0.90 if row in CHEAP else 1.0
        cost = cell(piped, 1)
        ours, theirs = (statistics.median(both[i][1] for both in piped) for i in [0, 1])
        missed += sum(not met for _, met in cells) + (cost > mark)
        print(f"{row:16} |" + "".join(f" {text:19}" for text, _ in cells)
              + f" | {cost:7.2f}{'<' if cost > mark else ' '} {mark:5.2f} {ours:8.2f} {theirs:8.2f}")
    print("\nThroughput is to reach 1.0 with its interval (1.3: EVALSHA, piped; 1.5: 1,000 calls).",
          f"{missed} missed, marked by <." if missed else "All marks met.")
    return not missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="picklock-server")
    parser.add_argument("--quick", action="store_true", help="six short runs instead of nine long ones")
    parser.add_argument("--rows", default="", help="only these, by comma")
    arguments = parser.parse_args()
    servers.require("redis-server", "redis-benchmark")
    with servers.both(arguments.program) as pair:
        rows = DEFAULT_ROWS + script_rows(pair)
        wanted = arguments.rows.split(",") if arguments.rows else []
        rows = [row for row in rows if not wanted or row[0] in wanted]
        figures = measure(pair, rows, 6 if arguments.quick else 9, 0.35 if arguments.quick else 2)
    return print_table(rows, figures)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
