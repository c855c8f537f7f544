"""Peers that send what no library would: the connection gets a reason or is one of TCP, and others go on."""

import os
import socket
import subprocess
import sys
import threading

from common import listening, octets, pair, received

# The peer has not the library: it writes its messages by hand.
PEER = r"""
import os, socket, struct, sys
EYE = bytes.fromhex("E2D4C3D9")
def proposal(variant=0, gid=os.urandom(16), length=92, subnet=(b"\x7f\0\0\0", 8)):
    body = os.urandom(8) + gid + os.urandom(6) + struct.pack(">H", 40) + bytes(40) + subnet[0] + bytes([subnet[1], 0, 0, 0])
    return EYE + bytes([1]) + struct.pack(">H", length) + bytes([0x10 | variant]) + body + EYE
def answer(sock, count):
    got = b""
    while len(got) < count:
        part = sock.recv(count - len(got))
        if not part: break
        got += part
    return got
def declined(first, code):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as sock:
        sock.sendall(first)
        message = answer(sock, 28)
        assert message[:5] == EYE + b"\x04" and message[-4:] == EYE, message
        assert message[16:20].hex() == code, message[16:20].hex()
        sock.sendall(b"as TCP")
        assert answer(sock, 6) == b"as TCP"
def echoed(first):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as sock:
        sock.sendall(first)
        assert answer(sock, len(first)) == first
assert len(proposal()) == 92
declined(proposal(), "03000000")
declined(proposal(variant=1), "03040000")
declined(proposal(variant=2), "03040000")
declined(proposal(subnet=(b"\x0a\0\0\0", 8)), "03070000")
echoed(proposal()[:40])
echoed(proposal(length=0xFFFF))
echoed(proposal(length=9))
echoed(EYE)
echoed(EYE[:3])
echoed(EYE + b"\x09" + bytes(40))
# An accept where a proposal is expected: what follows is uncertain, and the connection ends.
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as sock:
    sock.sendall(EYE + bytes([2]) + struct.pack(">H", 68) + bytes([0x10]) + os.urandom(56) + EYE)
    try:
        assert sock.recv(100) == b""
    except ConnectionResetError:
        pass
# A meeting where nobody takes part: the accept comes, and no confirm behind it.
gid = os.urandom(16)
meeting = socket.socket(socket.AF_UNIX)
meeting.bind(b"\0halftrack-smc-meeting-" + gid)
meeting.listen()
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as sock:
    sock.sendall(proposal(gid=gid))
    message = answer(sock, 68)
    assert message[:5] == EYE + b"\x02", message
    sock.sendall(b"no confirm")
    assert answer(sock, 10) == b"no confirm"
# A confirm without memory: the connection ends, since the peer may have gone on with SMC-R.
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as sock:
    sock.sendall(proposal(gid=gid))
    message = answer(sock, 68)
    confirm = bytearray(message)
    confirm[4] = 3
    sock.sendall(confirm)
    try:
        assert sock.recv(100) == b""
    except ConnectionResetError:
        pass
print("done")
"""

server = listening()


def echo(connection):
    try:
        while part := connection.recv(65536):
            connection.sendall(part)
    except OSError:
        pass
    connection.close()


def serve():
    while True:
        connection, _ = server.accept()
        threading.Thread(target=echo, args=(connection,), daemon=True).start()


threading.Thread(target=serve, daemon=True).start()
near, far = pair()
environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
command = [sys.executable, "-c", PEER, str(server.getsockname()[1])]
ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
assert ended.stdout == "done\n", ended.stderr
# A connection beside them has lost nothing.
data = octets(4, 1_000_000)
threading.Thread(target=near.sendall, args=(data,)).start()
assert received(far, len(data)) == data
