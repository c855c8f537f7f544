"""One end of connections, or both, and what is seen of them beside: `option.py server|client|capture ...`."""

import os
import select
import socket
import struct
import sys
import time

from common import HOST, ends

OPTION = bytes([0xFE, 6, 0xE2, 0xD4, 0xC3, 0xD9])
EYE_CATCHER = OPTION[2:]
# Control group to enter, where this program does not run in one already.
GROUP = os.environ.get("HALFTRACK_SMC_TEST_GROUP")


def is_option_shown(near):
    """Returns whether both ends have shown the option, as the programs of the kernel answer it."""
    try:
        return struct.unpack("i", near.getsockopt(0x48544B53, 1, 4))[0] == 3
    except OSError:
        return False


def report(near):
    print("carried" if ends() else "tcp", "option" if is_option_shown(near) else "none", flush=True)


def serve(inheritable=False, closes=False):
    server = socket.socket()
    server.set_inheritable(inheritable)
    server.bind((HOST, 0))
    server.listen()
    print(server.getsockname()[1], flush=True)
    near, _ = server.accept()
    if closes:
        server.close()
    request = near.recv(100)
    assert request == b"request", request
    near.sendall(b"answer")
    report(near)
    sys.stdin.read()
    near.close()


def call(port, waits):
    near = socket.socket()
    if waits:
        # The server has closed its listener before this program does anything with the connection.
        near.setblocking(False)
        near.connect_ex((HOST, port))
        time.sleep(0.5)
        select.select([], [near], [])
        near.setblocking(True)
    else:
        near.connect((HOST, port))
    near.sendall(b"request")
    answer = near.recv(100)
    assert answer == b"answer", answer
    report(near)
    sys.stdin.read()
    near.close()


def capture(port):
    """Prints for each SYN and SYN-ACK whether it has the option, until a FIN of this port comes."""
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
    raw.bind(("lo", 0x0800))
    print("ready", flush=True)
    seen, catchers, others = {}, 0, 0
    while True:
        packet = raw.recv(65536)
        head = (packet[0] & 15) * 4
        if packet[9] != 6 or port not in struct.unpack("!HH", packet[head : head + 4]):
            continue
        length, flags = (packet[head + 12] >> 4) * 4, packet[head + 13]
        options = packet[head + 20 : head + length]
        if flags & 2:
            seen["synack" if flags & 16 else "syn"] = OPTION in options
        else:
            others += OPTION in options
        catchers += EYE_CATCHER in packet[head + length :]
        if flags & 1:
            break
    print(seen.get("syn"), seen.get("synack"), others, "clc" if catchers else "none", flush=True)


if GROUP:
    with open(os.path.join(GROUP, "cgroup.procs"), "w") as processes:
        processes.write("0")

{
    "server": lambda: serve(),
    "inheritable": lambda: serve(inheritable=True),
    "closing": lambda: serve(closes=True),
    "client": lambda: call(int(sys.argv[2]), False),
    "late": lambda: call(int(sys.argv[2]), True),
    "capture": lambda: capture(int(sys.argv[2])),
}[sys.argv[1]]()
