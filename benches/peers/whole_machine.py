"""The whole machine in SimPy: a process for each job, resources for CPs and IOP threads.

Stations of one server that serve in the order of arrival tell a departure when the arrival comes, so that they need
one event each; SimPy's own Resource would need three.

usage: whole_machine.py IOS
"""

import json
import pathlib
import random
import sys
import time

import simpy

MACHINE = json.loads(pathlib.Path(__file__).with_name("whole_machine.json").read_text(encoding="utf-8"))
WARM_UP_US = 2_000.0


class Fifo:
    """One server, first in first out."""

    __slots__ = ("free_at", "given")

    def __init__(self):
        self.free_at = self.given = 0.0

    def until(self, now, service):
        """How long an arrival at `now` takes, waiting included."""
        self.given += service
        self.free_at = max(self.free_at, now) + service
        return self.free_at - now


class Tally:
    """I/Os and the sums of their responses and squares, us."""

    __slots__ = ("count", "sum", "sum_squares")

    def __init__(self):
        self.count = 0
        self.sum = self.sum_squares = 0.0

    def record(self, response_us):
        self.count += 1
        self.sum += response_us
        self.sum_squares += response_us * response_us


class Path:
    """A channel and the host-adapter port that it leads to."""

    __slots__ = ("processor", "outbound", "port", "inbound", "bus")

    def __init__(self):
        self.processor, self.outbound, self.port, self.inbound, self.bus = (Fifo() for _ in range(5))


class Partition:
    """CPs, the serial part of its image, and devices of its own."""

    def __init__(self, env, index):
        self.cps = simpy.Resource(env, capacity=MACHINE["cps"])
        self.serial = Fifo()
        self.subsystem = index * MACHINE["subsystems"] // MACHINE["partitions"]
        self.devices = MACHINE["devices"] // MACHINE["partitions"]
        self.first_device = index * self.devices
        self.stream = random.Random(f"PARTITION.{index}")


class Whole:
    """What all partitions share."""

    def __init__(self, env):
        self.iops = simpy.Resource(env, capacity=MACHINE["iop_threads"])
        self.paths = [Path() for _ in range(MACHINE["channels"])]
        control_units = MACHINE["devices"] // MACHINE["devices_of_a_control_unit"]
        self.turns = [[0] * control_units for _ in range(MACHINE["subsystems"])]
        self.responses = [Tally() for _ in range(MACHINE["devices"])]

    def path_of(self, subsystem, device):
        """The paths of a control unit in turn."""
        control_unit = device // MACHINE["devices_of_a_control_unit"]
        turn = self.turns[subsystem][control_unit]
        self.turns[subsystem][control_unit] = (turn + 1) % MACHINE["paths"]
        of_a_subsystem = MACHINE["channels"] // MACHINE["subsystems"]
        return self.paths[subsystem * of_a_subsystem
                          + (control_unit * MACHINE["paths"] + turn) % of_a_subsystem]


def job(env, whole, partition):
    """Reads for ever: the CP that takes the interrupt starts the next in the same stay."""
    m = MACHINE
    on_cp_us = m["cp_start_us"]
    while True:
        with partition.cps.request() as turn:
            yield turn
            yield env.timeout(on_cp_us)
        on_cp_us = m["cp_interrupt_us"] + m["cp_start_us"]
        yield env.timeout(partition.serial.until(env.now, m["image_serial_us"]))
        started_us = env.now
        device = partition.first_device + partition.stream.randrange(partition.devices)
        path = whole.path_of(partition.subsystem, device)
        with whole.iops.request() as turn:
            yield turn
            yield env.timeout(m["iop_start_us"])
        yield env.timeout(path.processor.until(env.now, m["channel_us"]))
        yield env.timeout(path.outbound.until(env.now, m["command_wire_us"]) + m["light_and_director_us"])
        yield env.timeout(path.port.until(env.now, m["port_us"]) + m["dispatch_us"] + m["cache_us"])
        yield env.timeout(path.inbound.until(env.now, m["data_wire_us"]) + m["light_and_director_us"])
        yield env.timeout(path.bus.until(env.now, m["bus_us"]))
        if env.now >= WARM_UP_US:
            whole.responses[device].record(env.now - started_us)
        with whole.iops.request() as turn:
            yield turn
            yield env.timeout(m["iop_interrupt_us"])


def main():
    ios_asked_for = int(sys.argv[1])
    env = simpy.Environment()
    whole = Whole(env)
    for index in range(MACHINE["partitions"]):
        partition = Partition(env, index)
        for _ in range(MACHINE["jobs"]):
            env.process(job(env, whole, partition))
    env.run(until=WARM_UP_US)
    began = time.process_time()
    # A cycle takes about 115 us.
    span_us = ios_asked_for / (MACHINE["partitions"] * MACHINE["jobs"]) * 115.0
    env.run(until=WARM_UP_US + span_us)
    spent_s = time.process_time() - began
    ios = sum(tally.count for tally in whole.responses)
    response_us = sum(tally.sum for tally in whole.responses) / ios
    print(json.dumps({"program": "SimPy", "ios": ios, "ios_per_s": round(ios / spent_s),
                      "rate_per_s": round(ios / (span_us / 1e6)), "response_us": round(response_us, 2)}))


if __name__ == "__main__":
    main()
