"""A simulated machine with known truth: a sampler and a clock for the protocol, without native code or real time."""

import hashlib
import math
import random
from dataclasses import dataclass, field
from types import SimpleNamespace

WHERE = {"cpu": "simulated", "date": "2000-01-01"}
CHAIN_CYCLES = 48_000


@dataclass
class Routine:
    """What the simulated machine times: ns for one call at the base frequency, at a placement that costs nothing."""

    label: str
    call_ns: float
    what: dict = field(default_factory=dict)

    def __post_init__(self):
        self.what = {"engine": self.label, **self.what}


@dataclass
class Machine:
    """Takes samples as a noisy virtual machine would; every figure of it is a stated, seeded random law."""

    seed: int = 0
    noise: float = 0.004  # standard deviation of one sample
    spikes: float = 0.05  # probability that a sample is hit by other work
    told: float = 0.3  # probability that the system tells of the hit
    placement: float = 0.03  # a placement costs from nothing to this much, for each routine on its own
    cold: dict = field(default_factory=dict)  # label -> how much slower its first sample at a placement is
    tiring: float = 0.0  # how much slower each sample of a request is than the one before, unseen by the chain
    slowing: float = 0.0  # how much lower the core's frequency is at each sample of a request; the chain sees it
    frequency: float = 0.05  # swing of the core's frequency, seen by the chain
    unsteady: float = 0.05  # probability that the two chains differ
    hz: float = 4e9

    def __post_init__(self):
        self.rng = random.Random(self.seed)
        self.now = self.longest = 0.0  # ns
        self.seen = set()

    def options(self):
        return {"sampler": self.samples, "clock": self.clock, "where": WHERE}

    def clock(self):
        return int(self.now)

    def samples(self, requests):
        self.now += 2_000_000  # a round trip on a busy machine
        return [self.sample(*request, n) for n, request in enumerate(requests)]

    def sample(self, routine, count, placement, n):
        hz = self.hz * (1 + self.frequency / 2 * math.sin(self.now / 3e8)) / (1 + self.slowing * n)
        ns = routine.call_ns * count * self.hz / hz * self.luck(routine.label, placement) * (1 + self.tiring * n)
        ns *= math.exp(self.rng.gauss(0, self.noise)) * self.first(routine.label, placement)
        away = ns * self.rng.uniform(0.05, 2) if self.rng.random() < self.spikes else 0
        ns += away
        before, after = (CHAIN_CYCLES / hz * 1e9 * math.exp(self.rng.gauss(0, 0.001)) for _ in range(2))
        if self.rng.random() < self.unsteady:
            after *= self.rng.uniform(1.02, 2)
        self.now += ns + before + after
        self.longest = max(self.longest, ns)
        chain = {"chain_before_ns": before, "chain_after_ns": after, "chain_cycles": CHAIN_CYCLES}
        return SimpleNamespace(ns=ns, count=count, away_ns=away if self.rng.random() < self.told else 0, **chain)

    def luck(self, label, placement):
        """The factor that a placement costs: half of them nothing, as a loop either crosses a line or does not."""
        digest = hashlib.sha256(f"{self.seed} {label} {placement}".encode()).digest()
        return 1 + self.placement * max(0.0, int.from_bytes(digest[:4], "big") / 2**31 - 1)

    def first(self, label, placement):
        new = (label, placement) not in self.seen
        self.seen.add((label, placement))
        return self.cold.get(label, 1) if new else 1
