"""The ESA/390 instructions that read_loop.py needs, as octets (ESA/390 Principles of Operation, SA22-7201)."""

import struct

# Operation codes.
BALR, LR, SLR = 0x05, 0x18, 0x1F
LA, BCT, BC, ST, N, O, L = 0x41, 0x46, 0x47, 0x50, 0x54, 0x56, 0x58
SRDL, LM, LCTL = 0x8C, 0x98, 0xB7
OI, MVC, CLC = 0x96, 0xD2, 0xD5
LPSW, STCK = 0x8200, 0xB205
MSCH, SSCH, STSCH, TSCH = 0xB232, 0xB233, 0xB234, 0xB235
# Masks of branches.
NOT_ZERO, ONE = 7, 4


class Code:
    """Storage from address 0 on. Addresses in operands are labels, which may be defined later, or
    (displacement, register)."""

    def __init__(self, size_bytes):
        self.storage = bytearray(size_bytes)
        self.at = 0
        self.base = None
        self.labels = {}
        self.holes = []

    def org(self, address):
        """What comes next lies at the address."""
        self.at = address

    def using(self, register):
        """The register holds the address of what comes next."""
        self.base = (register, self.at)

    def label(self, name):
        """The name of what comes next."""
        self.labels[name] = self.at

    def put(self, octets):
        """Octets as they are."""
        self.storage[self.at:self.at + len(octets)] = octets
        self.at += len(octets)

    def pack(self, layout, *values):
        """Big-endian numbers as struct.pack has them."""
        self.put(struct.pack(">" + layout, *values))

    def operand(self, address):
        """Base and displacement."""
        if isinstance(address, tuple):
            displacement, register = address
            self.pack("H", register << 12 | displacement)
        else:
            self.holes.append((self.at, address))
            self.pack("H", 0)

    def rr(self, code, first, second):
        """Registers only."""
        self.pack("BB", code, first << 4 | second)

    def rx(self, code, first, address, third=0):
        """A register (or mask), perhaps a third register, and storage."""
        self.pack("BB", code, first << 4 | third)
        self.operand(address)

    def s(self, code, address):
        """Storage only."""
        self.pack("H", code)
        self.operand(address)

    def si(self, code, immediate, address):
        """An octet and storage."""
        self.pack("BB", code, immediate)
        self.operand(address)

    def ss(self, code, length, first, second):
        """Storage and storage."""
        self.pack("BB", code, length - 1)
        self.operand(first)
        self.operand(second)

    def finish(self):
        """The storage, with all labels put in."""
        register, begin = self.base
        for at, name in self.holes:
            displacement = self.labels[name] - begin
            assert 0 <= displacement < 4096, f"{name} is out of the base register's reach"
            struct.pack_into(">H", self.storage, at, register << 12 | displacement)
        return bytes(self.storage)
