"""A link of known delay and rate between two network namespaces, in user space: a TUN device in each, and packets that pass from one to the other
after their time on the line. Needs root and /dev/net/tun, but no queueing discipline of the kernel.
"""
import collections
import ctypes
import fcntl
import os
import select
import struct
import subprocess
import threading
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0001, 0x1000, 0x40000000
MTU = 60000     # few packets a second, so that this program keeps up with the line
LIBC = ctypes.CDLL(None, use_errno=True)


def set_namespace(descriptor):
    """Moves the calling thread into a network namespace."""
    if LIBC.setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def open_tun(space, name, address):
    """A TUN device in a named namespace, up and with the address; its descriptor."""
    home, there = os.open("/proc/thread-self/ns/net", os.O_RDONLY), os.open(f"/run/netns/{space}", os.O_RDONLY)
    try:
        set_namespace(there)
        descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    finally:
        set_namespace(home)
        os.close(home)
        os.close(there)
    for words in (["addr", "add", f"{address}/24", "dev", name], ["link", "set", name, "mtu", str(MTU), "up"], ["link", "set", "lo", "up"]):
        subprocess.run(["ip", "-n", space, *words], check=True, capture_output=True)
    return descriptor


class Direction:
    """Packets on the line: each leaves after the one before it, and arrives a delay after its last bit has left."""

    def __init__(self, delay_s, bytes_per_s):
        self.delay_s, self.bytes_per_s, self.free_s, self.line = delay_s, bytes_per_s, 0.0, collections.deque()

    def send(self, packet, now_s):
        self.free_s = max(now_s, self.free_s) + len(packet) / self.bytes_per_s
        self.line.append((self.free_s + self.delay_s, packet))

    def arrived(self, now_s):
        while self.line and self.line[0][0] <= now_s:
            yield self.line.popleft()[1]

    def next_s(self):
        return self.line[0][0] if self.line else float("inf")


class Link:
    """Carries packets from `with` to its end."""

    def __init__(self, spaces, names, addresses, delay_s, bytes_per_s):
        self.ends = [open_tun(*end) for end in zip(spaces, names, addresses)]
        self.ways = [Direction(delay_s, bytes_per_s) for _ in self.ends]
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.carry)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()
        for end in self.ends:
            os.close(end)

    def carry(self):
        while not self.stopped.is_set():
            wait_s = min(way.next_s() for way in self.ways) - time.monotonic()
            ready, _, _ = select.select(self.ends, [], [], min(max(wait_s, 0), 0.1))
            now_s = time.monotonic()
            for end, way in zip(self.ends, self.ways):
                if end in ready:
                    way.send(os.read(end, 65536), now_s)
            for end, way in zip(reversed(self.ends), self.ways):
                for packet in way.arrived(time.monotonic()):
                    self.deliver(end, packet)

    @staticmethod
    def deliver(end, packet):
        try:
            os.write(end, packet)
        except OSError:
            pass    # the device went down: TCP sees a lost packet
