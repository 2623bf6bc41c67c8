"""What both log dialects share: whole records found in a text that mail has quoted and wrapped; the rest is listed."""

import bisect
import re

# A space in a record may be several, or one line break, where mail wrapped the line. A blank line ends a record.
_SPACE = r"(?:[ \t]*\n[ \t]*|[ \t]+)"
_TOTAL = r"(?P<total>\d{1,15}) rows, (?P<cycles_kind>core|reference) cycles"
_SIGNS = {"tcrypt": r"^test \d+ \(\d+ bit key", "bench-slope": r"^\w+ (?:enc|dec|auth) \| *[\d.]+ ns/B"}


class LogError(ValueError):
    """A log that is empty, cut short, mixed or contradicts itself; the message names the line where one is known."""

    def __init__(self, message, line=None):
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


def record(pattern):
    """Compile the pattern of one whole record; its spaces match what mail makes of them."""
    return re.compile(f"^(?:{f'{pattern}|{_TOTAL}'.replace(' ', _SPACE)})[ \t]*$", re.MULTILINE | re.ASCII)


def head(rows, cycles):
    """Return the line our writers put first: how many rows follow, and which cycles theirs are."""
    if cycles not in ("core", "reference"):
        raise ValueError(f"cycles are 'core' or 'reference', not {cycles!r}")
    return f"{rows} rows, {cycles} cycles\n\n"


class Log:
    """A text without its quoting marks: ``records``, a list of (line number, match), and the lines they leave over.

    ``pattern`` is that of a record (see ``record``), ``broken`` of the beginning of one: a line left over that starts
    so was cut. ``prefix`` is what may stand before a record on its line (time stamps). Raises LogError for a line that
    was cut and for one of the other dialect, TypeError for what is no text.
    """

    def __init__(self, text, dialect, pattern, broken, prefix=""):
        if not isinstance(text, str):
            raise TypeError(f"a log is its text, a str, not {type(text).__name__}")
        strip = re.compile(rf"(?:[ \t]*>)*[ \t]*{prefix}")
        self.dialect, self.lines = dialect, text.removeprefix("\ufeff").splitlines()  # Windows' editors begin so
        self._stripped = [line[strip.match(line).end() :] for line in self.lines]
        self._left = {number for number, line in enumerate(self._stripped, 1) if line.strip()}
        self.total = self.cycles = None
        self.records = list(self._find(pattern))
        for number in sorted(self._left):
            self._judge(number, re.compile(broken.replace(" ", "[ \t]+")))

    def _find(self, pattern):
        starts = [0]
        for line in self._stripped:
            starts.append(starts[-1] + len(line) + 1)
        for match in pattern.finditer("\n".join(self._stripped)):
            first, last = (bisect.bisect_right(starts, offset) for offset in match.span())
            self._left -= set(range(first, last + 1))
            if match["total"]:
                self._announce(first, int(match["total"]), f"{match['cycles_kind']} cycles")
            else:
                yield first, match

    def _announce(self, line, rows, cycles):
        if self.cycles not in (None, cycles):
            raise LogError(f"{cycles} in a log of {self.cycles}: read them apart", line)
        self.total, self.cycles = (self.total or 0) + rows, cycles

    def _judge(self, number, broken):
        line = self._stripped[number - 1]
        for dialect, sign in _SIGNS.items():
            if dialect != self.dialect and re.match(sign, line):
                raise LogError(f"{dialect} figures in a {self.dialect} log: read them apart", number)
        if broken.match(line):
            raise LogError(f"incomplete: {line!r}", number)

    def skip(self, line, match):
        """Put a record of something else (another cipher's, say) among the lines left over."""
        self._left |= set(range(line, line + match[0].count("\n") + 1))

    def finish(self, rows):
        """Return the lines left over as (number, text). Raises LogError where there are no rows, or too few."""
        if not rows:
            raise LogError(f"no {self.dialect} figures among {len(self.lines)} lines")
        if self.total not in (None, rows):
            raise LogError(f"{rows} rows where {self.total} were announced: lines are missing")
        return [(number, self.lines[number - 1]) for number in sorted(self._left)]
