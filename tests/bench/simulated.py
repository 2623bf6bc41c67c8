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
    """What the simulated machine times: ns for one call at the base frequency."""

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
    spikes: float = 0.03  # probability that a sample is hit by the scheduler
    placement: float = 0.03  # a placement costs from nothing to this much, for each routine on its own
    cold: float = 1.5  # how much slower the first sample at a placement is
    drift: float = 0.0  # change of the routine's speed over one second, unseen by the chain
    frequency: float = 0.05  # swing of the core's frequency, seen by the chain
    unsteady: float = 0.02  # probability that the two chains differ
    hz: float = 4e9

    def __post_init__(self):
        self.rng = random.Random(self.seed)
        self.now = 0.0  # ns
        self.seen = set()

    def clock(self):
        return int(self.now)

    def placed(self, label, placement):
        """The factor that a placement costs: half of them nothing, as a loop either crosses a line or not."""
        digest = hashlib.sha256(f"{self.seed} {label} {placement}".encode()).digest()
        luck = int.from_bytes(digest[:4], "big") / 2**32
        return 1 + self.placement * max(0.0, 2 * luck - 1)

    def samples(self, requests):
        self.now += 60_000  # a round trip
        return [self.sample(*request) for request in requests]

    def sample(self, routine, count, placement):
        hz = self.hz * (1 + self.frequency / 2 * math.sin(self.now / 3e8))
        ns = routine.call_ns * count * self.hz / hz * self.placed(routine.label, placement)
        ns *= (1 + self.drift * self.now / 1e9) * math.exp(self.rng.gauss(0, self.noise))
        if (routine.label, placement) not in self.seen:
            self.seen.add((routine.label, placement))
            ns *= self.cold
        if self.rng.random() < self.spikes:
            ns *= self.rng.uniform(1.05, 3)
        chains = [CHAIN_CYCLES / hz * 1e9 * math.exp(self.rng.gauss(0, 0.001)) for _ in range(2)]
        if self.rng.random() < self.unsteady:
            chains[1] *= self.rng.uniform(1.02, 2)
        self.now += ns + sum(chains)
        return SimpleNamespace(
            ns=ns, count=count, chain_before_ns=chains[0], chain_after_ns=chains[1], chain_cycles=CHAIN_CYCLES
        )

    def options(self):
        return {"sampler": self.samples, "clock": self.clock, "where": WHERE}
