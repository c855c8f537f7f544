"""Calls on a connection, each as TCP has it."""

import array
import ctypes
import errno
import fcntl
import os
import socket
import struct
import tempfile
import termios
import time

from common import octets, pair, received

near, far = pair()
# Peeks, whole lengths, and what can be read.
near.sendall(b"0123456789")
assert far.recv(4, socket.MSG_PEEK) == b"0123"
count = array.array("i", [0])
fcntl.ioctl(far, termios.FIONREAD, count)
assert count[0] == 10, count
assert far.recv(4, socket.MSG_WAITALL) == b"0123"
# Lists of parts, with and without messages.
first, second = bytearray(3), bytearray(8)
assert os.readv(far.fileno(), [first, second]) == 6 and bytes(first + second[:3]) == b"456789"
assert os.writev(near.fileno(), [b"ab", b"", b"cde"]) == 5
data, control, flags, address = far.recvmsg(16, 64)
assert (data, control) == (b"abcde", []), (data, control, flags, address)
assert near.sendmsg([b"one", b"two"]) == 6 and received(far, 6) == b"onetwo"
# Files.
with tempfile.TemporaryFile() as file:
    body = octets(1, 200_000)
    file.write(body)
    file.flush()
    assert os.sendfile(near.fileno(), file.fileno(), 1000, 100_000) == 100_000
    assert received(far, 100_000) == body[1000:101_000]
    file.seek(5)
    assert os.sendfile(near.fileno(), file.fileno(), None, 50) == 50 and file.tell() == 55
    assert received(far, 50) == body[5:55]
# Nothing to be read.
far.setblocking(False)
for flags in (0, socket.MSG_PEEK):
    try:
        far.recv(1, flags)
        raise AssertionError("nothing has come")
    except BlockingIOError:
        pass
far.setblocking(True)
try:
    far.recv(1, socket.MSG_DONTWAIT)
    raise AssertionError("nothing has come")
except BlockingIOError:
    pass
far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 50_000))
try:
    far.recv(1)
    raise AssertionError("nothing has come")
except BlockingIOError:
    pass
far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 0))
# Copies of the descriptor: the connection lasts as long as one of them.
copy = near.dup()
other = os.dup2(near.fileno(), 60)
near.close()
copy.sendall(b"by a copy")
copy.close()
assert os.write(other, b", and another") == 13
assert received(far, 22) == b"by a copy, and another"
os.close(other)
assert far.recv(1) == b"", "the last copy is closed"
# Who sends to nobody.
far.close()
near, far = pair()
far.close()
try:
    for _ in range(200):
        near.send(b"x", socket.MSG_NOSIGNAL)
        time.sleep(0.01)
    raise AssertionError("nobody is there")
except (BrokenPipeError, ConnectionResetError):
    pass
# Octets that were not read reset the other end, as TCP has it.
near, far = pair()
near.sendall(b"unread")
far.close()
try:
    near.recv(1)
    raise AssertionError("it was reset")
except ConnectionResetError:
    pass
# A process that gets the descriptor could not go on with the connection; the kernel has no rings for this program.
near, far = pair()
left, right = socket.socketpair()
try:
    socket.send_fds(left, [b"x"], [near.fileno()])
    raise AssertionError("the descriptor was sent")
except OSError as error:
    assert error.errno == errno.EOPNOTSUPP, error
library = ctypes.CDLL(None, use_errno=True)
assert library.syscall(425, 8, None) == -1 and ctypes.get_errno() == errno.ENOSYS
assert library.syscall(39) == os.getpid()
# Options that packets have do not make bells late, and those that the kernel needs octets for are refused.
near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
near.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
try:
    near.setsockopt(socket.IPPROTO_TCP, 31, b"tls")
    raise AssertionError("TLS of the kernel")
except OSError as error:
    assert error.errno == errno.ENOPROTOOPT, error
assert near.getpeername() == far.getsockname()
# A direction that was shut down.
near.shutdown(socket.SHUT_WR)
try:
    near.send(b"x", socket.MSG_NOSIGNAL)
    raise AssertionError("it was shut down")
except BrokenPipeError:
    pass
assert far.recv(1) == b""
far.sendall(b"still open")
assert received(near, 10) == b"still open"
# All descriptors at once; those of the library are none of the program's.
keep = near.detach()
os.closerange(keep, 1 << 20)
far = None
