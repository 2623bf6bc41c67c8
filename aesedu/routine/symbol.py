"""Symbols: what a routine computes with while it is recorded. Their operators write down what they are asked to do."""

from aesedu.routine import ops

_NO_BRANCH = "a routine does the same steps for every input: it cannot branch on a word or compare it. Use masks"
_NO_NUMBER = "a word has no number yet while the routine is recorded. To look something up, make it a `table` parameter"
_NO_WALK = "this cannot be walked through or unpacked. Index it: [te[i] for i in range(4)]"


class Symbol:
    """Stands for a word."""

    def __init__(self, recorder, value):
        self.recorder, self.value = recorder, value

    def __repr__(self):
        return f"{self.value} ({self.value.type})"

    __hash__ = object.__hash__  # `==` is refused below, so sets and dictionaries go by identity

    def __invert__(self):
        return ops.invert(self)

    def __neg__(self):
        return ops.sub(0, self)

    def __getitem__(self, key):
        self.recorder.fail(f"{self} is a word and has no elements: only `table` and `memory` parameters have")

    __setitem__ = __getitem__


class Memory(Symbol):
    """Stands for a `table` or `memory` parameter, from word `offset` on."""

    def __init__(self, recorder, value, offset=0):
        super().__init__(recorder, value)
        self.offset = offset

    def __getitem__(self, key):
        if isinstance(key, slice):
            if key.step is not None or isinstance(key.stop, Symbol):
                self.recorder.fail(f"a slice of {self} has plain numbers and no step")
            return Memory(self.recorder, self.value, self.offset + self._number(key.start or 0))
        return ops.load32(self, key if isinstance(key, Symbol) else self._number(key), 0)

    def __setitem__(self, key, value):
        ops.store32(self, self._number(key), value)

    def _number(self, key):
        if not isinstance(key, int) or key < 0:
            self.recorder.fail(f"{self} cannot be indexed by {key!r} here: words are counted from 0 by plain numbers")
        return key


def _operator(row, swapped):
    return lambda self, other: row(other, self) if swapped else row(self, other)


def _refusal(message):
    return lambda self, *_: self.recorder.fail(message)


_OPERATORS = {name: ops.OPS[name] for name in ("xor", "and", "or", "add", "sub", "mul")}
for _name, _row in (_OPERATORS | {"lshift": ops.shl, "rshift": ops.shr}).items():
    setattr(Symbol, f"__{_name}__", _operator(_row, False))
    setattr(Symbol, f"__r{_name}__", _operator(_row, True))
_REFUSED = {_NO_BRANCH: "bool eq ne lt le gt ge", _NO_NUMBER: "index int float", _NO_WALK: "iter len contains"}
for _message, _names in _REFUSED.items():
    for _name in _names.split():
        setattr(Symbol, f"__{_name}__", _refusal(_message))
