#!/usr/bin/env python3
"""What data takes of picklock-server's memory, beside Redis: resident bytes for each key.

    tests/bench/memory.py build/bin/picklock-server            1,000,000 keys of each kind
    tests/bench/memory.py build/bin/picklock-server --quick    a tenth of them

Both servers are filled with the same requests, and started anew for each kind of key. Ends with 1 if a mark is missed.
"""

import argparse
import sys

import servers

BATCH = 1000
# name, how many, the command, and what follows the key.
KINDS = [
    ("small string keys", 1_000_000, "SET", ["a small value"]),
    ("hashes of 10 fields", 1_000_000, "HSET", [word for i in range(10) for word in (f"field{i}", f"value{i}")]),
    ("sorted sets of 100 members", 1_000_000, "ZADD", [word for i in range(100) for word in (i * 7 % 100, f"member{i}")]),
    ("keys with a ttl", 1_000_000, "SET", ["a small value", "PX", 10 ** 9]),
]


def bytes_a_key(server, count, command, rest):
    model = servers.encode([command, "key:00000000", *rest])  # Encoded once, for Python takes its time.
    head, tail = model.split(b"00000000", 1)
    before = server.resident_bytes()
    for start in range(0, count, BATCH):
        keys = range(start, min(start + BATCH, count))
        server.exchange(b"".join(b"%b%08d%b" % (head, key, tail) for key in keys), len(keys))
    return (server.resident_bytes() - before) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="picklock-server")
    parser.add_argument("--quick", action="store_true", help="a tenth of the keys")
    arguments = parser.parse_args()
    servers.require("redis-server")
    print(f"\n{'resident bytes a key':28} {'keys':>10} {'ours':>8} {'Redis':>8} {'x Redis':>8}")
    missed = 0
    for name, most, command, rest in KINDS:
        count = most // 10 if arguments.quick else most
        with servers.both(arguments.program) as pair:
            ours, theirs = (bytes_a_key(server, count, command, rest) for server in pair)
        missed += ours > theirs
        print(f"{name:28} {count:10,} {ours:8.0f} {theirs:8.0f} {ours / theirs:8.2f}{'  MISSED' * (ours > theirs)}",
              flush=True)
    print("The mark: at most as much as Redis.")
    return not missed


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
