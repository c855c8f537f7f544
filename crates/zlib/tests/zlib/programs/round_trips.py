"""Round trips of zlib objects with random data and parameters."""

import random
import sys
import zlib

SEED = int(sys.argv[1])
RANDOM = random.Random(SEED)
SIZES = [0, 1, 5, 100, 4095, 4096, 5000, 70000]
LARGE_SIZES = SIZES + [1 << 20, (1 << 20) + 1, 2500000]
FLUSHES = [zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_PARTIAL_FLUSH, zlib.Z_BLOCK]


def data(size):
    kind = RANDOM.randrange(3)
    if kind == 0:
        return RANDOM.randbytes(size)
    if kind == 1:
        return (b"record of data set %d\n" % RANDOM.randrange(99) * (size // 20 + 1))[:size]
    return bytes(RANDOM.choices(b"abcde \n", k=size))


def compressed(plain, window):
    level, memory, strategy = RANDOM.randrange(-1, 10), RANDOM.randrange(1, 10), RANDOM.randrange(5)
    stream = zlib.compressobj(level, zlib.DEFLATED, window, memory, strategy)
    output, at = b"", 0
    while at < len(plain):
        size = RANDOM.choice([100, 5000, 300000, len(plain)])
        output += stream.compress(plain[at : at + size])
        at += size
        if RANDOM.random() < 0.3:
            output += stream.flush(RANDOM.choice(FLUSHES))
        if RANDOM.random() < 0.1:
            copy = stream.copy()
            assert zlib.decompress(output + copy.flush(), window) == plain[:at]
    return output + stream.flush()


def decompressed(packed, window):
    stream = zlib.decompressobj(window)
    output, rest = b"", packed + b"behind the end"
    while rest and not stream.eof:
        size = RANDOM.choice([1000, 70000, len(rest)])
        output += stream.decompress(rest[:size], RANDOM.choice([0, 100000]))
        rest = stream.unconsumed_tail + rest[size:]
    assert stream.eof
    return output


for turn in range(80):
    plain = data(RANDOM.choice(LARGE_SIZES if turn % 10 == 0 else SIZES))
    window = RANDOM.choice([15, -15, 31, 9, -9, 25, 12])
    packed = compressed(plain, window)
    assert zlib.decompress(packed, window) == plain, (len(plain), window)
    assert decompressed(packed, window) == plain, (len(plain), window)
    assert zlib.decompress(zlib.compress(plain, RANDOM.randrange(-1, 10))) == plain
    assert zlib.crc32(plain) == zlib.crc32(plain[9:], zlib.crc32(plain[:9]))
    assert zlib.adler32(plain) == zlib.adler32(plain[9:], zlib.adler32(plain[:9]))
