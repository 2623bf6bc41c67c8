"""Which values are needed when. Times are positions in the list of items; the loop's end comes after the last one."""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from aesedu.routine import ops
from aesedu.routine.ops import KINDS


@dataclass(eq=False)
class Program:
    """Items in a loop: at its end `carried` parameters become the results they map to, the others stay.

    `words` pairs the results that are no memory with their parameters, or None; the latter are `extra`. `uses` lists the times at which a value is read; being needed at
    the loop's end counts as the first use in the next iteration, one round later.
    """

    name: str
    parameters: tuple
    results: tuple
    items: list
    carried: dict = field(init=False)
    words: list = field(init=False)
    extra: list = field(init=False)
    uses: dict = field(init=False)

    def __post_init__(self):
        memories, self.words = _carry(self)
        self.carried = {p: r for p, r in [*memories, *self.words] if p and p is not r}
        self.extra = [r for p, r in self.words if not p]
        self.uses = defaultdict(list)
        for time, item in enumerate(self.items):
            for value in dict.fromkeys(item.reads()):
                self.uses[value].append(time)
        end = len(self.items)
        for parameter in self.parameters:
            first = self.uses[parameter][:1]
            if first or parameter in self.carried:
                self.uses[self.carried.get(parameter, parameter)].append(end + sum(first))
        for value in self.extra:
            self.uses[value].append(end)

    def next_use(self, value, now):
        """When a value is read next after `now`, or None if it is dead."""
        uses = self.uses[value]
        i = bisect_right(uses, now)
        return uses[i] if i < len(uses) else None

    def live(self):
        """For every time, the values that are needed later: what would be in registers if there were enough."""
        now, living = [], [p for p in self.parameters if self.uses[p]]
        for time, item in enumerate(self.items):
            made = [item.step] if item.step.type else []
            living = [v for v in living + made if self.uses[v][-1] > time]
            now.append(tuple(living))
        return now


def _carry(program):
    """Memory goes back to the parameter it came from; words go to the words among the parameters, in order."""
    waiting = [p for p in program.parameters if p.type not in KINDS["m"]]
    memories, words = [], []
    for result in program.results:
        if result.type in KINDS["m"]:
            memories.append((_origin(result), result))
        else:
            fits = waiting and waiting[0].type is result.type
            words.append((waiting.pop(0) if fits else None, result))
    return memories, words


def _origin(memory):
    while memory.op is ops.advance:
        memory = memory.operands[0]
    return memory
