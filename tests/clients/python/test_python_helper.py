"""picklock.py itself: what it starts ends, however the test ends, and it steers whatever it has started."""

import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

import picklock
import pytest


def until_it_is_gone(pid):
    deadline = time.monotonic() + 10
    while os.path.exists(f"/proc/{pid}"):
        assert time.monotonic() < deadline, "it still runs"
        time.sleep(0.002)


def test_a_program_that_stops_nothing_ends_and_its_server_with_it():
    program = "import picklock; print(picklock.Server()._process.pid); assert False, 'a failed test'"
    here = pathlib.Path(__file__).parent
    ended = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=20, cwd=here)
    assert "a failed test" in ended.stderr
    until_it_is_gone(int(ended.stdout))


def test_what_is_no_server_is_not_left_behind(tmp_path):
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho $$\nexec sleep 60\n")
    other.chmod(0o755)
    with pytest.raises(RuntimeError, match="did not start") as told:
        picklock.Server(str(other))
    until_it_is_gone(int(str(told.value).split()[-1]))


def test_a_server_with_a_password_on_an_ipv6_address_is_steered():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        host = "::1"
    except OSError:  # A machine without IPv6.
        host = "127.0.0.1"
    with picklock.Server(requirepass="open sesame", bind=host, auto_advance=False) as server:
        assert server.host == host
        assert server.advance(1) == server.now()


def test_it_connects_anew_where_a_test_has_closed_all_connections():
    with picklock.Server() as server:
        client = picklock.Connection((server.host, server.port))
        assert client.call("CLIENT", "KILL", "TYPE", "normal") == 1
        client.close()
        server.reset()


def test_it_connects_anew_after_a_reply_that_a_fault_has_lost():
    with picklock.Server() as server:
        server.fault("DROP-REPLY", command="set")
        server._control._socket.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.call("SET", "lock", "alice")
        assert server.call("GET", "lock") == b"alice"
        server.reset()


def test_an_error_that_is_no_text_is_raised_all_the_same():
    with picklock.Server() as server:
        with pytest.raises(picklock.Error, match="unknown command"):
            server.call(b"\xff")


def test_threads_hear_each_its_own_replies():
    heard = []
    with picklock.Server() as server:

        def ask(name):
            heard.extend(server.call("ECHO", name) == name for _ in range(500))

        threads = [threading.Thread(target=ask, args=(b"%d" % i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert heard == [True] * 2000
