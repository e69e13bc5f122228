"""redis-benchmark: every row of its own, plain, pipelined and in RESP3, without an error."""

import csv
import subprocess

import pytest

WAYS = {
    "one request at a time": ["-n", "300", "-c", "10"],
    "pipelines of 16": ["-n", "1600", "-c", "10", "-P", "16"],
    "RESP3": ["-3", "-n", "300", "-c", "10"],
}
THREADS = ["-t", "set,get,mset", "-n", "300", "-c", "10", "-r", "100", "-d", "5000", "--threads", "2"]
ROWS = {"PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "LPUSH", "RPUSH", "LPOP", "RPOP", "SADD", "HSET", "SPOP",
        "ZADD", "ZPOPMIN", "LPUSH (needed to benchmark LRANGE)", "LRANGE_100 (first 100 elements)",
        "LRANGE_300 (first 300 elements)", "LRANGE_500 (first 500 elements)", "LRANGE_600 (first 600 elements)",
        "MSET (10 keys)"}


def benchmark(place, *words):
    run = subprocess.run(["redis-benchmark", *place.words, "--csv", *words], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "rror" not in run.stdout + run.stderr, run.stdout + run.stderr
    return {row["test"]: float(row["rps"]) for row in csv.DictReader(run.stdout.splitlines())}


@pytest.mark.parametrize("way", WAYS)
def test_all_rows(place, way):
    rows = benchmark(place, *WAYS[way])
    assert set(rows) == ROWS
    assert all(rate > 0 for rate in rows.values())


def test_random_keys_and_two_threads(place):
    assert set(benchmark(place, *THREADS)) == {"SET", "GET", "MSET (10 keys)"}


def test_a_lock_of_many_clients(place):
    """Of 1000 requests that take the same lock one does; a script's row has an error if a reply is one."""
    benchmark(place, "-n", "1000", "-c", "50", "SET", "ledger", "__rand_int__", "NX", "PX", "60000")
    assert place.client().pttl("ledger") > 50_000
    take = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 60000)"
    benchmark(place, "-n", "1000", "-c", "50", "EVAL", take, "1", "ledger", "alice")
    assert place.client().get("ledger") != b"alice"
