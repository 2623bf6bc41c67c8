"""What stands around the loop: parameters into their places, results to the caller, registers as they were found."""

from aesedu.codegen.template import Address
from aesedu.routine.ops import KINDS, u64


class Frame:
    """Writes head and tail of a finished Allocator's loop."""

    def __init__(self, allocator):
        self.allocator, self.target = allocator, allocator.target
        written = {r for i in allocator.code for r in i.writes} | set(allocator.heads.values())
        allocator.frame.free.clear()  # what is free after the loop is in use inside it
        self.kept = {r: allocator.frame.take(r) for r in self.target.kept if r in written}
        self.words = allocator.frame.take("where the words are")
        self.size = -(-allocator.frame.size // 16) * 16
        self.lines = []

    def head(self):
        """From the entry to the loop."""
        words, count, *_ = self.target.arguments
        self._add("enter", n=self.size)
        for register, place in self.kept.items():
            self._add("spill", a=register, to=place)
        self._add("spill", a=words, to=self.words)
        if isinstance(self.allocator.counter, Address):
            self._add("spill", a=count, to=self.allocator.counter)
        else:
            self._add("copy", a=count, d=self.allocator.counter)
        self._parameters(words)
        for parameter, register in self.allocator.heads.items():
            self._add("reload", parameter.type, d=register, m=self.allocator.places[parameter])
        self._skip()
        return self._done()

    def tail(self):
        """From the loop to the return."""
        address, word = self.target.scratch
        for parameter, register in self.allocator.heads.items():
            if parameter in self.allocator.program.becomes:
                self._add("spill", parameter.type, a=register, to=self.allocator.places[parameter])
        self._add("reload", d=address, m=self.words)
        for number, (result, place) in enumerate(self.allocator.outcomes()):
            self._add("reload", result.type, d=word, m=place)
            self._add("spill", a=word, to=Address(address, None, 8 * number))
        for register, place in self.kept.items():
            self._add("reload", d=register, m=place)
        self._add("leave", n=self.size)
        self._add("return")
        return self._done()

    def _parameters(self, words):
        """Every parameter into its place in the frame."""
        scratch = self.target.scratch[0]
        memories, number = list(self.target.arguments[2:]), 0
        stack = self.size + self.target.return_address
        for parameter, place in self.allocator.places.items():
            if parameter.type not in KINDS["m"]:
                source, number = Address(words, None, 8 * number), number + 1
            elif memories:
                self._add("spill", a=memories.pop(0), to=place)
                continue
            else:
                source, stack = Address(self.target.stack, None, stack), stack + 8
            self._add("reload", d=scratch, m=source)
            self._add("spill", a=scratch, to=place)

    def _skip(self):
        """Nothing to do if the count is 0."""
        counter = self.allocator.counter
        if isinstance(counter, Address):
            self._add("test in frame", m=counter)
        else:
            self._add("test", a=counter)

    def _add(self, row, kind=u64, **bound):
        self.lines += [self.target.render(line, bound) for line in self.target.template(row, kind).lines]

    def _done(self):
        lines, self.lines = self.lines, []
        return tuple(lines)
