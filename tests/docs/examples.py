#!/usr/bin/env python3
"""The examples of README.md and docs/*.md: each is compiled or run, by the language of its block.

  examples.py cpp PAGE OUT      the C++ blocks of a page, as one file to compile
  examples.py run ROOT BIN [--all] [--write]
                                runs all the others; --all: those too that want Python, Node or CMake;
                                --write: puts what was printed into the pages

  cpp           test cases and what they need; the blocks of a page follow each other
  console       `$ ` begins a command, what it prints follows; a line of `...` stands for any lines.
                build/bin/ stands for the programs, 6380 to 6382 for free ports; a command that ends with & is
                waited for until it has said something
  lua FILE      is that file, letter for letter; without a name a check file that can be searched
  python, js    run with the helpers of tests/clients beside them
  cmake         a consumer's lines that must configure
  sh            commands whose syntax, and whose targets of make, are there
"""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

LATER = {"python", "js", "cmake"}


class Block:
    def __init__(self, page, line, info, text):
        self.page, self.line, self.text = page, line, text
        words = info.split()
        self.language, self.rest = (words[0], words[1:]) if words else ("", [])

    def where(self):
        return f"{self.page}:{self.line}"


def blocks_of(path):
    blocks, info, start, lines = [], None, 0, []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if info is None and line.startswith("```"):
            info, start, lines = line[3:], number, []
        elif info is not None and line == "```":
            blocks.append(Block(path, start, info, "\n".join(lines) + "\n"))
            info = None
        elif info is not None:
            lines.append(line)
    if info is not None:
        sys.exit(f"{path}:{start}: this block does not end")
    return blocks


def pages(root):
    return [root / "README.md"] + sorted((root / "docs").glob("*.md"))


def write_cpp(page, out):
    parts = ['#include "tests/support/catch.hpp"\n']
    for block in blocks_of(page):
        if block.language != "cpp":
            continue
        parts.append(f'#line {block.line + 1} "{page}"\n{block.text}')
    out.write_text("\n".join(parts))


def run(command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=120, **options)


def free_ports(count):
    """Ports one after the other on which nobody listens."""
    while True:
        probes = [socket.socket() for _ in range(count)]
        try:
            probes[0].bind(("127.0.0.1", 0))
            first = probes[0].getsockname()[1]
            for i, probe in enumerate(probes[1:], 1):
                probe.bind(("127.0.0.1", first + i))
            return [str(first + i) for i in range(count)]
        except (OSError, OverflowError):
            continue
        finally:
            for probe in probes:
                probe.close()


def translated(text, ports, others):
    """Not what only looks like a port: digits in the midst of a longer number."""
    instead = dict(zip(ports, others))
    return re.sub(r"\d+", lambda number: instead.get(number[0], number[0]), text)


def fits(wanted, printed):
    """Whether the lines agree, where '...' stands for any lines."""
    if not wanted:
        return not printed
    if wanted[0] == "...":
        return any(fits(wanted[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and wanted[0] == printed[0] and fits(wanted[1:], printed[1:])


PORTS = ["6380", "6381", "6382"]

SESSION = """
said() { for _ in $(seq 200); do [ -s "$1" ] && break; sleep 0.02; done; cat "$1"; }
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
"""


def run_console(block, root, binaries, write):
    parts = re.split(r"^\$ ", block.text, flags=re.M)
    if parts[0]:
        return f"{block.where()}: something stands before the first command"
    ports = free_ports(len(PORTS))
    script, shown = SESSION, []
    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate(parts[1:]):
            command, output = part.split("\n", 1)
            shown.append([command, output])
            out = f"{folder}/{number}"
            real = translated(command.replace("build/bin/", f"{binaries}/"), PORTS, ports)
            if real.endswith("&"):
                script += f"{real[:-1]} >{out}.said 2>&1 &\nsaid {out}.said >{out}\n"
            else:
                script += f"{{ {real}\n}} >{out} 2>&1\n"
        environment = dict(os.environ, LC_ALL="C.UTF-8", PATH=f"{binaries}:{os.environ['PATH']}")
        run(["bash", "-c", script], cwd=root, env=environment)
        for number, entry in enumerate(shown):
            printed = translated(pathlib.Path(f"{folder}/{number}").read_text(), ports, PORTS)
            if fits(entry[1].rstrip("\n").split("\n"), printed.rstrip("\n").split("\n")):
                continue
            if not write or "\n...\n" in "\n" + entry[1]:
                return f"{block.where()}: '{entry[0]}' prints\n{printed}and not\n{entry[1]}"
            entry[1] = printed.rstrip("\n") + "\n" if printed.strip() else ""
    text = "".join(f"$ {command}\n{output}" for command, output in shown)
    if text != block.text:
        path = block.page
        path.write_text(path.read_text().replace(block.text, text))
    return None


def run_lua(block, root, binaries, write):
    if block.rest:
        if (root / block.rest[0]).read_text() == block.text:
            return None
        return f"{block.where()}: this is not {block.rest[0]}"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "lock.lua"
        file.write_text(block.text)
        ended = run([binaries / "picklock-fuzz", "check", file, "--schedules", "1000"], cwd=root)
    return None if ended.returncode in (0, 1) else f"{block.where()}: {ended.stdout}"


def run_script(block, root, binaries, write):
    clients = root / "tests" / "clients"
    environment = dict(os.environ, PICKLOCK_SERVER=str(binaries / "picklock-server"),
                       PYTHONPATH=str(clients / "python"), PYTHONDONTWRITEBYTECODE="1",
                       NODE_PATH=str(clients / "node"))
    with tempfile.TemporaryDirectory() as folder:
        python = block.language == "python"
        file = pathlib.Path(folder) / ("test_example.py" if python else "example.test.js")
        file.write_text(block.text)
        command = (["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "picklock"]
                   if python else ["node", "--test"])
        ended = run(command + [str(file)], cwd=folder, env=environment)
    return None if ended.returncode == 0 else f"{block.where()}: {ended.stdout}"


def run_cmake(block, root, binaries, write):
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder)
        (project / "picklock").symlink_to(root)
        (project / "my_test.cpp").write_text("int main() {}\n")
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(my_test CXX)\n"
            "add_executable(my_test my_test.cpp)\n" + block.text)
        ended = run(["cmake", "-S", project, "-B", project / "build"])
    return None if ended.returncode == 0 else f"{block.where()}: {ended.stdout}"


def check_sh(block, root, binaries, write):
    ended = run(["bash", "-n", "-c", block.text])
    if ended.returncode != 0:
        return f"{block.where()}: {ended.stdout}"
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), flags=re.M))
    for target in re.findall(r"^make ([a-z-]+)", block.text, flags=re.M):
        if target not in targets:
            return f"{block.where()}: there is no target {target}"
    return None


RUNNERS = {"console": run_console, "lua": run_lua, "python": run_script, "js": run_script,
           "cmake": run_cmake, "sh": check_sh, "cpp": None}


def lost_links(page):
    """Links of a page, outside its blocks, to files that are not there."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)# ]+)(?:#[^) ]*)?\)", text):
        if "://" not in target and not (page.parent / target).exists():
            yield f"{page}: there is no {target}"


def run_all(root, binaries, options):
    failed, counts = 0, {}
    for page in pages(root):
        for problem in lost_links(page):
            print(problem)
            failed += 1
        for block in blocks_of(page):
            if block.language not in RUNNERS:
                print(f"{block.where()}: nothing tests a block of '{block.language}'")
                failed += 1
                continue
            if block.language == "cpp" or (block.language in LATER) != ("--all" in options):
                continue
            problem = RUNNERS[block.language](block, root, binaries, "--write" in options)
            counts[block.language] = counts.get(block.language, 0) + 1
            if problem:
                print(problem)
                failed += 1
    print(", ".join(f"{count} of {name}" for name, count in sorted(counts.items())) or "no block")
    return 1 if failed or not counts else 0


def main(words):
    if words[:1] == ["cpp"] and len(words) == 3:
        write_cpp(pathlib.Path(words[1]), pathlib.Path(words[2]))
        return 0
    if words[:1] == ["run"] and len(words) >= 3:
        return run_all(pathlib.Path(words[1]).resolve(), pathlib.Path(words[2]).resolve(), words[3:])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
