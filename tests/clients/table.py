#!/usr/bin/python3
"""Prints what the clients' tests have shown: each client and scenario, on the emulator and on a real server.

    tests/clients/table.py build/clients

reads the JUnit files there, which pytest, node and the test of hiredis have written. Ends with 1 if a scenario has
failed, or if a client that we promise has shown nothing at one of the places.
"""

import pathlib
import sys
import xml.etree.ElementTree

PLACES = ["picklock", "redis"]
CLIENTS = ["bullmq", "hiredis", "ioredis", "ioredis, cluster", "ioredis, sentinel", "node-redis, RESP3", "redis-benchmark", "redis-cli",
           "redis-py", "redis-py-cluster", "redis-py-sentinel", "redis-semaphore", "redlock 4", "redlock 5"]


def cells(directory):
    """(client, scenario, place, passed, milliseconds) of every test; without a place it is picklock's."""
    for path in sorted(pathlib.Path(directory).glob("*.xml")):
        try:
            cases = xml.etree.ElementTree.parse(path)
        except xml.etree.ElementTree.ParseError:
            yield path.stem, "did not come to its end", "picklock", False, 0
            continue
        for case in cases.iter("testcase"):
            name, _, place = case.get("name").rstrip("]").partition("[")
            client = case.get("classname")
            if path.stem == "python":
                client = client.rpartition(".")[2].removeprefix("test_").replace("_", "-")
                place, _, case_of = place.partition("-")
                name = " ".join([name.removeprefix("test_").replace("_", " "), case_of]).strip()
            if path.stem == "hiredis":
                client, _, name = name.partition(": ")
                name, _, place = name.partition(" - On")
                place = place.lower()
            passed = case.find("failure") is None and case.find("error") is None and case.find("skipped") is None
            yield client, name.strip(), place or "picklock", passed, float(case.get("time")) * 1000


def main():
    rows = {}
    for client, scenario, place, passed, ms in cells(sys.argv[1]):
        rows.setdefault((client, scenario), {})[place] = (passed, ms)
    width = max((len(scenario) for _, scenario in rows), default=0)
    print(f"{'client':18} {'scenario':{width}} {'picklock':>15} {'redis 7.0.15':>15}")
    failed = 0
    for (client, scenario), at in sorted(rows.items()):
        shown = []
        for place in PLACES:
            passed, ms = at.get(place, (None, 0))
            failed += passed is False
            shown.append("" if passed is None else f"{'passed' if passed else 'FAILED'} {ms:5.0f} ms")
        print(f"{client:18} {scenario:{width}} {shown[0]:>15} {shown[1]:>15}".rstrip())
    absent = [f"{client} at {place}" for client in CLIENTS for place in PLACES
              if not any(row[0] == client and place in at for row, at in rows.items())]
    times = {place: sum(at[place][1] for at in rows.values() if place in at) for place in PLACES}
    counts = {place: sum(place in at for at in rows.values()) for place in PLACES}
    print(f"{len({client for client, _ in rows})} clients, "
          + ", ".join(f"{counts[place]} scenarios on {place} in {times[place] / 1000:.1f} s" for place in PLACES)
          + f", {failed} failed" + "".join(f"; nothing shown: {each}" for each in absent))
    return 1 if failed or absent else 0


if __name__ == "__main__":
    sys.exit(main())
