"""Stations, in microseconds: each tells when work that comes now is done, or calls back when it is."""

import heapq
import random

FILL_BYTES = 24  # Between two frames on a fibre: six primitive signals.


class Events:
    """What happens when."""

    def __init__(self, seed):
        self.now, self.heap, self.count = 0.0, [], 0
        self.random = random.Random(seed)

    def at(self, time, call, argument=None):
        self.count += 1
        heapq.heappush(self.heap, (time, self.count, call, argument))


class Variation:
    """Factors of mean one with a squared coefficient of variation: a large sample of the gamma distribution."""

    SAMPLE = 1 << 17

    def __init__(self, events, scv):
        self.random = events.random.random
        sample = [events.random.gammavariate(1 / scv, scv) if scv else 1.0 for _ in range(self.SAMPLE)]
        mean = sum(sample) / self.SAMPLE
        self.sample = [each / mean for each in sample]

    def draw(self, mean):
        return mean * self.sample[int(self.random() * self.SAMPLE)] if mean else 0.0


class InTurn:
    """One server, in order of arrival."""

    def __init__(self):
        self.free = 0.0

    def take(self, now, service):
        self.free = (self.free if self.free > now else now) + service
        return self.free


class Servers:
    """Servers in parallel, in order of arrival: when work begins and ends."""

    def __init__(self, servers):
        self.heap = [0.0] * servers

    def take(self, now, service):
        start = max(now, self.heap[0])
        heapq.heapreplace(self.heap, start + service)
        return start, start + service


class Shared:
    """One server shared equally by all who are there. Its clock goes on by what each of them has had."""

    def __init__(self, events):
        self.events, self.had, self.since, self.there, self.version = events, 0.0, 0.0, [], 0

    def work(self, service, call, argument):
        self._advance()
        self.events.count += 1
        heapq.heappush(self.there, (self.had + service, self.events.count, call, argument))
        self._plan()

    def _advance(self):
        now = self.events.now
        if self.there:
            self.had += (now - self.since) / len(self.there)
        self.since = now

    def _plan(self):
        self.version += 1
        if self.there:
            left = max(0.0, self.there[0][0] - self.had)
            self.events.at(self.since + left * len(self.there), self._done, self.version)

    def _done(self, version):
        if version != self.version:
            return
        self._advance()
        end, _, call, argument = heapq.heappop(self.there)
        self.had = end
        self._plan()
        call(argument)


class Fibre:
    """One direction of a fibre: a burst at a time; `on` is what the director at its end adds, None at an end point."""

    def __init__(self, mb_per_s, propagation_us, on=None):
        self.rate, self.propagation, self.on, self.free = mb_per_s, propagation_us, on or 0.0, 0.0

    def send(self, ready, lag, octets):
        """When the head of a burst is there, whose head is ready now and whose tail comes `lag` later, and its tail."""
        head = ready if ready > self.free else self.free
        tail = max(head + (octets - FILL_BYTES) / self.rate, ready + lag)
        self.free = tail + FILL_BYTES / self.rate
        return head, head + self.propagation + self.on, tail - head
