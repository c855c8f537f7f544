"""One end alone has the library: `lone.py server|client PORT` does a stream both ways, and shows whether it is carried."""

import socket
import sys

from common import HOST, digest, ends, octets, received

role, port = sys.argv[1], int(sys.argv[2])
data = octets(5, 1_000_000)
if role == "server":
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((HOST, port))
    server.listen()
    print(server.getsockname()[1], flush=True)
    sock, _ = server.accept()
    assert digest(received(sock, len(data))) == digest(data)
    sock.sendall(data)
else:
    sock = socket.create_connection((HOST, port))
    sock.sendall(data)
    assert digest(received(sock)) == digest(data)
print("ends", ends(), flush=True)
sock.close()
