#!/usr/bin/env python3
"""Checks a capture of FICON and zHPF frames: what analysers show but do not verify.

Reads pcapng of link type 225 (SOF word, FC frame, EOF word) and checks of every frame its delimiters, length and CRC; of every
sequence that its frames follow each other; of every information unit its LRC, counts and data CRC; of every exchange its order,
its two directions and the octets it moves. Prints a summary. Exit code 0: all holds; 1: something does not; 2: not such a file.
"""

import struct
import sys
import zlib
from collections import Counter

SOF = {0xBCB55656: "i3", 0xBCB53636: "n3", 0xBCB55555: "i2", 0xBCB53535: "n2", 0xBCB55858: "f"}
EOF = {0xBC95D5D5: "n", 0xBCB5D5D5: "n", 0xBC957575: "t", 0xBCB57575: "t", 0xBC95F5F5: "a", 0xBCB5F5F5: "a",
       0xBC8AD5D5: "ni", 0xBCAAD5D5: "ni"}
RESPONDER, FIRST, LAST, END, INITIATIVE, OFFSET = 0x800000, 0x200000, 0x100000, 0x080000, 0x010000, 0x000008
FROM_CHANNEL, FROM_CONTROL_UNIT, FCP, BLS, ELS, CT = 0x1B, 0x1C, 0x08, 0x00, 0x01, 0x20
DATA, COMMAND, STATUS, CONTROL, COMMAND_DATA, LINK_CONTROL = range(6)
ELS_NAMES = {1: "LS_RJT", 2: "LS_ACC", 3: "PLOGI", 4: "FLOGI", 5: "LOGO", 0x0E: "RTV", 0x0F: "RLS", 0x10: "ECHO",
             0x12: "RRQ", 0x13: "REC", 0x20: "PRLI", 0x21: "PRLO", 0x52: "ADISC", 0x61: "RSCN", 0x62: "SCR", 0x78: "RNID", 0x79: "RLIR", 0x7A: "LIRR"}
LINK_NAMES = {0x41: "ELP", 0x51: "LPE", 0x49: "RLP", 0x59: "LPR", 0x09: "TIN", 0x01: "TIR", 0x11: "LRJ", 0x21: "LBY",
              0x61: "LACK"}
CONTROL_NAMES = {0x00: "control end", 0x10: "command response", 0x20: "stack status", 0x30: "cancel",
                 0x40: "system reset", 0x50: "selective reset", 0x70: "request status", 0x80: "device-level exception",
                 0xA0: "status accepted", 0xB0: "device-level acknowledge", 0xC1: "purge path",
                 0xD0: "purge-path response"}
ANSWERS = {0x10, 0xA0, 0xB0, 0xD0, 0x00, 0x20, 0x80}
RECOVERY = {0x20, 0x30, 0x40, 0x50, 0x70, 0x80, 0xB0, 0xC1, 0xD0, 0x00}
IU_DATA_MAX, PAYLOAD_MAX = 8192, 2112


class NotACapture(Exception):
    """The file cannot be read as a capture of frames."""


def words(octets):
    return struct.unpack(">%dI" % (len(octets) // 4), octets)


def lrc(octets):
    total = 0
    for word in words(octets):
        total ^= word
    return total


def crc(octets):
    """The CRC as it goes out: least significant octet first."""
    return struct.pack("<I", zlib.crc32(octets))


def is_inbound(command):
    """True for commands whose data go to the channel: read, read backward, sense."""
    return command & 3 == 2 or command & 0x0F in (0x04, 0x0C)


def packets(octets):
    """Interface name and octets of every packet of a pcapng file."""
    if octets[:4] != b"\x0a\x0d\x0d\x0a" or len(octets) < 28:
        raise NotACapture("no section header")
    order = "<" if octets[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
    interfaces, at = [], 0
    while at < len(octets):
        if at + 12 > len(octets):
            raise NotACapture("breaks off at octet %d" % at)
        kind, length = struct.unpack_from(order + "II", octets, at)
        if length < 12 or length % 4 or at + length > len(octets):
            raise NotACapture("block of %d octets at octet %d" % (length, at))
        body = octets[at + 8:at + length - 4]
        if kind == 1:
            if struct.unpack_from(order + "H", body)[0] != 225:
                raise NotACapture("an interface is not of link type 225")
            name, option = "", 8
            while option + 4 <= len(body):
                code, size = struct.unpack_from(order + "HH", body, option)
                if code == 2:
                    name = body[option + 4:option + 4 + size].decode()
                option += 4 + (size + 3) // 4 * 4
            interfaces.append(name)
        elif kind == 6:
            interface, _, _, captured, original = struct.unpack_from(order + "5I", body)
            if captured != original:
                raise NotACapture("a frame was not captured whole")
            yield interfaces[interface], body[20:20 + captured]
        at += length


class Frame:
    """A frame: the fields of its header, and its payload."""

    def __init__(self, octets):
        h = words(octets[4:28])
        self.sof, self.eof = SOF.get(words(octets[:4])[0]), EOF.get(words(octets[-4:])[0])
        self.r_ctl, self.d_id, self.s_id = h[0] >> 24, h[0] & 0xFFFFFF, h[1] & 0xFFFFFF
        self.type, self.f_ctl = h[2] >> 24, h[2] & 0xFFFFFF
        self.seq_id, self.df_ctl, self.seq_cnt = h[3] >> 24, h[3] >> 16 & 0xFF, h[3] & 0xFFFF
        self.ox_id, self.rx_id, self.parameter = h[4] >> 16, h[4] & 0xFFFF, h[5]
        fill = self.f_ctl & 3
        self.padded = octets[28:-8]
        self.payload = self.padded[:len(self.padded) - fill] if fill <= len(self.padded) else None

    def has(self, bits):
        return self.f_ctl & bits == bits


class CommandExchange:
    """The pair of one-way exchanges of an operation in command mode."""

    def __init__(self):
        self.ids, self.ended, self.counts, self.ius = {}, set(), Counter(), {True: [], False: []}
        self.ccws, self.moved = {}, Counter()
        self.irregular, self.response, self.status, self.residual = False, False, None, None


class TransportExchange:
    """An exchange in transport mode."""

    def __init__(self, reads, writes, expected):
        self.reads, self.writes, self.expected = reads, writes, expected
        self.ius, self.moved, self.asked = {True: 1, False: 0}, 0, None
        self.last_data = b""


class Decoder:
    """Follows the frames of a capture."""

    def __init__(self):
        self.interface = ""
        self.violations, self.kinds, self.flows = [], Counter(), Counter()
        self.frames = self.sequences = self.data_octets = self.closed = 0
        self.partial, self.command, self.transport, self.requests = {}, {}, {}, {}

    def check(self, holds, what):
        if not holds:
            self.violations.append("frame %d: %s" % (self.frames, what))
        return holds

    def frame(self, octets, interface):
        """Takes a packet of one direction: delimiters, length, CRC; then its place in its sequence."""
        self.frames += 1
        self.interface = interface
        sound = 36 <= len(octets) <= 36 + PAYLOAD_MAX and len(octets) % 4 == 0
        if not self.check(sound, "has %d octets" % len(octets)):
            return
        if not self.check(crc(octets[4:-8]) == octets[-8:-4], "CRC is wrong"):
            return
        frame = Frame(octets)
        self.check(frame.sof and frame.eof, "delimiters are not known")
        self.check(frame.df_ctl == 0, "optional headers %02x" % frame.df_ctl)
        if self.check(frame.payload is not None, "more fill octets than payload"):
            self.part(frame)

    def part(self, frame):
        """Adds a frame to its sequence, and decodes the sequence when it is whole."""
        key = (self.interface, frame.s_id, frame.d_id, frame.ox_id, frame.has(RESPONDER))
        fabric = frame.sof == "f"
        if key not in self.partial:
            self.check(frame.seq_cnt == 0 and (fabric or frame.sof[0] == "i"), "begins no sequence")
            self.partial[key] = [frame, b""]
        else:
            first, octets = self.partial[key][:2]
            same = (frame.seq_id, frame.type, frame.r_ctl) == (first.seq_id, first.type, first.r_ctl)
            self.check(same and (fabric or frame.sof[0] == "n"), "does not go on with its sequence")
            self.check(frame.seq_cnt == self.partial[key][2], "SEQ_CNT %d is not the next" % frame.seq_cnt)
            if frame.has(OFFSET):
                self.check(frame.parameter == first.parameter + len(octets), "relative offset does not run on")
        first, octets = self.partial[key][:2]
        octets += frame.payload
        self.partial[key] = [first, octets, frame.seq_cnt + 1]
        self.check((frame.eof == "t") == frame.has(END), "EOF and end of sequence differ")
        self.check(frame.has(END) or frame.f_ctl & 3 == 0, "fill octets before the last frame")
        self.check(frame.has(END) or not frame.has(INITIATIVE), "initiative passed before the last frame")
        if frame.has(END):
            del self.partial[key]
            self.sequences += 1
            frame.parameter = first.parameter
            self.iu(frame, octets)

    def iu(self, frame, octets):
        """A whole sequence: by TYPE."""
        if frame.type in (FROM_CHANNEL, FROM_CONTROL_UNIT):
            self.sb(frame, octets)
        elif frame.type == FCP:
            self.transport_mode(frame, octets)
        elif frame.type == BLS:
            self.link_service(frame)
        elif frame.type == ELS:
            self.els(frame, octets)
        else:
            self.kinds["common transport" if frame.type == CT else "TYPE %02x" % frame.type] += 1

    def els(self, frame, octets):
        if not self.check(len(octets) >= 4 and octets[0] in ELS_NAMES, "ELS is not known"):
            return
        name, reply = ELS_NAMES[octets[0]], frame.r_ctl == 0x23
        self.check(frame.r_ctl in (0x22, 0x23) and reply == (octets[0] in (1, 2)), "%s has R_CTL %02x" % (name, frame.r_ctl))
        self.check(octets[0] not in (3, 4) or len(octets) == 116, "%s has %d octets" % (name, len(octets)))
        if reply:
            # Before it has an address a port asks from 000000 and is answered at the new one.
            asker = {"in": "out", "out": "in"}.get(self.interface.split()[-1])
            asked = self.requests.pop((asker, frame.d_id, frame.ox_id), None)
            asked = asked or self.requests.pop((asker, 0, frame.ox_id), None)
            self.check(asked is not None, "%s answers nothing" % name)
            name += " (%s)" % asked
        else:
            self.requests[self.interface.split()[-1], frame.s_id, frame.ox_id] = name
        self.kinds[name] += 1

    def link_service(self, frame):
        name = {0x81: "ABTS", 0x84: "BA_ACC", 0x85: "BA_RJT"}.get(frame.r_ctl)
        if self.check(name is not None, "basic link service %02x" % frame.r_ctl):
            self.kinds[name] += 1
        self.transport.pop((frame.s_id, frame.d_id, frame.ox_id), None)
        self.transport.pop((frame.d_id, frame.s_id, frame.ox_id), None)

    def sb(self, frame, octets):
        """An information unit of command mode, or of link control."""
        if not self.check(len(octets) >= 32, "SB information unit of %d octets" % len(octets)):
            return
        out = frame.type == FROM_CHANNEL
        kind, flags = octets[8] & 7, octets[9]
        count, = struct.unpack_from(">H", octets, 26)
        self.check(lrc(octets[:28]) == words(octets[28:32])[0], "LRC is wrong")
        self.check(not any(octets[at] for at in (0, 2, 4, 6, 7, 12, 24)), "reserved octets are not zero")
        padded = (count + 3) // 4 * 4
        has_crc = count > 0 and not flags & 0x04
        if not self.check(len(octets) == 32 + padded + 4 * has_crc and count <= IU_DATA_MAX,
                          "%d data octets in an information unit of %d" % (count, len(octets))):
            return
        data = octets[32:32 + padded]
        self.check(not has_crc or crc(data) == octets[-4:], "data CRC is wrong")
        self.check(octets[8] & 0x18 == (0 if kind == LINK_CONTROL else 0x10), "AS or ES is wrong")
        self.check(not frame.has(RESPONDER) and not frame.has(INITIATIVE) and frame.rx_id == 0xFFFF,
                   "not the header of a one-way exchange")
        if kind == LINK_CONTROL:
            name = LINK_NAMES.get(octets[17])
            self.check(name and frame.has(FIRST | LAST), "link control %02x" % octets[17])
            self.check(frame.r_ctl == (2 if name in ("ELP", "RLP", "TIN") else 3), "R_CTL of %s" % name)
            self.kinds[name or "link control"] += 1
        elif self.check(kind <= COMMAND_DATA, "IU type %d" % kind):
            self.device_level(frame, octets, kind, out, count)

    def device_level(self, frame, octets, kind, out, count):
        """A device-level information unit: its exchange, its place there, and what it moves."""
        function = octets[16] if kind == CONTROL else None
        name = ("data", "command", "status", CONTROL_NAMES.get(function), "command and data")[kind]
        self.kinds[name or "control"] += 1
        self.check(name is not None, "control function %02x" % (function or 0))
        r_ctl = {DATA: 1, COMMAND: 6, STATUS: 7, COMMAND_DATA: 6}.get(kind, 3 if function in ANSWERS else 2)
        self.check(frame.r_ctl == r_ctl, "R_CTL %02x of %s" % (frame.r_ctl, name))
        ports = (frame.s_id, frame.d_id) if out else (frame.d_id, frame.s_id)
        key = ports + (octets[1], octets[3], octets[5], octets[13:16])
        first = kind in (COMMAND, COMMAND_DATA) and struct.unpack_from(">H", octets, 10)[0] == 1
        if first and out and key not in self.command:
            self.command[key] = CommandExchange()
        exchange = self.command.get(key)
        if exchange is None:
            self.check(function in RECOVERY, "%s is of no open exchange" % name)
            return
        begins = out not in exchange.ids
        self.check(exchange.ids.setdefault(out, frame.ox_id) == frame.ox_id, "exchange id changes")
        self.check(frame.has(FIRST) == begins and out not in exchange.ended, "place in the exchange")
        if frame.has(LAST):
            exchange.ended.add(out)
        if function in RECOVERY:
            exchange.irregular = True
        else:
            exchange.counts[out] += 1
            self.check(octets[25] == exchange.counts[out] % 256, "IU count %d is not the next" % octets[25])
        exchange.ius[out].append(name)
        self.step(exchange, octets, kind, function, out, count)
        if function == 0xA0 and frame.has(LAST) or function == 0xD0:
            self.end(exchange)
            del self.command[key]

    def step(self, exchange, octets, kind, function, out, count):
        """What an information unit does in its exchange."""
        ccw, = struct.unpack_from(">H", octets, 10)
        if kind in (COMMAND, COMMAND_DATA):
            self.check(out and (ccw == len(exchange.ccws) + 1 or exchange.irregular), "CCW %d is not the next" % ccw)
            exchange.ccws[ccw] = (octets[16], struct.unpack_from(">H", octets, 18)[0])
            exchange.moved[ccw] += count
        elif kind == DATA:
            command = exchange.ccws.get(ccw, (0, 0))[0]
            self.check(ccw in exchange.ccws and is_inbound(command) != out, "data of CCW %d, command %02x" % (ccw, command))
            self.check(out or exchange.response, "data before the command response")
            exchange.moved[ccw] += count
        elif function == 0x10:
            self.check(not out and not exchange.response, "a command response that is not the first")
            exchange.response = True
        elif kind == STATUS:
            self.check(not out, "status from the channel")
            exchange.irregular |= bool(octets[16] & 0x04) or exchange.status is not None
            exchange.status = octets[17]
            exchange.residual = struct.unpack_from(">H", octets, 18)[0] if octets[16] & 1 else 0
        elif function == 0xA0:
            self.check(out and exchange.status is not None, "status accepted before there is one")

    def end(self, exchange):
        """The exchange is over: its flow, and that every CCW moved its count."""
        self.closed += 1
        if exchange.irregular or exchange.status != 0x0C:
            self.flows["command mode, other"] += 1
            return
        self.check(exchange.ended == {True, False}, "both directions must end")
        sent, received = exchange.ius[True], exchange.ius[False]
        self.check(sent[-1] == "status accepted" and received[0] == "command response" and received[-1] == "status",
                   "order of a normal exchange: %s; %s" % (sent, received))
        last = max(exchange.ccws)
        for ccw, (command, count) in exchange.ccws.items():
            expected = count - (exchange.residual if ccw == last else 0)
            self.check(exchange.moved[ccw] == expected,
                       "CCW %d, command %02x moved %d of %d octets" % (ccw, command, exchange.moved[ccw], expected))
            self.data_octets += exchange.moved[ccw] if command & 3 != 3 else 0
        self.flows["command mode %d+%d" % (len(sent), len(received))] += 1

    def transport_mode(self, frame, octets):
        """An information unit of transport mode."""
        out = not frame.has(RESPONDER)
        key = (frame.s_id, frame.d_id, frame.ox_id) if out else (frame.d_id, frame.s_id, frame.ox_id)
        if frame.r_ctl == 6:
            self.kinds["transport command"] += 1
            self.check(out and frame.has(FIRST), "a transport command does not open its exchange")
            self.check(key not in self.transport, "the exchange is open already")
            self.transport[key] = self.transport_command(octets)
            return
        exchange = self.transport.get(key)
        if not self.check(exchange is not None, "R_CTL %02x of no open exchange" % frame.r_ctl):
            return
        self.check(not frame.has(FIRST), "a later sequence says it is the first")
        exchange.ius[out] += 1
        if frame.r_ctl == 5:
            self.kinds["transfer ready"] += 1
            offset, burst = struct.unpack(">II4x", octets) if len(octets) == 12 else (0, 0)
            self.check(len(octets) == 12 and not out and exchange.writes, "transfer ready")
            self.check(offset == exchange.moved and frame.has(INITIATIVE), "transfer ready at %d" % offset)
            exchange.asked = burst
        elif frame.r_ctl == 1:
            self.kinds["transport data"] += 1
            self.check(frame.has(OFFSET) and frame.parameter == exchange.moved, "data do not go on at %d" % exchange.moved)
            self.check(exchange.writes if out else exchange.reads, "data in a direction that was not asked for")
            self.check(exchange.asked in (None, len(octets)), "%d octets where %s were asked for" % (len(octets), exchange.asked))
            exchange.moved, exchange.last_data, exchange.asked = exchange.moved + len(octets), octets, None
        elif self.check(frame.r_ctl == 7, "R_CTL %02x in transport mode" % frame.r_ctl):
            self.kinds["transport response"] += 1
            self.check(not out and frame.has(LAST), "a response does not end its exchange")
            self.response(exchange, octets)
            del self.transport[key]

    def transport_command(self, octets):
        exchange = TransportExchange(False, False, 0)
        if not self.check(len(octets) >= 36, "transport command of %d octets" % len(octets)):
            return exchange
        area = (octets[11] & 0xFC) - 4
        exchange.reads, exchange.writes = bool(octets[11] & 2), bool(octets[11] & 1)
        at = 28 + area
        both = exchange.reads and exchange.writes
        if not self.check(area >= 0 and len(octets) == at + (12 if both else 8), "length of a transport command"):
            return exchange
        self.check(octets[12] == 0x7F and octets[20:22] == b"\x1f\xfe", "header of a transport command")
        self.check(octets[19] == area + 12, "TCAL %02x for %d octets" % (octets[19], area))
        # Octets 6 to 8 are the number of the start: halftrack's own choice.
        self.check(not any(octets[at] for at in (0, 2, 4, 9, 10)), "reserved octets are not zero")
        self.check(lrc(octets[:at]) == words(octets[at:at + 4])[0], "LRC is wrong")
        exchange.expected = words(octets[at + 4:at + 8])[0]
        return exchange

    def response(self, exchange, octets):
        self.closed += 1
        sense = len(octets) - 64
        if not self.check(sense in (0, 32), "response of %d octets" % len(octets)):
            return
        self.check(lrc(octets[32:44]) == words(octets[44:48])[0], "LRC is wrong")
        self.check(words(octets[16:20])[0] == 32 + sense and words(octets[20:24])[0] == 8, "lengths in a response")
        if octets[36] != 0x0C or octets[27] or octets[10] & 0x0C:
            self.flows["transport mode, other"] += 1
            return
        data = exchange.last_data
        self.check(exchange.moved == exchange.expected,
                   "%d octets moved where the command says %d" % (exchange.moved, exchange.expected))
        self.check(not data or crc(data[:-4]) == data[-4:], "the closing check word is wrong")
        self.check(exchange.asked is None, "a burst that was asked for did not come")
        self.data_octets += max(exchange.moved - 4, 0)
        self.flows["transport mode %d+%d" % (exchange.ius[True], exchange.ius[False])] += 1

    def summary(self):
        left = len(self.command) + len(self.transport)
        yield "%d frames, %d sequences, %d exchanges over, %d open at the end" % (self.frames, self.sequences, self.closed, left)
        yield "%d octets of user data and transport check words" % self.data_octets
        for title, counts in (("information units", self.kinds), ("flows, out+in", self.flows)):
            yield title + ":"
            yield from ("  %7d  %s" % (count, name) for name, count in sorted(counts.items()))
        yield from self.violations[:20]
        yield "%d violations" % len(self.violations)


def main(arguments):
    if len(arguments) != 2:
        print("usage: decode.py FILE.pcapng", file=sys.stderr)
        return 2
    decoder, interfaces = Decoder(), Counter()
    try:
        with open(arguments[1], "rb") as file:
            for interface, octets in packets(file.read()):
                interfaces[interface] += 1
                decoder.frame(octets, interface)
    except (OSError, NotACapture, UnicodeDecodeError, struct.error, IndexError) as error:
        print("%s: %s" % (arguments[1], error), file=sys.stderr)
        return 2
    for name, frames in interfaces.items():
        print("%8d frames on %s" % (frames, name))
    print("\n".join(decoder.summary()))
    return 1 if decoder.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
