"""What both log dialects share: whole records found in a text that mail has quoted and wrapped; the rest is listed."""

import bisect
import re

# A space in a record may be several, or one line break, where mail wrapped the line. A blank line ends a record.
_SPACE = r"(?:[ \t]*\n[ \t]*|[ \t]+)"
_TOTAL = r"(?P<total>\d+) rows, (?P<cycles_kind>core|reference) cycles"
_SIGNS = {"tcrypt": r"^test \d+ \(\d+ bit key", "bench-slope": r"^\w+ (?:enc|dec|auth) \| *[\d.]+ ns/B"}


class LogError(ValueError):
    """A log that is empty, cut short, mixed or contradicts itself; the message names the line where one is known."""

    def __init__(self, message, line=None):
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


def record(pattern):
    """Compile the pattern of one whole record; its spaces match what mail makes of them."""
    return re.compile(f"^(?:{f'{pattern}|{_TOTAL}'.replace(' ', _SPACE)})[ \t]*$", re.MULTILINE)


def head(rows, cycles):
    """Return the line our writers put first: how many rows follow, and which cycles theirs are."""
    if cycles not in ("core", "reference"):
        raise ValueError(f"cycles are 'core' or 'reference', not {cycles!r}")
    return f"{rows} rows, {cycles} cycles\n\n"


class Log:
    """A text without its quoting marks, and which of its lines were understood.

    ``prefix`` is a pattern of what may stand before a record on its line (time stamps).
    """

    def __init__(self, text, dialect, prefix=""):
        strip = re.compile(rf"(?:[ \t]*>)*[ \t]*{prefix}")
        self.dialect = dialect
        self.lines = text.splitlines()
        stripped = [line[strip.match(line).end() :] for line in self.lines]
        self.text = "\n".join(stripped)
        self._starts = [0]
        for line in stripped:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._left = {number for number, line in enumerate(stripped, 1) if line.strip()}
        self.total = self.cycles = None

    def _line(self, offset):
        return bisect.bisect_right(self._starts, offset)

    def records(self, pattern):
        """Yield (line number, match) of each record in turn; the lines it spans count as understood."""
        for match in pattern.finditer(self.text):
            first = self._line(match.start())
            self._left -= set(range(first, self._line(match.end()) + 1))
            if match["total"]:
                self._announce(first, int(match["total"]), f"{match['cycles_kind']} cycles")
            else:
                yield first, match

    def _announce(self, line, rows, cycles):
        if self.cycles not in (None, cycles):
            raise LogError(f"{cycles} in a log of {self.cycles}: read them apart", line)
        self.total, self.cycles = (self.total or 0) + rows, cycles

    def skip(self, line, match):
        """Take a record of something else (another cipher's, say) back out of what was understood."""
        self._left |= set(range(line, line + match[0].count("\n") + 1))

    def finish(self, rows, broken):
        """Return the lines not understood as (number, text); raise LogError where the log cannot be trusted.

        ``broken`` is a pattern of the beginning of a record: a line left over that starts so was cut.
        """
        skipped = [(number, self.lines[number - 1]) for number in sorted(self._left)]
        for number, _ in skipped:
            self._judge(number, re.compile(broken.replace(" ", "[ \t]+")))
        if not rows:
            raise LogError(f"no {self.dialect} figures among {len(self.lines)} lines")
        if self.total not in (None, rows):
            raise LogError(f"{rows} rows where {self.total} were announced: lines are missing")
        return skipped

    def _judge(self, number, broken):
        line = self.text[self._starts[number - 1] : self._starts[number] - 1]
        for dialect, sign in _SIGNS.items():
            if dialect != self.dialect and re.match(sign, line):
                raise LogError(f"{dialect} figures in a {self.dialect} log: read them apart", number)
        if broken.match(line):
            raise LogError(f"incomplete: {line!r}", number)
