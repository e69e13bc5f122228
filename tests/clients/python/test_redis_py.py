"""redis-py and its Lock, on picklock-server and, where no clock need be moved, on a real server."""

import threading
import time

import picklock
import pytest
import redis
from places import OnPicklock
from redis.exceptions import LockError, LockNotOwnedError


@pytest.fixture
def ours(picklock_server):
    return OnPicklock(picklock_server)


def test_a_lock_excludes_others_until_it_is_released(place):
    alice = place.client().lock("ledger", timeout=60)
    bob = place.client().lock("ledger", timeout=60)
    assert alice.acquire(blocking=False)
    assert not bob.acquire(blocking=False)
    assert alice.owned() and not bob.owned()
    alice.release()
    assert bob.acquire(blocking=False)
    bob.release()
    assert place.client().dbsize() == 0


def test_a_lock_ends_with_its_lease(place):
    alice = place.client().lock("ledger", timeout=place.lease)
    bob = place.client().lock("ledger", timeout=60)
    assert alice.acquire(blocking=False)
    place.let_lease_end()
    assert bob.acquire(blocking=False)
    with pytest.raises(LockNotOwnedError):
        alice.release()
    assert bob.owned()
    bob.release()


def test_a_lock_is_extended_and_reacquired(place):
    client = place.client()
    lock = client.lock("ledger", timeout=20)
    assert lock.acquire(blocking=False)
    assert lock.extend(20)
    assert 39_000 < client.pttl("ledger") <= 40_000
    assert lock.extend(5, replace_ttl=True)
    assert client.pttl("ledger") <= 5_000
    assert lock.reacquire()
    assert 19_000 < client.pttl("ledger") <= 20_000
    lock.release()
    with pytest.raises(LockError):
        lock.extend(1)


def test_a_registered_script_with_decoded_responses(place):
    client = place.client(decode_responses=True)
    compare_and_delete = client.register_script(
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end "
        "return redis.error_reply('NOTOWNER the lock is ' .. redis.call('get', KEYS[1]))"
    )
    client.set("lock", "alice \u00e4")
    with pytest.raises(redis.ResponseError, match="NOTOWNER the lock is alice \u00e4"):
        compare_and_delete(keys=["lock"], args=["bob"])
    client.script_flush()  # It is loaded again without a word.
    assert compare_and_delete(keys=["lock"], args=["alice \u00e4"]) == 1
    pipeline = client.pipeline()
    compare_and_delete(keys=["none"], args=["x"], client=pipeline)
    with pytest.raises(redis.ResponseError):
        pipeline.execute()


def test_acquiring_gives_up_after_its_own_time_limit(place):
    """The limit for acquiring is one thing, the lease another."""
    holder = place.client().lock("ledger", timeout=60)
    assert holder.acquire(blocking=False)
    waiter = place.client().lock("ledger", timeout=60, sleep=0.001, blocking_timeout=0.01)
    assert not waiter.acquire()
    with pytest.raises(LockError):
        with place.client().lock("ledger", timeout=60, sleep=0.001, blocking_timeout=0.005):
            pass
    holder.release()
    assert waiter.acquire()
    waiter.release()


def test_a_waiter_gets_the_lock_when_the_lease_ends(place):
    holder = place.client().lock("ledger", timeout=place.lease)
    assert holder.acquire(blocking=False)
    tries = threading.Event()

    class Waiter(redis.lock.Lock):
        def do_acquire(self, token):
            taken = super().do_acquire(token)
            tries.set()
            return taken

    waiter = Waiter(place.client(), "ledger", timeout=60, sleep=0.001)
    got = []
    thread = threading.Thread(target=lambda: got.append(waiter.acquire(blocking_timeout=10)))
    thread.start()
    tries.wait(10)
    place.let_lease_end()
    thread.join(10)
    assert got == [True]


def test_a_list_as_a_lock_wakes_its_waiter(place):
    client = place.client()
    got = []
    thread = threading.Thread(target=lambda: got.append(place.client().blpop("free", timeout=10)))
    thread.start()
    if isinstance(place, OnPicklock):
        place.server.wait_blocked(1)
    client.rpush("free", "token")
    thread.join(10)
    assert got == [(b"free", b"token")]


def test_a_blocking_command_times_out_when_its_time_has_passed(ours):
    got = []
    thread = threading.Thread(target=lambda: got.append(ours.client().blpop("free", timeout=3600)))
    thread.start()
    ours.server.wait_blocked(1)
    ours.server.advance(3_600_000)
    thread.join(10)
    assert got == [None]


def test_the_lease_is_over_one_millisecond_after_its_last(ours):
    alice = ours.client().lock("ledger", timeout=1.5)
    bob = ours.client().lock("ledger", timeout=1.5)
    assert alice.acquire(blocking=False)
    ours.server.advance(1500)
    assert not bob.acquire(blocking=False)
    ours.server.advance(1)
    assert bob.acquire(blocking=False)


def test_a_lost_reply_leaves_a_lock_that_nobody_knows_of(ours):
    ours.server.fault("DROP-REPLY", command="set", key="ledger")
    alice = ours.client(socket_timeout=0.02).lock("ledger", timeout=10)
    with pytest.raises(redis.TimeoutError):
        alice.acquire(blocking=False)
    assert ours.client().get("ledger") is not None
    assert not ours.client().lock("ledger").acquire(blocking=False)
    ours.server.advance(10_001)
    assert alice.acquire(blocking=False)


def test_a_lost_request_takes_no_lock(ours):
    ours.server.fault("DROP-REQUEST", command="set")
    alice = ours.client(socket_timeout=0.02).lock("ledger", timeout=10)
    with pytest.raises(redis.TimeoutError):
        alice.acquire(blocking=False)
    assert ours.client().get("ledger") is None
    assert alice.acquire(blocking=False)


def test_a_connection_that_breaks_behind_a_release(ours):
    alice = ours.client().lock("ledger", timeout=10)
    with alice:  # The server knows its script now.
        pass
    assert alice.acquire(blocking=False)
    ours.server.fault("CLOSE-AFTER", command="evalsha")
    with pytest.raises(redis.ConnectionError):
        alice.release()
    assert ours.client().get("ledger") is None


def test_a_delayed_release_does_not_free_the_next_owner(ours):
    client = ours.client(client_name="slow")
    alice = client.lock("ledger", timeout=10, thread_local=False)
    with alice:
        pass
    assert alice.acquire(blocking=False)
    ours.server.fault("DELAY", 20_000, command="evalsha", client="slow")
    failed = []

    def release():
        try:
            alice.release()
        except LockNotOwnedError as error:
            failed.append(error)

    thread = threading.Thread(target=release)
    thread.start()
    ours.server.wait_blocked(1)
    ours.server.advance(11_001)
    bob = ours.client().lock("ledger", timeout=100)
    assert bob.acquire(blocking=False)
    ours.server.advance(10_000)
    thread.join(10)
    assert len(failed) == 1 and bob.owned()


def test_a_server_that_is_loading_is_tried_again(ours):
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    ours.server.fault("ERROR", "LOADING Redis is loading the dataset in memory", command="set")
    client = ours.client(retry=Retry(NoBackoff(), 1), retry_on_error=[redis.BusyLoadingError])
    assert client.lock("ledger", timeout=10).acquire(blocking=False)


def test_on_the_offset_clock_time_flows_and_is_moved():
    with picklock.Server(clock="offset") as server:
        place = OnPicklock(server)
        holder = place.client().lock("ledger", timeout=3600)
        assert holder.acquire(blocking=False)
        waiter = place.client().lock("ledger", timeout=3600, sleep=0.001)
        before = time.monotonic()
        assert not waiter.acquire(blocking_timeout=0.01)
        assert time.monotonic() - before >= 0.005
        server.advance(3_600_001)
        assert waiter.acquire(blocking_timeout=0.5)
        assert place.client().blpop("none", timeout=0.003) is None


def test_the_server_ends_well():
    server = picklock.Server(seed=7, databases=2)
    assert redis.Redis(port=server.port, db=1).ping()
    with pytest.raises(picklock.Error, match="DB index is out of range"):
        server.call("SELECT", 2)
    assert server.close() == 0


def test_what_scripts_log_holds_nobody_up():
    script = "for i = 1, 100 do redis.log(redis.LOG_WARNING, string.rep('\\255', 1000)) end return 1"
    with picklock.Server() as server:
        client = redis.Redis(port=server.port, socket_timeout=10)
        assert client.eval(script, 0) == 1  # More than a pipe holds.


def test_the_trace_says_what_happened(ours):
    ours.client(client_name="alice").set("k", "v")
    assert any('alice] "SET" "k" "v" -> OK; changed "k"' in line for line in ours.server.trace())
