#!/usr/bin/env python3
"""What the programs' --help says: `check_help.py ROOT BIN`. It is their manual.

Every option stands in README.md or docs/ too; each that takes a value says its default; every page of help has
the exit codes and an example, and the examples of picklock-fuzz run.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def run(words, folder):
    return subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, cwd=folder)


def options_of(text):
    """The options of a page: name, and all that is said of it."""
    found = []
    for line in text.split("\n\n", 1)[1].split("\n"):
        option = re.match(r"  (?:-\w,)?(--[a-z-]+)(.*)", line)
        if option:
            found.append([option.group(1), option.group(2)])
        elif found and line.startswith(" " * 20):
            found[-1][1] += " " + line.strip()
        elif not line.startswith(" "):
            found.append(["", ""])
    return [(name, said) for name, said in found if name and name not in ("--help", "--version")]


def check(name, text, pages):
    problems = []
    if "Exit codes:" not in text:
        problems.append(f"{name}: no exit codes")
    if "Example: " not in text:
        problems.append(f"{name}: no example")
    for option, said in options_of(text):
        if f"{option}`" not in pages and f"{option} " not in pages and f"{option}\n" not in pages:
            problems.append(f"{name}: {option} stands in no page")
        if re.match(r" [A-Z]+[: =]", said) and "default" not in said:
            problems.append(f"{name}: {option} does not say its default:{said}")
    return problems


def main(root, binaries):
    root, binaries = pathlib.Path(root).resolve(), pathlib.Path(binaries).resolve()
    pages = "".join(page.read_text() for page in [root / "README.md", *(root / "docs").glob("*.md")])
    fuzz, server = binaries / "picklock-fuzz", binaries / "picklock-server"
    problems = check("picklock-server", run([server, "--help"], root).stdout, pages)
    overview = run([fuzz, "--help"], root).stdout
    problems += check("picklock-fuzz", overview, pages)
    commands = re.findall(r"^  ([a-z]+) {3,}", overview.split("Subcommands:")[1], flags=re.M)
    count = len(options_of(run([server, "--help"], root).stdout))
    for command in commands:
        text = run([fuzz, command, "--help"], root).stdout
        problems += check(command, text, pages)
        count += len(options_of(text))
        example = re.search(r"^Example: picklock-fuzz (.*)$", text, flags=re.M)
        if not example:
            continue
        with tempfile.TemporaryDirectory() as folder:
            words = [word.replace("/tmp", folder) for word in shlex.split(example.group(1))]
            ended = run([fuzz, *words], root)
        if ended.returncode not in (0, 1) and command != "merge":
            problems.append(f"{command}: the example ends with {ended.returncode}: {ended.stdout}")
    print("\n".join(problems) or f"{len(commands)} commands, {count} options")
    return 1 if problems or len(commands) < 8 or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
