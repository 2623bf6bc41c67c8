"""The stack frame, and what stands around the loop: parameters come in, results and registers go back."""

from collections import defaultdict

from aesedu.codegen.template import Address
from aesedu.routine.ops import u64, v512


def words_bytes(values):
    """The room of values where a routine's words are, one after the other: 8 bytes each, or as many as a vector has."""
    return sum(max(8, v.type.bits // 8) for v in values if not v.type.is_memory)


class Slots:
    """Places in the stack frame, handed out again once they are free."""

    def __init__(self, stack):
        self.stack, self.size, self.free = stack, 0, defaultdict(list)

    def take(self, what, kind=u64):
        """The address of a free place for a value of a type, aligned to its size."""
        size = max(8, kind.bits // 8)
        if not self.free[size]:
            self.free[size].append(-(-self.size // size) * size)
            self.size = self.free[size][-1] + size
        return Address(self.stack, None, self.free[size].pop(), "frame", str(what))

    def give(self, place, kind=u64):
        """Take back a place."""
        self.free[max(8, kind.bits // 8)].append(place.offset)


class Frame:
    """Writes head and tail of a finished Allocator's loop."""

    def __init__(self, allocator):
        self.allocator, self.target = allocator, allocator.target
        written = {r for i in allocator.code for r in i.writes} | set(allocator.heads.values())
        allocator.slots.free.clear()  # what is free after the loop is in use inside it
        self.kept = {r: allocator.slots.take(r) for r in self.target.kept if r in written}
        self.words = allocator.slots.take("where the words are")
        above = self.target.return_address  # the stack pointer is a multiple of 16 before a call
        self.size = -(-(allocator.slots.size + above) // 16) * 16 - above
        self.lines = []

    def head(self):
        """From the entry to the loop."""
        words, count, *_ = self.target.arguments
        counter = self.allocator.counter
        in_frame = isinstance(counter, Address)
        self._add("enter", n=self.size)
        for register, place in self.kept.items():
            self._add("spill", a=register, to=place)
        self._add("spill", a=words, to=self.words)
        self._add("spill" if in_frame else "copy", a=count, d=counter, to=counter)
        self._parameters(words)
        for parameter, register in self.allocator.heads.items():
            self._add("reload", parameter.type, d=register, m=self.allocator.places[parameter])
        self._add("test in frame" if in_frame else "test", a=counter, m=counter)
        return self._done()

    def tail(self):
        """From the loop to the return."""
        address = self.target.scratch[0]
        for parameter, register in self.allocator.heads.items():
            if parameter in self.allocator.program.becomes:
                self._add("spill", parameter.type, a=register, to=self.allocator.places[parameter])
        self._add("reload", d=address, m=self.words)
        offset = 0
        for result, place in self.allocator.outcomes():
            self._copy(place, Address(address, None, offset), result.type, self.target.scratch[1])
            offset += words_bytes([result])
        for register, place in self.kept.items():
            self._add("reload", d=register, m=place)
        self._add("leave", n=self.size)
        if any(v.type is v512 for i in self.allocator.code for v in i.held.values()):
            self._add("clear")
        self._add("return")
        return self._done()

    def _parameters(self, words):
        """Every parameter into its place in the frame."""
        scratch = self.target.scratch[0]
        registers, offset = list(self.target.arguments[2:]), 0
        stack = self.size + self.target.return_address
        for parameter, place in self.allocator.places.items():
            if not parameter.type.is_memory:
                source, offset = Address(words, None, offset), offset + words_bytes([parameter])
            elif registers:
                self._add("spill", a=registers.pop(0), to=place)
                continue
            else:
                source, stack = Address(self.target.stack, None, stack), stack + 8
            self._copy(source, place, parameter.type, scratch)

    def _copy(self, source, target, kind, scratch):
        """From memory to memory: a word, or 64 bits at a time."""
        for n in range(0, kind.bits // 8, 8):
            self._add("reload", kind if kind.bits < 64 else u64, d=scratch, m=source.beyond(n))
            self._add("spill", a=scratch, to=target.beyond(n))

    def _add(self, row, kind=u64, **bound):
        self.lines += [self.target.render(line, bound) for line in self.target.template(row, kind).lines]

    def _done(self):
        lines, self.lines = self.lines, []
        return tuple(lines)
