"""A study and its hardware, from deck.iocp, plant.toml, workload.toml and the catalog, for studies of one processor
complex with FICON channels, one director or none, and streams that select their devices uniformly."""

import re
import tomllib
from pathlib import Path

from stations import FILL_BYTES

FRAMING_BYTES = 36 + FILL_BYTES
HEADER_BYTES, CHECK_BYTES = 32, 4  # Of an information unit of command mode; every unit with data has a check word.
BLOCK_BYTES = {"4K": 4096, "27K": 27648, "half-track": 27998}
BURST_FRAMES, COMMAND_FRAME_BYTES = 4, 2112


def plain(entry):
    """The values of a catalog entry without their sources."""
    if isinstance(entry, list):
        return [plain(each) for each in entry]
    if not isinstance(entry, dict):
        return entry
    return entry["value"] if "source" in entry else {key: plain(value) for key, value in entry.items()}


def statements(deck):
    """Statements of a deck: the operation and its operands, continuation lines joined."""
    text = ""
    for line in deck.splitlines():
        if line.startswith("*"):
            continue
        more = line[71:72].strip() != ""
        text += line[:71].strip() if text else line[:71].rstrip()
        if more:
            continue
        fields = text.split()
        text = ""
        if fields:
            yield fields[0], fields[1] if len(fields) > 1 else ""


def operand(operands, key):
    """The value of `key`, which reaches to the next key outside of parentheses."""
    found = re.search(rf"(?:^|,){key}=((?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|[^,(])*)", operands)
    return found.group(1) if found else None


def words(value):
    return re.findall(r"[0-9A-F]+", re.sub(r"CSS\([0-9]\)", "", value))


class Unit:
    """What leaves an end together: the processor's work for it by the price list, and its bursts."""

    def __init__(self, work_us, bursts):
        self.work_us, self.bursts = work_us, bursts


def bursts(payload_bytes, data_bytes, frame_bytes):
    """(octets on the line, data bytes) of the bursts of an information unit, four frames each."""
    frames = -(-payload_bytes // frame_bytes)
    if frames <= BURST_FRAMES:
        return [(payload_bytes + frames * FRAMING_BYTES, data_bytes)]
    found, full = [], BURST_FRAMES * frame_bytes
    while payload_bytes > 0:
        payload, data = min(full, payload_bytes), min(full, data_bytes)
        found.append((payload + -(-payload // frame_bytes) * FRAMING_BYTES, data))
        payload_bytes, data_bytes = payload_bytes - payload, data_bytes - data
    # What is left behind the data goes with the last of them.
    while len(found) > 1 and not found[-1][1]:
        found[-2:] = [(found[-2][0] + found[-1][0], found[-2][1])]
    return found


def price(prices, programs=0, commands=0, units=0, data_bytes=0):
    return (
        prices["program_us"] * programs
        + prices["command_us"] * commands
        + prices["unit_us"] * units
        + prices["kib_us"] * data_bytes / 1024
    )


class Program:
    """A channel program as information units: what opens it, what is sent later, what comes back.

    Command mode, by CCW: Prefix (or Define Extent and Locate Record), then a Read or Write Data for each record. Each is
    a unit; the control unit answers with a command response, which nothing waits for, a unit with the data of each
    record, and status. Transport mode: a transport command, the data as one unit, and the response.
    """

    def __init__(self, shape, write, transport, channel, control_unit):
        records = shape.get("records", 1)
        record_bytes = shape.get("record_bytes") or BLOCK_BYTES[shape["block"]]
        self.write, self.transport = write, transport
        kind = "transport" if transport else "command"
        at_channel, at_port = channel[kind], control_unit[kind]
        if transport:
            all_bytes = records * record_bytes
            asked = dict(programs=1, commands=1, data_bytes=all_bytes)
            data = bursts(all_bytes + CHECK_BYTES, all_bytes, channel["frame_payload_bytes"])
            command, answer = (108 + FRAMING_BYTES, 0), 64 + FRAMING_BYTES
            frames = -(-(all_bytes + CHECK_BYTES) // channel["frame_payload_bytes"])
            joined = write and 1 + frames <= BURST_FRAMES
            opening = [(command[0] + data[0][0], data[0][1])] if joined else [command]
            self.out = [Unit(price(at_channel, **asked), opening)]
            self.opening_us = price(at_port, **asked)
            if write:
                self.out += [] if joined else [Unit(0, data)]
                self.data_us = [0.0] * (0 if joined else 1)
                self.back = [Unit(0, [(answer, 0)])]
            else:
                # The response needs neither bus nor processor: it goes with the last burst.
                data[-1] = (data[-1][0] + answer, data[-1][1])
                self.back = [Unit(0, data)]
            self.received_us = 0.0
            return
        assert record_bytes <= 8192 - CHECK_BYTES, "units of one burst"
        prefix = shape.get("positioning", "prefix") == "prefix"
        parameters = [64] if prefix else [16, 16]
        unit = (HEADER_BYTES + CHECK_BYTES + FRAMING_BYTES, HEADER_BYTES + FRAMING_BYTES)
        opening = sum(unit[0] + each for each in parameters)
        data = bursts(HEADER_BYTES + record_bytes + CHECK_BYTES, record_bytes, COMMAND_FRAME_BYTES)
        moved = dict(units=1, data_bytes=record_bytes)
        commands = len(parameters)
        if write:
            first = dict(programs=1, commands=commands)
            self.out = [Unit(price(at_channel, **first), [(opening, 0)])]
            self.out += [Unit(price(at_channel, commands=1, **moved), data) for _ in range(records)]
            self.opening_us = price(at_port, **first)
            self.data_us = [price(at_port, commands=1, **moved)] * records
            self.back = [Unit(0, [(unit[1], 0)])]
        else:
            first = dict(programs=1, commands=commands + records)
            self.out = [Unit(price(at_channel, **first), [(opening + records * unit[1], 0)])]
            self.opening_us = price(at_port, **first)
            self.back = [Unit(price(at_port, **moved), list(data)) for _ in range(records)]
            last = self.back[-1].bursts
            last[-1] = (last[-1][0] + unit[1], last[-1][1])
        self.received_us = 0.0 if write else price(at_channel, **moved)


class Study:
    """What there is and how it is connected."""

    def __init__(self, directory, catalog):
        self.catalog = Path(catalog)
        directory = Path(directory)
        self.plant = tomllib.loads((directory / "plant.toml").read_text())
        self.workload = tomllib.loads((directory / "workload.toml").read_text())
        self.cpc = self.entry("cpc", self.plant["cpc"]["model"])
        self.processor = self.entry("processor", self.cpc["processor"])
        self.scv = self.entry("service", "stations")
        self.us_per_km = self.entry("fibre", "single-mode")["propagation_us_per_km"]
        cards = {pchid: card["type"] for card in self.plant["card"] for pchid in card["pchids"]}
        cables = {cable["pchid"]: cable for cable in self.plant["cable"]}
        self.boxes = {box["name"]: box for box in self.plant["control_unit"]}
        ports = {port["to"]: (box, port) for box in self.plant["control_unit"] for port in box["port"] if "to" in port}
        self.channels, self.lcus, self.lcu_of = {}, {}, {}
        for operation, operands in statements((directory / "deck.iocp").read_text()):
            if operation == "CHPID":
                pchid = operand(operands, "PCHID")
                chpid = words(operand(operands, "PATH"))[0]
                self.channels[chpid] = (self.entry("channel", cards[pchid]), cables[pchid])
            elif operation == "CNTLUNIT" and operand(operands, "UNIT") == "2107":
                number = operand(operands, "CUNUMBR")
                links = words(operand(operands, "LINK") or "")
                paths = []
                for index, chpid in enumerate(words(operand(operands, "PATH"))):
                    plug = self.channels[chpid][1]["to"]
                    box, port = ports[f"{plug[:2]}.{links[index][-2:]}"]
                    paths.append((chpid, box["name"], port["id"]))
                self.lcus[number] = {"paths": paths, "aliases": 0}
            elif operation == "IODEVICE" and operand(operands, "UNIT").startswith("3390"):
                first, count = operand(operands, "ADDRESS").strip("()").split(",")
                lcu = operand(operands, "CUNUMBR").strip("()")
                if operand(operands, "UNIT").endswith("A"):
                    self.lcus[lcu]["aliases"] += int(count)
                else:
                    self.lcu_of.update((int(first, 16) + device, lcu) for device in range(int(count)))
        self.ports = {(box["name"], port["id"]): port for box, port in ports.values()}
        self.directors = {each["id"]: self.entry("director", each["type"]) for each in self.plant.get("director", [])}

    def entry(self, kind, name):
        return plain(tomllib.loads((self.catalog / kind / f"{name}.toml").read_text()))

    def rate(self, near, far):
        """MB/s of octets on a fibre: of the fastest speed that both ends have, by its baud and codes."""
        speeds = [{(s["gbps"], s.get("fec", s["gbps"] >= 32)) for s in end["speed"]} for end in (near, far)]
        gbps, fec = max(speeds[0] & speeds[1])
        link = self.entry("link", f"{gbps}gfc")
        coding = next(each for each in link["coding"] if ("fec" in each) == fec)
        data, sent = (int(bits.rstrip("b")) for bits in coding["code"].split("/"))
        if fec:
            symbols, kept = (int(each) for each in re.findall(r"\d+", coding["fec"]))
            data, sent = data * kept, sent * symbols
        return 1000 * link["gbaud"] * link["bits_per_symbol"] * data / sent / 8

    def iop_factor(self):
        """How the times of SAPs grow with the machine."""
        growth = self.processor["growth"]
        drawers, cores = self.cpc["drawers"], self.cpc["sap_cores"]
        return 1 + growth["remote_drawer"] * (drawers - 1) / drawers + growth.get("core", 0) * (cores - growth["cores"])
