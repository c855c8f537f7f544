"""What the programs of these tests have in common."""

import hashlib
import os
import random
import socket
import sys
import threading

HOST = "127.0.0.1"


def ends(name="halftrack-smc-end"):
    """Returns how many ends of SMC-R this process has."""
    found = 0
    for fd in os.listdir("/proc/self/fd"):
        try:
            found += os.readlink(f"/proc/self/fd/{fd}").startswith(f"/memfd:{name}")
        except OSError:
            pass
    return found


def octets(seed, count):
    """Returns octets that a wrong place in the stream shows."""
    return random.Random(seed).randbytes(count)


def listening(backlog=128):
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((HOST, 0))
    server.listen(backlog)
    return server


def connected(address):
    return socket.create_connection(address, timeout=None)


def pair():
    """Returns both ends of a connection, both in this process, with SMC-R."""
    server = listening()
    near = connected(server.getsockname())
    far, _ = server.accept()
    # The rendezvous takes a step of either end.
    thread = threading.Thread(target=far.sendall, args=(b"x",))
    settle = threading.Thread(target=lambda: near.sendall(b"y"))
    settle.start()
    assert far.recv(1) == b"y"
    settle.join()
    thread.start()
    assert near.recv(1) == b"x"
    thread.join()
    server.close()
    assert ends() >= 2, "the connection is carried"
    return near, far


def received(sock, count=None):
    """Receives so many octets, or all to the end."""
    parts, got = [], 0
    while count is None or got < count:
        part = sock.recv(65536 if count is None else min(65536, count - got))
        if not part:
            break
        parts.append(part)
        got += len(part)
    return b"".join(parts)


def child(action):
    """Runs something in a child; returns the number of the process."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            action()
            code = 0
        except BaseException as error:  # noqa: BLE001
            print(f"child: {error!r}", file=sys.stderr)
        finally:
            os._exit(code)
    return pid


def ended_well(pid):
    _, status = os.waitpid(pid, 0)
    assert status == 0, f"child {pid} ended with {status}"


def digest(data):
    return hashlib.sha256(data).hexdigest()
