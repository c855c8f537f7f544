"""Octets both ways, blocking, in parts of any size; the ends of both directions."""

import random
import threading

from common import digest, octets, pair, received

for seed in range(6):
    near, far = pair()
    data = {end: octets(seed * 2 + end, 3_000_000) for end in (0, 1)}
    got = {}

    def send(sock, end):
        rest, sizes = memoryview(data[end]), random.Random(seed + end)
        while rest:
            size = sizes.choice([1, 7, 100, 4096, 65536, 300_000])
            rest = rest[sock.send(rest[:size]):]
        sock.shutdown(1)

    def receive(sock, end):
        got[end] = received(sock)

    # Each end sends by one thread and receives by another.
    threads = [
        threading.Thread(target=action, args=arguments)
        for action, arguments in (
            (send, (near, 0)), (receive, (far, 0)), (send, (far, 1)), (receive, (near, 1)),
        )
    ]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for end in (0, 1):
        assert digest(got[end]) == digest(data[end]), f"seed {seed}, end {end}: {len(got[end])}"
    near.close()
    far.close()
