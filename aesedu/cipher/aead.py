"""Authenticated encryption with associated data (RFC 5116): what GCM, CCM and OCB have in common.

One object serves one message: first the associated data, then the message, each in pieces of any size, then
``finalize``. ``seal`` and ``open`` do it all at once.
"""

import hmac

from aesedu.cipher.blocks import as_bytes


class InvalidTag(ValueError):  # noqa: N818 - the name that cryptography gave it
    """The tag does not belong to this ciphertext, associated data, nonce and key."""

    def __init__(self, mode):
        super().__init__(f"{mode}: the tag is not that of this message, associated data, nonce and key")


class AEAD:
    """One message under authenticated encryption; GCM, CCM and OCB fill in the steps.

    These are check_lengths(aad_bytes, data_bytes), which raises ValueError where so much is against a rule of the mode,
    _aad(piece), _aad_end(), _crypt(piece), which returns what is ready, and _finish(), which returns the last bytes and
    the whole tag.

    ``direction`` is "enc" or "dec". **A decrypting object's update() gives out plaintext before the tag has been
    checked**; do nothing with it until finalize(tag) has returned. ``open`` keeps everything back until then.
    """

    name = ""
    tag_lengths = ()  # bytes
    tag_rule = ""

    def __init__(self, tag_length, direction):
        if tag_length not in self.tag_lengths or not hasattr(tag_length, "__index__"):  # 16.0 is no length
            raise ValueError(f"{self.name}: a tag has {self.tag_rule}, not {tag_length}")
        if direction not in ("enc", "dec"):
            raise ValueError(f"direction is 'enc' or 'dec', not {direction!r}")
        self.tag_length, self.direction = int(tag_length), direction
        self.aad_bytes = self.data_bytes = 0
        self._phase, self._tag = "aad", None

    def update_aad(self, aad):
        """Take in the next piece of associated data; raises ValueError once the message has begun."""
        if self._phase != "aad":
            raise ValueError(f"{self.name}: associated data comes before the message")
        self.check_lengths(self.aad_bytes + _size(aad), self.data_bytes)
        self._aad(as_bytes(aad))
        self.aad_bytes += _size(aad)

    def update(self, data):
        """Encrypt or decrypt the next piece and return what is ready: in GCM and CCM all of it, in OCB whole blocks."""
        self._begin_message()
        self.check_lengths(self.aad_bytes, self.data_bytes + _size(data))
        out = self._crypt(as_bytes(data))
        self.data_bytes += _size(data)
        return out

    def update_into(self, data, out):
        """Write what update(data) returns to the start of the buffer ``out`` and return its length in bytes.

        ``out`` may be ``data`` itself or overlap it. Raises ValueError, and takes nothing in, where it is too short.
        """
        check_room(out, self._ready(_size(data)))
        return write_into(out, self.update(data))

    def finalize(self, tag=None):
        """End the message and return its last bytes (only OCB has any).

        After encryption the tag is in ``tag``; decryption takes it as argument and raises InvalidTag if it is wrong.
        """
        if (tag is None) != (self.direction == "enc"):
            raise ValueError(f"{self.name}: finalize() takes the tag in decryption, and only there")
        if tag is not None and _size(tag) != self.tag_length:
            raise ValueError(f"{self.name}: a tag of {self.tag_length} bytes was announced, {_size(tag)} bytes came")
        self._begin_message()
        self._phase = "done"
        last, computed = self._finish()
        computed = computed[: self.tag_length]
        if tag is None:
            self._tag = computed
        elif not hmac.compare_digest(computed, as_bytes(tag)):
            raise InvalidTag(self.name)
        return last

    @property
    def tag(self):
        """The tag of an encrypted message; raises ValueError before finalize()."""
        if self._tag is None:
            raise ValueError(f"{self.name}: the tag exists after finalize() of an encryption")
        return self._tag

    def seal(self, data, aad=b""):
        """Encrypt one whole message: return (ciphertext, tag)."""
        self.update_aad(aad)
        return self.update(data) + self.finalize(), self.tag

    def open(self, data, aad, tag):
        """Decrypt one whole message: return the plaintext, or raise InvalidTag and release none of it."""
        self.update_aad(aad)
        return self.update(data) + self.finalize(tag)

    def _begin_message(self):
        if self._phase == "done":
            raise ValueError(f"{self.name}: this message has ended; a new one needs a new object and a new nonce")
        if self._phase == "aad":
            self._aad_end()
            self._phase = "message"

    def _ready(self, size):
        """How many bytes update() returns for a piece of ``size``."""
        return size


def check_room(out, size):
    """Raise ValueError unless the buffer ``out`` has ``size`` bytes or more."""
    if _size(out) < size:
        raise ValueError(f"the result has {size} bytes, the buffer only {_size(out)}")


def write_into(out, result):
    """Write ``result`` to the start of the contiguous buffer ``out``; return its length in bytes."""
    memoryview(out).cast("B")[: len(result)] = result
    return len(result)


def _size(data):
    return memoryview(data).nbytes
