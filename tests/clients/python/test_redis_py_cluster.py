"""redis-py's RedisCluster on three nodes: locks with hash tags, and the redirections that it has to follow."""

import picklock
import pytest
import redis

RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


def owner_of(slot):
    return 0 if slot < 5461 else 1 if slot < 10923 else 2


@pytest.fixture
def client(cluster):
    client = cluster.client(decode_responses=True)
    yield client
    client.close()


def test_keys_go_to_all_nodes_and_come_back(cluster, client):
    names = [f"key:{i}" for i in range(200)]
    for name in names:
        assert client.set(name, name)
    assert [client.get(name) for name in names] == names
    sizes = [cluster.call(node, "DBSIZE") for node in range(3)]
    assert sum(sizes) == 200 and min(sizes) > 40


def test_a_lock_with_a_hash_tag_is_released_by_a_script(cluster, client):
    digest = "".join(client.script_load("return 1"))  # Known everywhere; the release nowhere yet.
    assert len(digest) == 40
    for account in ["{1000}", "{1001}", "{1002}", "{1003}"]:
        lock = f"{account}:lock"
        assert client.set(lock, "alice", nx=True, px=60_000)
        assert not client.set(lock, "bob", nx=True, px=60_000)
        with pytest.raises(redis.exceptions.NoScriptError):
            client.evalsha("0" * 40, 1, lock, "bob")
        assert client.evalsha(digest, 1, lock) == 1
        assert client.eval(RELEASE, 1, lock, "bob") == 0
        assert client.eval(RELEASE, 1, lock, "alice") == 1


def test_keys_of_two_slots_in_one_request_are_refused(cluster, client):
    with pytest.raises(redis.exceptions.RedisClusterException):
        client.eval("return 1", 2, "foo", "bar")  # The client itself sees it.
    with pytest.raises(picklock.Error, match="CROSSSLOT"):
        cluster.call(0, "MSET", "foo", 1, "bar", 2)


def test_a_slot_that_was_handed_over_is_found_again(cluster, client):
    slot = client.keyslot("ledger")
    source, target = owner_of(slot), (owner_of(slot) + 1) % 3
    assert client.set("ledger", "alice", nx=True, px=60_000)
    assert client.eval(RELEASE, 1, "ledger", "alice") == 1
    cluster.give_slot(slot, target)
    try:
        assert client.set("ledger", "alice", nx=True, px=60_000)
        assert cluster.call(target, "GET", "ledger") == b"alice"
        with pytest.raises(picklock.Error, match=f"MOVED {slot} 127.0.0.1:{cluster.ports[target]}"):
            cluster.call(source, "GET", "ledger")
        assert client.eval(RELEASE, 1, "ledger", "alice") == 1
    finally:
        cluster.call(target, "DEL", "ledger")
        cluster.give_slot(slot, source)


def test_a_slot_that_is_on_its_way_is_asked_for(cluster, client):
    slot = client.keyslot("ledger")
    source, target = owner_of(slot), (owner_of(slot) + 1) % 3
    assert client.set("{ledger}:stays", "here")
    cluster.open_slot(slot, source, target)
    try:
        assert client.set("ledger", "alice", nx=True, px=60_000)
        assert client.get("ledger") == "alice"
        assert client.get("{ledger}:stays") == "here"
        assert [cluster.call(node, "CLUSTER", "COUNTKEYSINSLOT", slot) for node in (source, target)] == [1, 1]
        assert client.eval(RELEASE, 1, "ledger", "alice") == 1
    finally:
        for node in (source, target):
            cluster.call(node, "CLUSTER", "SETSLOT", slot, "STABLE")


def test_a_release_is_published_to_who_waits_at_another_node(cluster, client):
    for listens, node in [(0, 1), (1, 2), (2, 0)]:
        waits = redis.Redis(port=cluster.ports[listens]).pubsub(ignore_subscribe_messages=True)
        waits.subscribe("freed")
        assert waits.get_message(timeout=5) is None  # The subscription's own.
        cluster.call(node, "PUBLISH", "freed", "ledger")
        assert waits.get_message(timeout=5)["data"] == b"ledger"
        waits.close()
