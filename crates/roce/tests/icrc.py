#!/usr/bin/env python3
"""Packets of RoCE version 2 with the invariant CRC that scapy computes, a line each, as `icrc.txt` has them.

    pip install --target /tmp/scapy scapy
    PYTHONPATH=/tmp/scapy python3 crates/roce/tests/icrc.py > crates/roce/tests/icrc.txt

    PYTHONPATH=/tmp/scapy python3 crates/roce/tests/icrc.py check FILE.pcap

The second form computes the CRC of each packet of a capture of ours anew (`HALFTRACK_ROCE_CAPTURE=FILE.pcap cargo test -p
halftrack-roce captured` leaves one), and fails when one differs or there is none.

A line is a word, `exact` where our encoder has to give the same octets and `reserved` where bits are set that it never
sets, and the datagram of IP in hexadecimal digits.
"""

import random
import struct
import sys

from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Raw
from scapy.utils import rdpcap

# Octets of the extended headers of each opcode.
EXTENDED = {0: 0, 1: 0, 2: 0, 3: 4, 4: 0, 5: 4, 6: 16, 7: 0, 8: 0, 9: 4, 10: 16, 11: 20, 17: 4}
SYNDROMES = [0x1F, 0x00, 0x07, 0x21, 0x2E, 0x60, 0x61, 0x62, 0x63]


def network(chance, version):
    """Returns a header of IP with any values in the fields that may change on the way, and any identification."""
    if version == 4:
        source, destination = (".".join(str(chance.randrange(1, 255)) for _ in range(4)) for _ in range(2))
        return IP(src=source, dst=destination, tos=chance.randrange(256), ttl=chance.randrange(1, 256),
                  id=chance.randrange(65536), flags=chance.choice(["", "DF"]))
    source, destination = (":".join(f"{chance.randrange(1, 65536):x}" for _ in range(8)) for _ in range(2))
    return IPv6(src=source, dst=destination, tc=chance.randrange(256), fl=chance.randrange(1 << 20),
                hlim=chance.randrange(1, 256))


def packet(chance, version, opcode, is_reserved):
    """Returns a datagram with the CRC."""
    octets = bytes(chance.randrange(256) for _ in range(EXTENDED[opcode]))
    payload = b""
    if opcode == 17:
        octets = bytes([chance.choice(SYNDROMES)]) + octets[1:]
    else:
        payload = bytes(chance.randrange(256) for _ in range(chance.choice([0, 1, 2, 3, 4, 44, 61, 256])))
    padding = -len(payload) % 4
    bth = BTH(opcode=opcode, solicited=chance.randrange(2), migreq=chance.randrange(2), padcount=padding,
              pkey=chance.randrange(65536), dqpn=chance.randrange(1 << 24), ackreq=chance.randrange(2),
              psn=chance.randrange(1 << 24))
    if is_reserved:
        bth.fecn, bth.becn, bth.resv6, bth.resv7 = 1, chance.randrange(2), chance.randrange(64), chance.randrange(128)
    body = Raw(octets + payload + bytes(padding))
    return bytes(network(chance, version) / UDP(sport=chance.randrange(49152, 65536), dport=4791) / bth / body)


def write():
    """Prints the packets."""
    chance = random.Random(4791)
    for version in (4, 6):
        for opcode in EXTENDED:
            for is_reserved in (False, False, True):
                octets = packet(chance, version, opcode, is_reserved)
                print("reserved" if is_reserved else "exact", octets.hex())


def check(path):
    """Computes every CRC of a capture anew."""
    versions = {4: 0, 6: 0}
    for captured in rdpcap(path):
        bth = captured[BTH]
        icrc = struct.pack("!I", bth.icrc)
        computed = bth.compute_icrc(b"")
        assert icrc == computed, f"{captured.summary()}: {icrc.hex()} instead of {computed.hex()}"
        versions[6 if IPv6 in captured else 4] += 1
    assert all(versions.values()), f"packets of IPv4 and IPv6: {versions}"
    print(f"{versions[4]} packets of IPv4 and {versions[6]} of IPv6 have the CRC of scapy")


if __name__ == "__main__":
    check(sys.argv[2]) if sys.argv[1:2] == ["check"] else write()
