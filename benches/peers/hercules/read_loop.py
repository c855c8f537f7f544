"""The program that Hercules runs: 4 KiB reads of a 3390, one after the other, as a core image.

    read_loop.py IMAGE PROGRAMS same|random poll|wait CYLINDERS

A read is Define Extent, Locate Record, Read Data, started by START SUBCHANNEL, then TEST SUBCHANNEL until the status is
there: at once again (poll), or after an enabled wait for the interruption (wait). First every record of the list is read once and its first five octets compared with its address,
untimed; then PROGRAMS reads are timed by STORE CLOCK. The program ends in a disabled wait: its address is the time in
us modulo 2**31, or 7FFFFF01 (a start failed), 02 (a status was not channel end and device end alone), 03 (the data of
another record came).
"""

import random
import sys

from esa390 import (BALR, BC, BCT, CLC, L, LA, LCTL, LM, LPSW, LR, MSCH, MVC, N, NOT_ZERO, O, OI, ONE, SLR, SRDL, SSCH,
                    ST, STCK, STSCH, TSCH, Code)

IO_NEW_PSW = 0x78
PROGRAM, TABLES, CCWS, PARAMETERS = 0x1000, 0x1400, 0x1600, 0x1640
DATA, LIST = 0x8000, 0x10000
HEADS, RECORDS, BLOCK = 15, 12, 4096
# An entry of the list: CCHHR, sector, two octets of nothing.
ENTRY, ENTRIES = 8, 1 << 16
SEED = 4
# The one record of `same`: cylinder, head, record.
SAME = (700, 7, 6)
# Subchannel 0000 in the form that the instructions want.
SUBCHANNEL = 0x00010000
FAILURES = {"start": 1, "status": 2, "record": 3}


def sector(record):
    """Sector of a keyless record on a 3390 track full of 4,096-byte records."""
    cells = 10 + 9 + -(-(BLOCK + 6 * 19) // 34)
    return (49 + (record - 1) * cells) // 8


def records(kind, cylinders):
    """The records to read, in order. Cylinder 0 has the label and records of other lengths."""
    if kind == "same":
        return [SAME]
    chance = random.Random(SEED)
    return [(chance.randrange(1, cylinders), chance.randrange(HEADS), 1 + chance.randrange(RECORDS))
            for _ in range(ENTRIES)]


def loop(code, name, compare, waits):
    """Register 2: reads to make; 3: the entry; 6: the data; 7: entries left; 8 and 9: what 3 and 7 begin with."""
    code.rx(LA, 10, name + " test")
    code.rx(O, 10, "address mode")
    code.rx(ST, 10, (IO_NEW_PSW + 4, 0))
    code.label(name)
    code.ss(MVC, 4, "seek", (0, 3))
    code.ss(MVC, 6, "search", (0, 3))
    code.s(SSCH, "orb")
    code.rx(BC, NOT_ZERO, "start failed")
    code.label(name + " test")
    code.s(TSCH, "irb")
    code.rx(BC, ONE, "wait for it" if waits else name + " test")
    code.ss(CLC, 2, "status", "normal status")
    code.rx(BC, NOT_ZERO, "status failed")
    if compare:
        code.ss(CLC, 5, (0, 6), (0, 3))
        code.rx(BC, NOT_ZERO, "record failed")
    code.rx(LA, 3, (ENTRY, 3))
    code.rx(BCT, 7, name + " next")
    code.rr(LR, 3, 8)
    code.rr(LR, 7, 9)
    code.label(name + " next")
    code.rx(BCT, 2, name)


def program(code, waits):
    """What the restart new PSW points to."""
    code.org(PROGRAM)
    code.rr(BALR, 12, 0)
    code.using(12)
    code.rx(L, 1, "subchannel")
    code.s(STSCH, "schib")
    code.si(OI, 0x80, "enabled")
    code.s(MSCH, "schib")
    code.rx(LCTL, 6, "subclasses", third=6)
    code.rx(LM, 2, "begin", third=9)
    loop(code, "first", compare=True, waits=waits)
    code.rx(LM, 2, "begin", third=9)
    code.rx(L, 2, "programs")
    code.s(STCK, "began")
    loop(code, "timed", compare=False, waits=waits)
    code.s(STCK, "ended")
    code.rx(LM, 4, "ended", third=5)
    # Bit 51 of the clock is 1 us. The loop ends long before what lies to the left of bit 20 matters.
    code.rx(SRDL, 4, (12, 0))
    code.rx(ST, 5, "wait address")
    code.rx(LM, 4, "began", third=5)
    code.rx(SRDL, 4, (12, 0))
    code.rx(L, 6, "wait address")
    code.rr(SLR, 6, 5)
    code.rx(N, 6, "address mask")
    code.rx(O, 6, "address mode")
    code.rx(ST, 6, "wait address")
    code.s(LPSW, "wait")
    code.label("wait for it")
    code.s(LPSW, "enabled wait")
    for what in FAILURES:
        code.label(what + " failed")
        code.s(LPSW, what + " wait")


def tables(code, programs, entries):
    """Constants and what the program writes."""
    code.org(TABLES)
    for what, octets in [("schib", 5), ("enabled", 47), (None, 12), ("irb", 8), ("status", 88), ("began", 8),
                         ("ended", 8)]:
        if what:
            code.label(what)
        code.put(bytes(octets))
    code.label("wait")
    code.pack("I", 0x000A0000)
    code.label("wait address")
    code.pack("I", 0)
    code.label("enabled wait")
    code.pack("II", 0x020A0000, 0x80000000)
    for what, number in FAILURES.items():
        code.label(what + " wait")
        code.pack("II", 0x000A0000, 0xFFFFFF00 | number)
    code.label("orb")
    # Format-1 CCWs, prefetch, every path.
    code.pack("IBBBBI", 0, 0, 0xC0, 0xFF, 0, CCWS)
    for what, number in [("subchannel", SUBCHANNEL), ("address mask", 0x7FFFFFFF), ("address mode", 0x80000000),
                         ("subclasses", 0xFF000000), ("programs", programs)]:
        code.label(what)
        code.pack("I", number)
    code.label("begin")
    # Registers 2 to 9.
    code.pack("8I", entries, LIST, 0, 0, DATA, entries, LIST, entries)
    code.label("normal status")
    code.pack("H", 0x0C00)


def channel_program(code, cylinders):
    """Define Extent, Locate Record, Read Data, and the parameters of the first two."""
    code.org(CCWS)
    chain = 0x40
    for command, flags, count, address in [(0x63, chain, 16, PARAMETERS), (0x47, chain, 16, PARAMETERS + 16),
                                           (0x06, 0, BLOCK, DATA)]:
        code.pack("BBHI", command, flags, count, address)
    code.org(PARAMETERS)
    # No write; ECKD; the extent is the volume.
    code.pack("BBHI4H", 0x40, 0xC0, BLOCK, 0, 0, 0, cylinders - 1, HEADS - 1)
    # Read data, one record; the sector is the sixth octet of an entry.
    code.pack("BBBB", 0x06, 0, 0, 1)
    code.label("seek")
    code.put(bytes(4))
    code.label("search")
    code.put(bytes(8))


def image(programs, kind, waits, cylinders):
    """Storage when the program is restarted."""
    entries = records(kind, cylinders)
    code = Code(LIST + len(entries) * ENTRY)
    # The restart new PSW: disabled for everything, ESA/390, 31-bit addresses.
    code.pack("II", 0x00080000, 0x80000000 | PROGRAM)
    code.org(IO_NEW_PSW)
    code.pack("I", 0x00080000)
    program(code, waits)
    tables(code, programs, len(entries))
    channel_program(code, cylinders)
    code.org(LIST)
    for cylinder, head, record in entries:
        code.pack("HHBBH", cylinder, head, record, sector(record), 0)
    return code.finish()


def main(path, programs, kind, pause, cylinders):
    """Writes the image."""
    with open(path, "wb") as file:
        file.write(image(int(programs), kind, pause == "wait", int(cylinders)))


if __name__ == "__main__":
    main(*sys.argv[1:])
