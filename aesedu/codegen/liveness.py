"""Which values are needed when. Times are positions in the list of items; the loop's end comes after the last one."""

from bisect import bisect_right
from collections import defaultdict


class Program:
    """Items in a loop, at whose end parameters become results.

    `words` are the results that are no memory, `extra` those of them that no parameter becomes. `uses` lists the times
    at which a value is read; being needed at the loop's end counts as the first use in the next iteration.
    """

    def __init__(self, recording, items):
        self.parameters, self.becomes, self.items = recording.parameters, recording.becomes, items
        self.words = [r for r in recording.results if not r.type.is_memory]
        held = {self.becomes.get(p, p) for p in self.parameters}
        self.extra = [r for r in dict.fromkeys(self.words) if r not in held]
        self.uses = defaultdict(list)
        for time, item in enumerate(items):
            for value in dict.fromkeys(item.reads()):
                self.uses[value].append(time)
        for parameter in self.parameters:
            first = self.uses[parameter][:1]
            if first or parameter in self.becomes:
                self.uses[self.becomes.get(parameter, parameter)].append(len(items) + sum(first))
        for value in self.extra:
            self.uses[value].append(len(items))

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

    def busiest(self, parameters):
        """Those that are read at all, the most used first."""
        return sorted((p for p in parameters if self.uses[p]), key=lambda p: -len(self.uses[p]))
