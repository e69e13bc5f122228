"""redis-py's Sentinel on a primary with two replicas: it follows a failover, and sees the writes that are lost."""

import time

import picklock
import pytest
import redis
from sentinels import OnPicklock, OnRedis, pairs

RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


def until_it_works(asked):
    """A client hears of a failover by an error, and asks the sentinel when it connects again."""
    end = time.monotonic() + 10
    while True:
        try:
            return asked()
        except (redis.ConnectionError, redis.ReadOnlyError, redis.TimeoutError):
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def read_events(connection, last):
    """The events up to the one named `last`, as (name, text)."""
    heard = []
    while not heard or heard[-1][0] != last:
        heard.append(tuple(word.decode() for word in connection._read()[2:]))
    return heard


def test_a_client_writes_at_the_new_master_after_a_failover(sentinels):
    client = sentinels.client(decode_responses=True)
    assert client.set("lock", "alice", nx=True, px=60_000)
    assert client.wait(2, 5000) == 2
    sentinels.fail_over()
    new = sentinels.master_port()
    assert new in sentinels.ports[1:]
    assert until_it_works(lambda: client.get("lock")) == "alice"
    assert until_it_works(lambda: client.eval(RELEASE, 1, "lock", "alice")) == 1
    assert client.set("lock", "bob", nx=True, px=60_000)
    assert sentinels.call(new, "GET", "lock") == b"bob"
    client.close()


def test_a_write_that_did_not_get_through_is_lost_and_two_hold_the_lock(sentinels):
    client = sentinels.client(decode_responses=True)
    assert client.set("before", "1")
    assert client.wait(2, 5000) == 2
    sentinels.let_writes_lag()
    assert client.set("lock", "alice", nx=True, px=600_000)
    sentinels.crash_primary()
    assert until_it_works(lambda: client.get("before")) == "1"
    assert client.set("lock", "bob", nx=True, px=600_000)  # Alice still believes that she holds it.
    assert sentinels.call(sentinels.master_port(), "GET", "lock") == b"bob"
    client.close()


def test_the_old_master_comes_back_as_a_replica(sentinels):
    sentinels.crash_primary()
    sentinels.revive_primary()
    sentinels.await_true(lambda: sentinels.call(sentinels.ports[0], "ROLE")[0] == b"slave")
    client = sentinels.client(decode_responses=True)
    sentinels.await_true(lambda: until_it_works(lambda: client.set("k", "v") and client.wait(2, 1000)) == 2)
    assert sentinels.call(sentinels.ports[0], "GET", "k") == b"v"
    client.close()


def test_a_failover_is_told_in_the_same_words(sentinels):
    events = sentinels.events()
    sentinels.fail_over()
    heard = read_events(events, "+switch-master")
    replicas = [name for name, text in heard if "slave 127.0.0.1:" in text]
    assert [name for name, _ in heard] == [
        "+new-epoch", "+try-failover", "+vote-for-leader", "+elected-leader", "+failover-state-select-slave",
        "+selected-slave", "+failover-state-send-slaveof-noone", "+failover-state-wait-promotion", "-role-change",
        "+promoted-slave", "+failover-state-reconf-slaves", "+slave-reconf-sent", "+slave-reconf-inprog",
        "+slave-reconf-done", "+failover-end", "+switch-master"]
    old, new = sentinels.ports[0], sentinels.master_port()
    other, = set(sentinels.ports[1:]) - {new}
    watched = f"mymaster 127.0.0.1 {old}"
    promoted = f"slave 127.0.0.1:{new} 127.0.0.1 {new} @ {watched}"
    said = dict(heard)
    myid = sentinels.ask("MYID").decode()
    assert said["+vote-for-leader"] == f"{myid} 1"
    assert said["+try-failover"] == said["+failover-end"] == f"master {watched}"
    assert said["+selected-slave"] == said["+promoted-slave"] == promoted
    assert said["-role-change"] == promoted + " new reported role is master"
    assert said["+slave-reconf-done"] == f"slave 127.0.0.1:{other} 127.0.0.1 {other} @ {watched}"
    assert said["+switch-master"] == f"{watched} 127.0.0.1 {new}"
    assert len(replicas) == 8
    events.close()


VARYING = {"runid", "name", "port", "master-port", "last-ok-ping-reply", "last-ping-reply", "last-ping-sent",
           "info-refresh", "role-reported-time", "slave-repl-offset", "link-pending-commands"}


def shape(reply, ports):
    """A reply without what differs from run to run: ports, ids, how long something takes."""
    if isinstance(reply, list) and reply and reply[0] == b"name":
        return [(name, "*" if name in VARYING else value) for name, value in pairs(reply).items()]
    if isinstance(reply, list):
        return [shape(each, ports) for each in reply]
    if not isinstance(reply, bytes):
        return reply
    text = reply.decode()
    for place, port in enumerate(ports):
        text = text.replace(str(port), f"port{place}")
    return "id" if len(text) == 40 and " " not in text else text


REQUESTS = """
PING|PING a|PING a b|ROLE|ROLE x|SENTINEL|SENTINEL nope|SENTINEL masters|SENTINEL master mymaster|SENTINEL master nope
SENTINEL replicas mymaster|SENTINEL slaves mymaster|SENTINEL replicas nope|SENTINEL sentinels mymaster
SENTINEL sentinels nope|SENTINEL get-master-addr-by-name nope|SENTINEL get-primary-addr-by-name mymaster
SENTINEL ckquorum mymaster|SENTINEL ckquorum nope|SENTINEL myid|SENTINEL pending-scripts|SENTINEL flushconfig
SENTINEL info-cache nope|SENTINEL simulate-failure help|SENTINEL simulate-failure nope|SENTINEL help
SENTINEL debug nope 3|SENTINEL debug ping-period|SENTINEL debug ping-period 0|SENTINEL debug ping-period x
SENTINEL config get *|SENTINEL config get announce*|SENTINEL config set nope x|SENTINEL config
SENTINEL config set announce-port 99999|SENTINEL config set resolve-hostnames maybe|SENTINEL config get|SENTINEL config nope x
SENTINEL set mymaster|SENTINEL set nope quorum 2|SENTINEL set mymaster down-after-milliseconds
SENTINEL set mymaster down-after-milliseconds x|SENTINEL set mymaster down-after-milliseconds 0
SENTINEL set mymaster down-after-milliseconds -5|SENTINEL set mymaster nope x|SENTINEL set mymaster quorum 0
SENTINEL set mymaster parallel-syncs x|SENTINEL set mymaster failover-timeout 60000 parallel-syncs 2
SENTINEL set mymaster notification-script x|SENTINEL set mymaster auth-user|SENTINEL set mymaster quorum 2
SENTINEL ckquorum mymaster|SENTINEL set mymaster quorum 1|SENTINEL master mymaster
SENTINEL set mymaster master-reboot-down-after-period 5|SENTINEL set mymaster master-reboot-down-after-period x
SENTINEL monitor mymaster 127.0.0.1 1 1|SENTINEL monitor other 127.0.0.1 x 1|SENTINEL monitor other 127.0.0.1 99999 1
SENTINEL monitor other 127.0.0.1 1 0|SENTINEL monitor other 127.0.0.1 1 x|SENTINEL monitor other no.invalid 1 1
SENTINEL monitor a|SENTINEL monitor other 127.0.0.1 1 1|SENTINEL failover other|SENTINEL remove other
SENTINEL remove nope|SENTINEL failover nope|SENTINEL reset nope|SENTINEL failover|SENTINEL reset
SENTINEL is-master-down-by-addr 127.0.0.1 1 0 *|SENTINEL is-master-down-by-addr 127.0.0.1 x 0 *
GET a|SET a b|EVAL x 0|MULTI|SELECT 0|ECHO a|TIME|CONFIG GET port|WAIT 0 0|DBSIZE|PUBSUB CHANNELS|SPUBLISH a b|QUIT|RESET
INFO sentinel|INFO keyspace|INFO nope|COMMAND COUNT|COMMAND INFO publish|COMMAND INFO role|COMMAND INFO info
CLIENT GETNAME|CLIENT SETNAME x|CLIENT GETNAME|CLIENT SETINFO lib-name x|AUTH x|AUTH|ACL WHOAMI|ACL LIST|PUBLISH foo bar
PUBLISH __sentinel__:hello bar|SHUTDOWN nope|PICKLOCK NOW
"""


def answers_of(place):
    try:
        for words in REQUESTS.strip().replace("\n", "|").split("|"):
            try:
                answer = place.sentinel.call(*words.split())
            except picklock.Error as error:
                answer = f"error: {error}"
            yield words, shape(answer, [*place.ports, place.sentinel_port])
    finally:
        place.close()


def test_a_sentinel_answers_as_a_real_one():
    for got, wanted in zip(answers_of(OnPicklock()), answers_of(OnRedis()), strict=True):
        assert got == wanted
