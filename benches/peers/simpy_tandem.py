"""The tandem in SimPy: a process for each customer, a resource for each station.

usage: simpy_tandem.py HOPS
"""

import json
import random
import sys
import time

import simpy

STATIONS = 5
CUSTOMERS = 64
MEAN_SERVICE_US = 100.0


class Tally:
    """Count, sum, sum of squares, least and greatest of the responses, us."""

    __slots__ = ("count", "sum", "sum_squares", "least", "greatest")

    def __init__(self):
        self.count = 0
        self.sum = self.sum_squares = self.greatest = 0.0
        self.least = float("inf")

    def record(self, response_us):
        self.count += 1
        self.sum += response_us
        self.sum_squares += response_us * response_us
        if response_us < self.least:
            self.least = response_us
        if response_us > self.greatest:
            self.greatest = response_us


def customer(env, stations, tallies, streams):
    """Goes round for ever: waits for the server, is served, goes on to the next station."""
    while True:
        for station, tally, stream in zip(stations, tallies, streams):
            arrived_us = env.now
            with station.request() as turn:
                yield turn
                yield env.timeout(stream.expovariate(1.0 / MEAN_SERVICE_US))
            tally.record(env.now - arrived_us)


def main():
    hops_asked_for = int(sys.argv[1])
    busy = CUSTOMERS / (CUSTOMERS + STATIONS - 1)
    until_us = hops_asked_for * MEAN_SERVICE_US / (STATIONS * busy)
    env = simpy.Environment()
    stations = [simpy.Resource(env, capacity=1) for _ in range(STATIONS)]
    tallies = [Tally() for _ in range(STATIONS)]
    streams = [random.Random(f"STATION.{station}") for station in range(STATIONS)]
    for _ in range(CUSTOMERS):
        env.process(customer(env, stations, tallies, streams))
    began = time.process_time()
    env.run(until=until_us)
    spent_s = time.process_time() - began
    hops = sum(tally.count for tally in tallies)
    response_us = sum(tally.sum for tally in tallies) / hops
    print(json.dumps({"program": "simpy", "hops": hops, "hops_per_s": round(hops / spent_s),
                      "response_us": round(response_us, 1)}))


if __name__ == "__main__":
    main()
