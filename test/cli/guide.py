"""Console blocks of the guide: `$ command`, then its output, where `...` on a line of its own stands for any lines.

    python3 guide.py ADVISE SOURCE [--update]    runs all pages of docs/guide; --update writes what the commands print, shortened, into them
"""
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"```console\n\$ ([^\n]*)\n(.*?)```", re.S)
HEAD, TAIL = 26, 8


def run(command, advise, source):
    words = shlex.split(command)
    words[0] = advise if words[0] == "advise" else words[0]
    done = subprocess.run(words, cwd=source, capture_output=True, text=True, timeout=120, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout + done.stderr


def shortened(text):
    lines = text.splitlines()
    if len(lines) <= HEAD + TAIL + 2:
        return text
    return "\n".join([*lines[:HEAD], "...", *lines[-TAIL:]]) + "\n"


def matches(expected, found):
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", expected, flags=re.M)]
    return re.fullmatch("(?:.*\n)*?".join(parts), found) is not None


def faults(page, advise, source):
    for command, expected in BLOCK.findall(page.read_text()):
        found = run(command, advise, source)
        if not matches(expected, found):
            difference = difflib.unified_diff(expected.splitlines(), shortened(found).splitlines(), "guide", "program", lineterm="")
            yield f"{page}: $ {command}\n" + "\n".join(difference)


def update(page, advise, source):
    page.write_text(BLOCK.sub(lambda block: f"```console\n$ {block[1]}\n{shortened(run(block[1], advise, source))}```", page.read_text()))


def main():
    advise, source = sys.argv[1], pathlib.Path(sys.argv[2])
    pages = sorted((source / "docs/guide").glob("*.md"))
    if "--update" in sys.argv:
        for page in pages:
            update(page, advise, source)
    found = [fault for page in pages for fault in faults(page, advise, source)]
    print("\n\n".join(found) or f"{sum(len(BLOCK.findall(page.read_text())) for page in pages)} commands print what the guide says")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
