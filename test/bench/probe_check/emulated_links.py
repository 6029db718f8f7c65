"""ADVISE=build/default/examples/advise/advise python3 test/bench/probe_check/emulated_links.py

Two ranks in network namespaces over a link of known rate (the kernel's tbf), of known delay, and of both (tun_link.py): is what
`advise calibrate` fits what was set, within a tenth?

Exit code 77 (skipped, with the reason) where the kernel, the rights or the programs for it are missing.
"""
import contextlib
import json
import os
import shutil
import subprocess
import sys

import tun_link

ADVISE = os.environ["ADVISE"]
TAG = f"sy{os.getpid() % 100000}"
SPACES = [f"{TAG}a", f"{TAG}b"]
DEVICES = [TAG + "x", TAG + "y"]
ADDRESSES = ["10.199.77.1", "10.199.77.2"]
WITHIN = 0.10


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def must(*words):
    done = run(*words)
    if done.returncode != 0:
        skip(f"{' '.join(map(str, words))}: {(done.stderr or done.stdout).strip()}")


@contextlib.contextmanager
def namespaces():
    for space in SPACES:
        must("ip", "netns", "add", space)
    try:
        yield
    finally:
        for space in SPACES:
            run("ip", "netns", "del", space)


def join_by_kernel():
    must("ip", "link", "add", TAG + "x", "netns", SPACES[0], "type", "veth", "peer", "name", TAG + "y", "netns", SPACES[1])
    for space, device, address in zip(SPACES, DEVICES, ADDRESSES):
        must("ip", "-n", space, "addr", "add", address + "/24", "dev", device)
        must("ip", "-n", space, "link", "set", device, "up")
        must("ip", "-n", space, "link", "set", "lo", "up")


def shape(*discipline):
    """Sets the queueing discipline of both ends; the reason where the kernel has none such."""
    for space, device in zip(SPACES, DEVICES):
        done = run("tc", "-n", space, "qdisc", "replace", "dev", device, "root", *discipline)
        if done.returncode != 0:
            return (done.stderr or done.stdout).strip().splitlines()[0]
    return None


def coefficients(budget, largest_mib):
    """What both ranks measured together, by name."""
    ranks = []
    for rank, space in enumerate(SPACES):
        env = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": ADDRESSES[0],
               "MASTER_PORT": "29400"}
        words = ["ip", "netns", "exec", space, ADVISE, "calibrate", "--backend", "host", "--budget", budget, "--largest-mib", largest_mib,
                 "--format", "json"]
        ranks.append(subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    outputs = [process.communicate(timeout=200) for process in ranks]
    if any(process.returncode for process in ranks):
        sys.exit(f"FAIL: {outputs}")
    return {one["name"]: one["value"] for one in json.loads(outputs[0][0])["coefficients"]}


def judge(what, found, wanted, unit):
    share = found / wanted
    good = abs(share - 1) <= WITHIN
    print(f"{'PASS' if good else 'FAIL'}: {what}: set {wanted:.4g} {unit}, fitted {found:.4g} {unit}, ratio {share:.3f}")
    return good


def check_rate(mbit):
    with namespaces():
        join_by_kernel()
        why = shape("tbf", "rate", f"{mbit}mbit", "burst", "8kb", "latency", "200ms")
        if why:
            print(f"skipped: rate by tbf: {why}")
            return []
        wanted = mbit * 1e6 / 8 / 1e9  # of which the headers of TCP take up to 4 %
        found = coefficients("20s", "4")
    return [judge("tbf: bandwidth of send_recv", found["host.collective.send_recv.asymptotic_bus_bandwidth"], wanted, "GB/s")]


def check_line(milliseconds, mbit):
    """A line with both: latency and rate come from the two ends of one curve."""
    with namespaces():
        try:
            link = tun_link.Link(SPACES, DEVICES, ADDRESSES, milliseconds * 1e-3, mbit * 1e6 / 8)
        except OSError as fault:
            print(f"skipped: line in user space: {fault}")
            return []
        with link:
            found = coefficients("60s", "1")
    name = f"line of {milliseconds} ms and {mbit} mbit/s: "
    return [judge(name + "alpha of send_recv", found["host.collective.send_recv.latency"], milliseconds * 1e3, "us"),
            judge(name + "bandwidth of send_recv", found["host.collective.send_recv.asymptotic_bus_bandwidth"], mbit * 1e6 / 8 / 1e9, "GB/s")]


def main():
    if os.geteuid() != 0:
        skip("network namespaces need root")
    for program in ("ip", "tc"):
        if not shutil.which(program):
            skip(f"no program '{program}' here (Debian: iproute2)")
    results = check_rate(200) + check_line(10, 200) + check_line(5, 100)
    if not results:
        skip("this kernel shapes no links")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
