#!/usr/bin/env python3
"""A second simulator of small studies by docs/model.md and docs/formats, which shares nothing with the twin: its own events,
stations and random numbers. It says rate and response of each stream, and how well it knows them.

    simulator.py STUDY CATALOG [--precision SHARE] [--at-most IOS] [--seed N]
"""

import argparse
import heapq
import json
from collections import deque
from math import sqrt

from stations import Events, Fibre, InTurn, Servers, Shared, Variation
from study import Program, Study

BATCHES = 25
STUDENT_T = 2.064  # Of 24 degrees of freedom, 95 %.


class Channel:
    def __init__(self, events, hardware):
        self.processor, self.bus, self.bus_rate = Shared(events), InTurn(), hardware["bus_mb_per_s"]
        self.free = [hardware["open_exchanges"], hardware["open_exchanges_command"]]
        self.deferred = deque()

    def take(self, transport):
        if self.free[0] == 0 or not (transport or self.free[1]):
            return False
        self.free[0] -= 1
        self.free[1] -= not transport
        return True


class Port:
    def __init__(self, hardware):
        self.hardware, self.processor, self.bus = hardware, InTurn(), InTurn()


class Path:
    """Channel and port, and the fibres between them both ways."""

    def __init__(self, channel, port, there, back):
        self.channel, self.port, self.there, self.back = channel, port, there, back


class Lcu:
    def __init__(self, paths, aliases):
        self.paths, self.turn, self.aliases, self.waiting = paths, 0, aliases, deque()


class Device:
    def __init__(self, lcu, core):
        self.lcu, self.core, self.busy, self.waiting = lcu, core, False, deque()


class Io:
    """An I/O: what it is, and what is left to be done for it."""

    __slots__ = (
        "stream", "device", "program", "hit", "asked", "alias", "path", "unit", "burst", "cached", "taken_up",
        "received_us", "visits", "coming", "served", "waited",
    )  # fmt: skip


class Stream:
    def __init__(self, table, devices, lpar):
        self.devices, self.lpar, self.open, self.closed = devices, lpar, table.get("open"), table.get("closed")
        self.read_share, self.hit_ratio = table.get("read_share", 1.0), table.get("hit_ratio", 1.0)
        self.programs, self.batches = {}, []
        self.count, self.sum_us = 0, 0.0


class Machine:
    def __init__(self, study, seed):
        self.study, self.events = study, Events(seed)
        events = self.events
        self.random = events.random.random
        self.at_channel, self.at_port, self.at_sap = (
            Variation(events, study.scv[f"{kind}_scv"]) for kind in ("channel", "control_unit", "sap")
        )
        processor, factor = study.processor, study.iop_factor()
        self.iop_start, self.iop_interrupt = (processor[key] * factor for key in ("iop_start_us", "iop_interrupt_us"))
        self.cores = study.cpc["sap_cores"]
        self.threads, self.round = [InTurn() for _ in range(self.cores * processor["threads_per_core"])], 0
        self.cp_start, self.cp_interrupt = processor["cp_start_us"], processor["cp_interrupt_us"]
        self.serial_us = processor.get("image", {}).get("serial_us", 0.0)
        self.lpars = {
            each["name"]: (Servers(each["cps"]), InTurn(), each.get("hyperpav") == "YES") for each in study.plant["lpar"]
        }
        self.wire()
        self.staging = {
            name: Servers(study.entry("control-unit", box["type"])["staging_servers"]) for name, box in study.boxes.items()
        }

    def wire(self):
        study, events = self.study, self.events
        channels, ports, out, back = {}, {}, {}, {}
        for chpid, (hardware, cable) in study.channels.items():
            director = study.directors[cable["to"][:2]]
            rate, propagation = study.rate(hardware, director), study.us_per_km * cable["km"]
            channels[chpid] = Channel(events, hardware)
            out[chpid] = Fibre(rate, propagation, director["forward_us"])
            back[chpid] = Fibre(rate, propagation)
        for key, port in study.ports.items():
            hardware = study.entry("control-unit", study.boxes[key[0]]["type"])
            director = study.directors[port["to"][:2]]
            rate, propagation = study.rate(hardware, director), study.us_per_km * port["km"]
            ports[key] = Port(hardware)
            out[key], back[key] = Fibre(rate, propagation), Fibre(rate, propagation, director["forward_us"])
        lcus = {}
        for number, lcu in study.lcus.items():
            paths = []
            for chpid, box, port in lcu["paths"]:
                there, here = (out[chpid], out[box, port]), (back[box, port], back[chpid])
                path = Path(channels[chpid], ports[box, port], there, here)
                path.box, path.hardware = box, study.channels[chpid][0]
                paths.append(path)
            lcus[number] = Lcu(paths, lcu["aliases"])
        self.devices = {
            number: Device(lcus[lcu], index % self.cores) for index, (number, lcu) in enumerate(study.lcu_of.items())
        }
        self.streams = [self.stream(table) for table in study.workload["stream"]]

    def stream(self, table):
        devices = []
        for each in table["devices"]:
            first, last = (each.split("-") * 2)[:2]
            devices += [self.devices[number] for number in range(int(first, 16), int(last, 16) + 1)]
        stream = Stream(table, devices, self.lpars[table["lpar"]])
        zhpf = [lpar.get("zhpf") == "YES" for lpar in self.study.plant["lpar"] if lpar["name"] == table["lpar"]][0]
        transport = {"command": False, "transport": True}.get(table.get("protocol"), zhpf)
        for path in {path for device in devices for path in device.lcu.paths}:
            for write in (False, True):
                shape = table.get("write_program", table["program"]) if write else table["program"]
                stream.programs[path, write] = Program(shape, write, transport, path.hardware, path.port.hardware)
        stream.transport = transport
        return stream

    # The image: base or alias, CP, serial part, IOP.

    def arrive(self, stream):
        self.events.at(self.events.now + self.events.random.expovariate(stream.open["rate_per_s"] / 1e6), self.arrive, stream)
        self.request(stream, self.cp_start)

    def request(self, stream, cp_us):
        """Another I/O of `stream`. If it has a base or alias at once, a CP works for `cp_us`; else it waits for one."""
        io = Io()
        io.stream, io.asked, io.served = stream, self.events.now, False
        io.device = stream.devices[int(self.random() * len(stream.devices))]
        write = self.random() >= stream.read_share
        io.hit = write or self.random() < stream.hit_ratio
        io.program = write
        device, lcu = io.device, io.device.lcu
        if not device.busy:
            device.busy, io.alias = True, False
        elif stream.lpar[2] and lcu.aliases:
            lcu.aliases, io.alias = lcu.aliases - 1, True
        else:
            device.waiting.append(io)
            lcu.waiting.append(io)
            return False
        self.start(io, cp_us)
        return True

    def release(self, io):
        """The base or alias of `io` is free: the I/O that gets it."""
        device, lcu = io.device, io.device.lcu
        waiting = lcu.waiting if io.alias else device.waiting
        while waiting:
            following = waiting.popleft()
            if not following.served:
                following.served, following.alias = True, io.alias
                return following
        if io.alias:
            lcu.aliases += 1
        else:
            device.busy = False
        return None

    def start(self, io, cp_us):
        io.waited = self.events.now - io.asked
        _, done = io.stream.lpar[0].take(self.events.now, cp_us)
        self.events.at(done, self.started, io)

    def started(self, io):
        now, serial = self.events.now, io.stream.lpar[1]
        turn = serial.take(now, self.serial_us) - self.serial_us
        if turn > now:
            self.events.at(turn, self.subchannel, io)
        else:
            self.subchannel(io)

    def subchannel(self, io):
        now, threads = self.events.now, self.threads
        io.asked = now - io.waited  # What CP and serial part take is in no component of the response.
        order = [(self.round + index) % len(threads) for index in range(len(threads))]
        chosen = next((each for each in order if threads[each].free <= now), None)
        if chosen is None:
            chosen = min(order, key=lambda each: threads[each].free)
        self.round = (chosen + 1) % len(threads)
        self.events.at(threads[chosen].take(now, self.at_sap.draw(self.iop_start)), self.drive, io)

    # The channel.

    def drive(self, io):
        lcu = io.device.lcu
        io.path = lcu.paths[lcu.turn]
        lcu.turn = (lcu.turn + 1) % len(lcu.paths)
        io.program = io.stream.programs[io.path, io.program]
        if io.path.channel.take(io.program.transport):
            self.open(io)
        else:
            io.path.channel.deferred.append(io)

    def open(self, io):
        io.unit = io.burst = io.visits = io.coming = 0
        io.cached = io.taken_up = io.received_us = 0.0
        self.send_unit(io)

    def send_unit(self, io):
        work = io.program.out[io.unit].work_us
        if work:
            io.path.channel.processor.work(self.at_channel.draw(work), self.fetch, io)
        else:
            self.fetch(io)

    def fetch(self, io):
        """Written data come over the bus of the channel."""
        data = io.program.out[io.unit].bursts[io.burst][1]
        channel = io.path.channel
        if data:
            self.events.at(channel.bus.take(self.events.now, data / channel.bus_rate), self.send_burst, io)
        else:
            self.send_burst(io)

    def send_burst(self, io):
        unit, burst = io.unit, io.burst
        bursts = io.program.out[unit].bursts
        entered, head, lag = io.path.there[0].send(self.events.now, 0.0, bursts[burst][0])
        self.events.at(head, self.at_director_there, (io, unit, burst, lag))
        io.burst += 1
        if io.burst == len(bursts):
            io.unit, io.burst = io.unit + 1, 0
            if io.unit < len(io.program.out):
                self.events.at(entered, self.send_unit, io)
        else:
            self.events.at(entered, self.fetch, io)

    def at_director_there(self, transit):
        io, unit, burst, lag = transit
        _, head, lag = io.path.there[1].send(self.events.now, lag, io.program.out[unit].bursts[burst][0])
        self.events.at(head + lag, self.at_the_port, transit)

    # The port and the cache.

    def at_the_port(self, transit):
        io, unit, burst, lag = transit
        now, port, program = self.events.now, io.path.port, io.program
        hardware = port.hardware
        opens, bursts = unit == 0 and burst == 0, program.out[unit].bursts
        data, complete = bursts[burst][1], burst + 1 == len(bursts)
        work = program.opening_us if opens else program.data_us[unit - 1] if complete else 0.0
        # A command is decoded while what comes with it still arrives.
        begun = now - lag if opens else now
        done = port.processor.take(begun, self.at_port.draw(work)) if work else now
        ready = max(now, done, port.bus.take(begun, data / hardware["bus_mb_per_s"])) if data else max(now, done)
        if opens:
            # In command mode the program is worked on behind its command response: what delays the data.
            io.cached = io.taken_up = done + hardware["dispatch_us"]
        ready = max(ready, io.taken_up if program.transport or opens else now)
        if data:
            io.cached = max(io.cached, ready) + data / hardware["cache_mb_per_s"]
        if complete and unit + 1 == len(program.out):
            io.unit = io.burst = 0
            self.access(io, ready)

    def access(self, io, ready):
        """All that the channel sends is there: the data are looked for in cache, or made safe in it."""
        hardware, first = io.path.port.hardware, io.program.back[0].bursts[0][1]
        if io.program.write:
            self.events.at(max(ready, io.cached) + hardware["hit_us"] + hardware["write_us"], self.answer, io)
        elif io.hit:
            io.cached = max(ready, io.cached) + first / hardware["cache_mb_per_s"]
            self.events.at(io.cached + hardware["hit_us"], self.answer, io)
            io.cached += hardware["hit_us"] if io.program.transport else 0.0
        else:
            self.events.at(max(ready, io.cached), self.stage, io)

    def stage(self, io):
        mean = io.path.port.hardware["miss_us"]
        servers = self.staging[io.path.box]
        io.cached = servers.take(self.events.now, self.events.random.expovariate(1 / mean))[1]
        self.events.at(io.cached, self.answer, io)

    def answer(self, io):
        """The port sends the next burst, with the work of its unit if it is the first of it."""
        now, port = self.events.now, io.path.port
        unit = io.program.back[io.unit]
        data, busy = unit.bursts[io.burst][1], port.processor.free > now
        worked = unit.work_us and io.burst == 0
        done = port.processor.take(now, self.at_port.draw(unit.work_us)) if worked else now
        if data:
            done = max(done, port.bus.take(now, data / port.hardware["bus_mb_per_s"]))
        if worked and busy:
            self.events.at(done, self.leave, (io, done))
        else:
            self.leave((io, done))

    def leave(self, transit):
        io, done = transit
        unit, burst = io.unit, io.burst
        bursts = io.program.back[unit].bursts
        entered, head, lag = io.path.back[0].send(done, 0.0, bursts[burst][0])
        self.events.at(head, self.at_director_back, (io, unit, burst, lag))
        io.burst += 1
        if io.burst == len(bursts):
            io.unit, io.burst = unit + 1, 0
        if io.unit < len(io.program.back):
            # The cache reads ahead.
            following = io.program.back[io.unit].bursts[io.burst][1]
            io.cached += following / io.path.port.hardware["cache_mb_per_s"]
            self.events.at(max(entered, io.cached), self.answer, io)

    def at_director_back(self, transit):
        io, unit, burst, lag = transit
        wire_bytes = io.program.back[unit].bursts[burst][0]
        _, head, lag = io.path.back[1].send(self.events.now, lag, wire_bytes)
        self.events.at(head + lag, self.at_the_channel, (io, unit, burst, lag))

    # The way back.

    def at_the_channel(self, transit):
        io, unit, burst, lag = transit
        now, channel, bursts = self.events.now, io.path.channel, io.program.back[unit].bursts
        data = bursts[burst][1]
        if not data:
            self.received((io, unit, burst))
            return
        from_ = now - lag if channel.bus.free <= now else now
        stored = channel.bus.take(from_, data / channel.bus_rate)
        if stored > now:
            self.events.at(stored, self.received, (io, unit, burst))
        else:
            self.received((io, unit, burst))

    def received(self, transit):
        io, unit, burst = transit
        if burst + 1 < len(io.program.back[unit].bursts):
            return
        io.received_us += io.program.received_us
        io.coming += 1
        if io.received_us and not io.visits:
            self.visit(io)
        elif not io.received_us and io.coming == len(io.program.back):
            self.over(io)

    def visit(self, io):
        """The channel works on what has come since the last visit."""
        io.visits, work, io.received_us = io.coming, io.received_us, 0.0
        io.path.channel.processor.work(self.at_channel.draw(work), self.visited, io)

    def visited(self, io):
        if io.visits == len(io.program.back):
            self.over(io)
            return
        io.visits = 0
        if io.received_us:
            self.visit(io)

    def over(self, io):
        now, channel, stream = self.events.now, io.path.channel, io.stream
        stream.count += 1
        stream.sum_us += now - io.asked
        channel.free[0] += 1
        channel.free[1] += not io.program.transport
        for index, following in enumerate(channel.deferred):
            if channel.take(following.program.transport):
                del channel.deferred[index]
                self.open(following)
                break
        first = io.device.core * (len(self.threads) // self.cores)
        threads = self.threads[first : first + len(self.threads) // self.cores]
        thread = next((each for each in threads if each.free <= now), None) or min(threads, key=lambda each: each.free)
        self.events.at(thread.take(now, self.at_sap.draw(self.iop_interrupt)), self.interrupt, io)

    def interrupt(self, io):
        cps = io.stream.lpar[0]
        if cps.heap[0] > self.events.now:
            start, _ = cps.take(self.events.now, self.cp_interrupt)
            self.events.at(start, self.complete, (io, False))
        else:
            self.complete((io, True))

    def complete(self, taken):
        """A CP takes the interrupt; a job that does not think starts its next I/O in the same stay."""
        (io, is_free), now, stream = taken, self.events.now, taken[0].stream
        following = self.release(io)
        think = self.think(stream) if stream.closed else None
        if not (is_free and think == 0.0 and self.request(stream, self.cp_interrupt + self.cp_start)):
            if is_free:
                stream.lpar[0].take(now, self.cp_interrupt)
            if think or (think == 0.0 and not is_free):
                self.events.at(now + self.cp_interrupt + think, self.thought, stream)
        if following:
            self.start(following, self.cp_start)

    def think(self, stream):
        mean = stream.closed.get("think_us", 0)
        if mean and stream.closed.get("think") == "exponential":
            return self.events.random.expovariate(1 / mean)
        return float(mean)

    def thought(self, stream):
        self.request(stream, self.cp_start)

    # The run.

    def begin(self):
        for stream in self.streams:
            if stream.open:
                self.events.at(self.events.random.expovariate(stream.open["rate_per_s"] / 1e6), self.arrive, stream)
            else:
                for _ in range(stream.closed["jobs"]):
                    self.events.at(self.think(stream), self.thought, stream)

    def until(self, time):
        events, heap, pop = self.events, self.events.heap, heapq.heappop
        while heap[0][0] < time:
            events.now, _, call, argument = pop(heap)
            call(argument)
        events.now = time

    def take_batch(self):
        for stream in self.streams:
            stream.batches.append((stream.count, stream.sum_us))
            stream.count, stream.sum_us = 0, 0.0


def estimate(values):
    mean = sum(values) / len(values)
    variance = sum((each - mean) ** 2 for each in values) / (len(values) - 1)
    return mean, STUDENT_T * sqrt(variance / len(values))


def estimates(stream, batch_us):
    """Rate and response from the batches, put together to some that are long."""
    size = len(stream.batches) // BATCHES
    joined = [stream.batches[index * size : (index + 1) * size] for index in range(BATCHES)]
    counts = [sum(count for count, _ in each) for each in joined]
    sums = [sum(total for _, total in each) for each in joined]
    rate = estimate([1e6 * count / (size * batch_us) for count in counts])
    response = estimate([total / count for total, count in zip(sums, counts)])
    return {"rate_per_s": rate[0], "rate_half_width": rate[1], "response_us": response[0], "response_half_width": response[1]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("study")
    parser.add_argument("catalog")
    parser.add_argument("--precision", type=float, default=0.005)
    parser.add_argument("--at-most", type=int, default=5_000_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    machine = Machine(Study(asked.study, asked.catalog), asked.seed)
    machine.begin()
    machine.until(200_000.0)
    per_us = sum(stream.count for stream in machine.streams) / 200_000.0
    machine.take_batch()
    for stream in machine.streams:
        stream.batches.clear()
    # Batches of some five hundred I/Os; looked at when there are a fifth more of them.
    batch_us, look, batches = 500 / per_us, 2 * BATCHES, 0
    while True:
        machine.until(machine.events.now + batch_us)
        machine.take_batch()
        batches += 1
        last = 500 * batches >= asked.at_most
        if batches < look and not last:
            continue
        look = -(-look * 6 // 5)
        found = [estimates(stream, batch_us) for stream in machine.streams]
        sharp = all(
            each[f"{name}_half_width"] <= asked.precision * each[mean]
            for each in found
            for name, mean in (("rate", "rate_per_s"), ("response", "response_us"))
        )
        if last or sharp:
            print(json.dumps(found))
            return


if __name__ == "__main__":
    main()
