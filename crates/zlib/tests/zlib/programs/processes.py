"""Threads that compress at a time, and children of a process that has compressed."""

import os
import sys
import threading
import zlib

DATA = b"".join(b"record %d of a data set\n" % number for number in range(20000))


def round_trips():
    for _ in range(20):
        if zlib.decompress(zlib.compress(DATA)) != DATA:
            os._exit(1)


round_trips()
threads = [threading.Thread(target=round_trips) for _ in range(20)]
for thread in threads:
    thread.start()
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        round_trips()
        os._exit(0)
    children.append(child)
round_trips()
for thread in threads:
    thread.join()
for child in children:
    _, status = os.waitpid(child, 0)
    if status != 0:
        sys.exit("a child has failed: %d" % status)
