"""Waits for several descriptors: poll, select, epoll by level and by edge, once, and with others among them."""

import os
import select
import socket
import threading
import time

from common import connected, ends, listening, octets, pair, received

near, far = pair()
# Poll.
poll = select.poll()
poll.register(far, select.POLLIN | select.POLLOUT)
assert poll.poll(0) == [(far.fileno(), select.POLLOUT)]
poll.modify(far, select.POLLIN)
assert poll.poll(0) == [] and poll.poll(30) == []
threading.Timer(0.05, near.send, (b"a",)).start()
began = time.monotonic()
assert poll.poll(5000) == [(far.fileno(), select.POLLIN)] and time.monotonic() - began < 1
assert far.recv(1) == b"a"
# Select, with a pipe beside the connection.
read, write = os.pipe()
assert select.select([far, read], [], [], 0.01) == ([], [], [])
threading.Timer(0.05, os.write, (write, b"p")).start()
assert select.select([far, read], [], [], 5)[0] == [read]
os.read(read, 1)
threading.Timer(0.05, near.send, (b"b",)).start()
assert select.select([far, read], [far], [], 5)[1] == [far]
assert select.select([far, read], [], [], 5)[0] == [far]
assert far.recv(1) == b"b"
# Epoll by level: as long as there is something.
level = select.epoll()
level.register(far, select.EPOLLIN)
level.register(read, select.EPOLLIN)
assert level.poll(0.01) == []
threading.Timer(0.05, near.send, (b"cd",)).start()
assert level.poll(5) == [(far.fileno(), select.EPOLLIN)]
assert level.poll(0) == [(far.fileno(), select.EPOLLIN)] and far.recv(1) == b"c"
assert level.poll(0) == [(far.fileno(), select.EPOLLIN)] and far.recv(1) == b"d"
assert level.poll(0) == []
threading.Timer(0.05, os.write, (write, b"p")).start()
assert level.poll(5) == [(read, select.EPOLLIN)] and os.read(read, 1) == b"p"
# By edge: once for what comes, and again for more.
edge = select.epoll()
edge.register(far, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
assert edge.poll(0) == [(far.fileno(), select.EPOLLOUT)] and edge.poll(0) == []
near.send(b"e")
assert edge.poll(5) == [(far.fileno(), select.EPOLLIN | select.EPOLLOUT)] and edge.poll(0) == []
near.send(b"f")
assert edge.poll(5) == [(far.fileno(), select.EPOLLIN | select.EPOLLOUT)] and edge.poll(0) == []
assert far.recv(8) == b"ef"
# Room, by edge: after a write that found none.
far.setblocking(False)
sent = 0
try:
    while True:
        sent += far.send(b"z" * 65536)
except BlockingIOError:
    pass
assert edge.poll(0.01) == []
assert len(received(near, sent)) == sent
assert edge.poll(5) == [(far.fileno(), select.EPOLLOUT)] and edge.poll(0) == []
far.setblocking(True)
# Once, and again when it is asked for.
once = select.epoll()
once.register(far, select.EPOLLIN | select.EPOLLONESHOT)
near.send(b"g")
assert once.poll(5) == [(far.fileno(), select.EPOLLIN)] and once.poll(0) == []
# Another thread asks for it while this one sleeps.
threading.Timer(0.05, once.modify, (far, select.EPOLLIN | select.EPOLLONESHOT)).start()
began = time.monotonic()
assert once.poll(5) == [(far.fileno(), select.EPOLLIN)] and time.monotonic() - began < 1
assert far.recv(1) == b"g"
# The end.
near.close()
assert level.poll(5)[0][1] & select.EPOLLIN
events = dict(edge.poll(5))[far.fileno()]
assert events & select.EPOLLRDHUP == 0 and events & select.EPOLLIN, "the end is no event unless it is asked for"
assert far.recv(1) == b""
level.unregister(far)
assert level.poll(0) == []
far.close()
assert edge.poll(0) == []

# A connection whose descriptor is waited for before it is made, and a listening socket beside it, all by one epoll.
server = listening()
server.setblocking(False)
client = socket.socket()
client.setblocking(False)
both = select.epoll()
both.register(server, select.EPOLLIN)
both.register(client, select.EPOLLOUT | select.EPOLLIN)
assert client.connect_ex(server.getsockname()) in (0, 115)
data, answer, got, state = octets(3, 2_000_000), b"", b"", {}
accepted = None
rest = memoryview(data)
deadline = time.monotonic() + 30
while len(got) < len(data) or answer != b"done":
    assert time.monotonic() < deadline, (len(got), answer)
    for fd, events in both.poll(5):
        if fd == server.fileno():
            accepted, _ = server.accept()
            accepted.setblocking(False)
            both.register(accepted, select.EPOLLIN)
        elif fd == client.fileno():
            if events & select.EPOLLOUT and rest:
                try:
                    rest = rest[client.send(rest):]
                except BlockingIOError:
                    pass
                if not rest:
                    both.modify(client, select.EPOLLIN)
            if events & select.EPOLLIN:
                answer += client.recv(100)
        else:
            got += accepted.recv(100_000)
            if len(got) == len(data):
                accepted.send(b"done")
assert got == data and ends() == 2
