"""Connections of several processes: accept and fork, exec, and ends that are killed."""

import os
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time

from common import child, connected, ended_well, ends, listening, octets, received

# A server that forks for each client and closes the connection itself, as PostgreSQL does.
server = listening()


def serve_by_children(count):
    children = []
    for _ in range(count):
        connection, _ = server.accept()

        def answer():
            server.close()
            length = int.from_bytes(received(connection, 8), "big")
            connection.sendall(received(connection, length)[::-1])
            assert ends() >= 1, "the child has the connection"

        children.append(child(answer))
        connection.close()
    for pid in children:
        ended_well(pid)


postmaster = child(lambda: serve_by_children(12))
failures = []


def client(seed):
    data = octets(seed, 300_000 + seed)
    with connected(server.getsockname()) as sock:
        sender = threading.Thread(target=sock.sendall, args=(len(data).to_bytes(8, "big") + data,))
        sender.start()
        got = received(sock)
        sender.join()
        if got != data[::-1]:
            failures.append((seed, len(got)))


threads = [threading.Thread(target=client, args=(seed,)) for seed in range(12)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not failures, failures
ended_well(postmaster)

# A connection that parent and child have, one after the other, and that ends with the last of them.
near = connected(server.getsockname())
threading.Thread(target=near.sendall, args=(b"first second ",)).start()
far, _ = server.accept()
assert received(far, 6) == b"first "
pid = child(lambda: (far.sendall(b"from the child"), far.recv(7) == b"second " or sys.exit(1)))
assert received(near, 14) == b"from the child"
ended_well(pid)
far.sendall(b"from the parent")
assert received(near, 15) == b"from the parent" and ends() == 2
far.close()
assert near.recv(1) == b""
near.close()

# Children that close all, start another program, or are killed: the parent's waits and its end are as they were.
for how in ("close", "exec", "spawn", "kill"):
    near = connected(server.getsockname())
    threading.Thread(target=near.sendall, args=(b"go",)).start()
    far, _ = server.accept()
    assert received(far, 2) == b"go"
    waits = select.epoll()
    waits.register(far, select.EPOLLIN)
    assert waits.poll(0) == []
    if how == "close":
        ended_well(child(lambda: os.closerange(3, 1 << 20)))
    elif how == "exec":
        subprocess.run(["true"], check=True)
    elif how == "spawn":
        os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)
    else:
        come, say = os.pipe()
        pid = child(lambda: (os.write(say, b"x"), time.sleep(100)))
        assert os.read(come, 1) == b"x"
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    threading.Timer(0.1, near.send, (b"later",)).start()
    assert waits.poll(10) == [(far.fileno(), select.EPOLLIN)], how
    assert far.recv(10) == b"later"
    # Nobody else has the connection: a sleep is one sleep, not one of milliseconds after the other.
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    assert waits.poll(0.4) == []
    assert resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before < 50, how
    far.close()
    assert near.recv(1) == b"", how
    near.close()
    waits.close()

# A program that is started for a connection (as inetd does), by its standard streams, in the middle of the stream.
near = connected(server.getsockname())
threading.Thread(target=near.sendall, args=(b"ask\nline one\nline two\n",)).start()
far, _ = server.accept()
assert received(far, 4) == b"ask\n"
program = [sys.executable, "-c", "import sys\nfor line in sys.stdin: print('got', line, end='', flush=True)"]
started = subprocess.Popen(program, stdin=far, stdout=far)
far.close()
assert received(near, 26) == b"got line one\ngot line two\n"
near.sendall(b"line three\n")
assert received(near, 15) == b"got line three\n"
near.shutdown(socket.SHUT_WR)
assert started.wait(10) == 0 and near.recv(1) == b""
near.close()
# The same by streams of the C library, in a program that only it has loaded.
near = connected(server.getsockname())
threading.Thread(target=near.sendall, args=(b"-banana\napple\n",)).start()
far, _ = server.accept()
assert received(far, 1) == b"-"
started = subprocess.Popen(["sort"], stdin=far, stdout=far)
far.close()
near.shutdown(socket.SHUT_WR)
assert received(near) == b"apple\nbanana\n" and started.wait(10) == 0
near.close()

# Ends that are killed: the stream that came is the beginning of the one that was sent.
data = octets(9, 4_000_000)
for turn in range(8):
    near = connected(server.getsockname())

    def pump():
        far, _ = server.accept()
        server.close()
        far.sendall(data)
        time.sleep(10)

    pid = child(pump)
    got = received(near, 1000 + 200_000 * turn)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    try:
        got += received(near)
    except ConnectionResetError:
        pass
    assert data.startswith(got) and len(got) >= 1000, (turn, len(got))
    near.close()
