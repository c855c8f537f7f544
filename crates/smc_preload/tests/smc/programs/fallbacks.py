"""Connections that stay with TCP, and lose nothing."""

import socket
import threading
import time

from common import connected, ends, listening, octets, received

# A server that sends before it has read, as those of mail and databases do.
for turn in range(20):
    server = listening()
    near = connected(server.getsockname())
    far, _ = server.accept()
    time.sleep(turn % 4 * 0.001)
    far.sendall(b"220 ready\r\n")
    assert received(near, 11) == b"220 ready\r\n"
    near.sendall(b"HELO\r\n")
    assert received(far, 6) == b"HELO\r\n"
    far.sendall(b"250\r\n")
    assert received(near, 5) == b"250\r\n"
    near.close()
    assert far.recv(1) == b""
    far.close()
    server.close()

# A client whose server does not accept: it sends all the same, and the server finds it all later.
server = listening()
before = ends()
near = connected(server.getsockname())
began = time.monotonic()
near.sendall(b"early octets")
assert time.monotonic() - began < 5
near.shutdown(socket.SHUT_WR)
far, _ = server.accept()
assert received(far) == b"early octets" and ends() == before
far.sendall(b"answer")
assert received(near, 6) == b"answer"
near.close()
far.close()

# One that connects, and goes.
near = connected(server.getsockname())
near.close()
far, _ = server.accept()
try:
    assert far.recv(1) == b""
except ConnectionResetError:
    pass
far.close()

# One that only shuts down, and one that only listens to what comes.
near = connected(server.getsockname())
near.shutdown(socket.SHUT_WR)
far, _ = server.accept()
assert far.recv(1) == b""
far.sendall(octets(1, 100_000))
far.close()
assert received(near) == octets(1, 100_000)
