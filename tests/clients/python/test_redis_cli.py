"""redis-cli in its modes: each says on picklock-server, to the letter, what it says on a real server."""

import re
import subprocess

import pytest
from places import OnPicklock

KEYS = """
SET text "a \\"quoted\\" line"
SET number 41
RPUSH list one two three
HSET hash field value
SADD set member
ZADD zset 1.5 member
XADD stream 1-1 field value
"""

# Title: (words behind redis-cli, what it reads, what must be seen). Keys are those of KEYS.
MODES = {
    "commands from its input": ([], "INCR number\nGET none\nLPOP text\nHGETALL hash\nNO SUCH\n", "^42$"),
    "a command in its words": (["LRANGE", "list", "0", "-1"], "", "^two$"),
    "formatted replies": (["--no-raw"], "LRANGE list 0 -1\nGET none\nINCR text\nEVAL 'return {1,{2,3}}' 0\n",
                          r"^\(error\) ERR value is not an integer"),
    "RESP3": (["-3", "--no-raw"], "HGETALL hash\nZSCORE zset member\nSMEMBERS set\nXRANGE stream - +\n",
              r"^\(double\) 1.5$"),
    "RESP2": (["-2", "--no-raw"], "HGETALL hash\nZSCORE zset member\n", '^2\\) "value"$'),
    "--csv": (["--csv"], "LRANGE list 0 -1\nHGETALL hash\nGET none\nINCR text\n", '^"one","two","three"$'),
    "--json": (["--json"], "HGETALL hash\nGET text\nGET none\nZSCORE zset member\nXRANGE stream - +\n",
               '{"field":"value"}'),
    "--quoted-json": (["--quoted-json", "GET", "text"], "", "quoted"),
    "--scan": (["--scan", "--pattern", "*s*"], "", "^hash$"),
    "--bigkeys": (["--bigkeys"], "", "Biggest   list found '\"list\"' has 3 items"),
    "--hotkeys": (["--hotkeys"], "", "maxmemory policy is not LFU|An LFU maxmemory policy is not selected"),
    "another database, again and again": (["-n", "5", "-r", "3", "-i", "0", "INCR", "n"], "", "^3$"),
    "the last argument from its input": (["-x", "SET", "k"], "from\nstdin", "^OK$"),
    "a tagged argument from its input": (["-X", "it", "SET", "k", "it", "PX", "1000"], "tagged", "^OK$"),
    "delimiters": (["-d", ";", "-D", "!", "LRANGE", "list", "0", "-1"], "", "one;two;three!"),
    "quoted input": (["--quoted-input", "SET", '"a\\x00b"', '"\\xff"'], "", "^OK$"),
    "an exit code for an error": (["-e", "INCR", "text"], "", "not an integer"),
    "a wrong password": (["-a", "wrong", "PING"], "", "WRONGPASS|AUTH failed"),
    "a user who is not there": (["--user", "ann", "--pass", "x", "--no-auth-warning", "PING"], "",
                                "WRONGPASS|AUTH failed"),
    "a transaction": (["--no-raw"], "MULTI\nINCR number\nLPOP text\nEXEC\n", r"^2\) \(error\) WRONGTYPE"),
    "help of a command": (["--no-raw"], "CLIENT HELP\nCOMMAND COUNT\n", "TRACKING"),
    "--pipe": (["--pipe"], "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\nINCR number\r\nINCR text\r\n",
               "errors: 1, replies: 3"),
}


def fill(place):
    redis_cli(place, [], KEYS)


def redis_cli(place, words, text=""):
    """Exit code and output of redis-cli, with what names the server left out."""
    run = subprocess.run(["redis-cli", *place.words, *words], input=text.encode(), capture_output=True, timeout=20)
    said = (run.stdout + run.stderr).decode(errors="backslashreplace")
    for word in place.words:
        if not word.startswith("-"):
            said = said.replace(word, "WHERE")
    return run.returncode, said


def comparable(words, said):
    """SCAN gives the keys in no order: what follows it is compared as lines, in any order."""
    if "--bigkeys" in words:
        said = said[said.index("- summary -"):]
    return sorted(said.splitlines()) if {"--scan", "--bigkeys"} & set(words) else said


@pytest.fixture(params=["picklock", "redis"])
def filled(request, picklock_server, real_redis):
    """A place with KEYS in it, and the real server in the same state to compare with."""
    real_redis.client().flushall()
    fill(real_redis)
    if request.param == "redis":
        return real_redis, None
    place = OnPicklock(picklock_server)
    fill(place)
    return place, real_redis


@pytest.mark.parametrize("title", MODES)
def test_mode(filled, title):
    place, real = filled
    words, text, seen = MODES[title]
    code, said = redis_cli(place, words, text)
    assert re.search(seen, said, re.MULTILINE), said
    if real:
        real_code, real_said = redis_cli(real, words, text)
        assert (code, comparable(words, said)) == (real_code, comparable(words, real_said))


def test_a_script_from_a_file_is_a_lock(place, tmp_path):
    script = tmp_path / "take.lua"
    script.write_text("return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])")
    take = ["--eval", str(script), "ledger", ","]
    assert redis_cli(place, [*take, "alice", "60000"]) == (0, "OK\n")
    assert redis_cli(place, [*take, "bob", "60000"]) == (0, "\n")
    assert redis_cli(place, ["GET", "ledger"]) == (0, "alice\n")


def test_a_password_and_a_user(place):
    client = place.client()
    client.config_set("requirepass", "secret")
    try:
        assert "NOAUTH" in redis_cli(place, ["PING"])[1]
        assert redis_cli(place, ["-a", "secret", "--no-auth-warning", "PING"]) == (0, "PONG\n")
        client = place.client(password="secret")
        client.execute_command("ACL", "SETUSER", "ann", "on", ">pw", "+ping")
        assert redis_cli(place, ["--user", "ann", "--pass", "pw", "--no-auth-warning", "PING"]) == (0, "PONG\n")
        assert "NOPERM" in redis_cli(place, ["--user", "ann", "--pass", "pw", "--no-auth-warning", "GET", "k"])[1]
    finally:
        client = place.client(password="secret")
        client.execute_command("ACL", "DELUSER", "ann")
        client.config_set("requirepass", "")


class Listening:
    """A redis-cli that prints what arrives, line by line, until it is ended."""

    def __init__(self, place, *words):
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", "redis-cli", *place.words, *words], stdout=subprocess.PIPE, text=True)

    def lines(self, count):
        return [self.process.stdout.readline().rstrip("\n") for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def test_messages_arrive(place):
    with Listening(place, "--csv", "SUBSCRIBE", "freed", "taken") as listening:
        assert listening.lines(3)[1:] == ['"subscribe","freed",1', '"subscribe","taken",2']
        assert place.client().publish("freed", "ledger") == 1
        assert listening.lines(1) == ['"message","freed","ledger"']


def test_requests_are_watched(place):
    with Listening(place, "MONITOR") as listening:
        assert listening.lines(1) == ["OK"]
        place.client().set("k", "v")
        assert re.fullmatch(r'\d+\.\d{6} \[0 .*\] "SET" "k" "v"', listening.lines(1)[0])


def test_statistics_roll(place):
    fill(place)
    with Listening(place, "--stat", "-i", "0.002") as listening:
        heading, names, *rows = listening.lines(4)
        assert "keys" in names and heading.startswith("---")
        assert [row.split()[0] for row in rows] == ["7", "7"]


def test_latency_is_sampled(place):
    code, said = redis_cli(place, ["--latency", "-i", "0.02"])
    assert code == 0
    lowest, highest, average, samples = said.split()
    assert 0 <= int(lowest) <= float(average) <= int(highest) and int(samples) >= 1


def test_memory_of_keys_is_sampled(place):
    fill(place)
    code, said = redis_cli(place, ["--memkeys"])
    assert code == 0 and "Sampled 7 keys" in said


def test_a_dump_moves_between_servers(place, real_redis, tmp_path):
    """--rdb takes a replica's data; DUMP and RESTORE carry values over."""
    fill(place)
    place.client().config_set("repl-diskless-sync-delay", 0)
    code, _ = redis_cli(place, ["--rdb", str(tmp_path / "dump.rdb")])
    assert code == 0 and (tmp_path / "dump.rdb").read_bytes().startswith(b"REDIS0010")
    real_redis.client().restore("carried", 0, place.client().dump("zset"), replace=True)
    assert real_redis.client().zscore("carried", "member") == 1.5
