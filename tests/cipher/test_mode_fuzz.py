"""The differential fuzz finds nothing in our modes, and finds each of the mistakes that people make in them."""

import types
from pathlib import Path
from types import SimpleNamespace

import mode_fuzz
import pytest

from aesedu.cipher import aead, blocks, ccm, gcm, gf128, modes, ocb
from aesedu.engines import base, engine, face, whole_modes

SEED, CASES = "aesedu", 3000  # cases within which each planted fault is found


def test_no_difference():
    report = mode_fuzz.Counter()
    number, error = mode_fuzz.run(SEED, CASES // 3, report=report)  # the long form: mode_fuzz.py --cases 100000
    assert error is None, f"{error}\n{mode_fuzz.replay_line(SEED, number)}"
    print(", ".join(f"{name} {count}" for name, count in report.items()))
    assert min(report[name] for name in (*mode_fuzz.MODES, "cryptography", "pycryptodome", "definition")) > 30


def test_a_case_depends_on_seed_and_number_only():
    assert mode_fuzz.make(SEED, 17) == mode_fuzz.make(SEED, 17)
    assert mode_fuzz.make(SEED, 17) != mode_fuzz.make("another", 17)


FAULTS = {}  # function: the modes it spoils


def fault(*spoilt):
    def register(plant):
        FAULTS[plant] = spoilt
        return plant

    return register


@fault("GCM")
def counter_carries_into_128_bits(patch):
    patch.setattr(gcm, "ctr", lambda cipher, icb, data, width, offset=0: modes.ctr(cipher, icb, data, 128, offset))


@fault("GCM")
def any_iv_cut_to_96_bits(patch):
    patch.setattr(gcm, "pre_counter_block", lambda h, iv: iv[:12].ljust(12, b"\0") + b"\0\0\0\1")


@fault("GCM")
def iv_padded_without_its_length(patch):
    def pre_counter_block(h, iv):
        return iv + b"\0\0\0\1" if len(iv) == 12 else gcm.ghash(h, iv + bytes(-len(iv) % 16))

    patch.setattr(gcm, "pre_counter_block", pre_counter_block)


@fault("GMAC")
def lengths_in_bytes(patch):
    patch.setattr(gcm, "lengths_block", lambda a, b: a.to_bytes(8, "big") + b.to_bytes(8, "big"))


@fault("GCM")
def plaintext_hashed(patch):
    def crypt(self, data):
        out = modes.ctr(self._cipher, self._icb, data, width=32, offset=self.data_bytes)
        self._ghash.update(data if self.direction == "enc" else out)
        return out

    patch.setattr(gcm.GCM, "_crypt", crypt)


@fault("GHASH")
def bits_not_reflected(patch):
    patch.setattr(gf128, "GHASH", gf128.OCB)


@fault("CCM")
def long_aad_prefix_starts_at_2_to_the_16(patch):
    original = ccm.encoded_aad_length
    patch.setattr(ccm, "encoded_aad_length", lambda n: n.to_bytes(2, "big") if 0 < n < 1 << 16 else original(n))


@fault("CCM")
def flags_without_the_tag_length(patch):
    original = ccm.first_block
    patch.setattr(ccm, "first_block", lambda nonce, length, aad, tag: original(nonce, length, aad, 16))


@fault("XTS")
def stealing_in_the_order_of_encryption(patch):
    def xts_decrypt(cipher, tweak_cipher, tweak, data):
        return modes._xts(cipher.decrypt_blocks, data, modes.xts_tweaks(tweak_cipher, tweak, -(-len(data) // 16)))

    patch.setattr(modes, "xts_decrypt", xts_decrypt)


@fault("XTS")
def tweak_doubled_big_endian(patch):
    patch.setattr(gf128, "XTS", gf128.OCB)


@fault("OCB")
def doubling_forgets_the_polynomial(patch):
    patch.setattr(gf128, "double", lambda a: a << 1 & (1 << 128) - 1)


@fault("LRW")
def index_little_endian(patch):
    original = modes.lrw_tweaks
    patch.setattr(modes, "lrw_tweaks", lambda key, index, count: original(key, index[::-1], count))


@fault("CTR")
def counter_of_64_bits(patch):
    original = modes.counter_blocks
    patch.setattr(modes, "counter_blocks", lambda counter, first, count, width: original(counter, first, count, 64))


@fault("OCB")
def tag_length_left_out_of_the_nonce(patch):
    original = ocb.first_offset
    patch.setattr(ocb, "first_offset", lambda cipher, nonce, tag_length: original(cipher, nonce, 16))


@fault("OCB")
def short_block_padded_with_zeros_only(patch):
    patch.setattr(ocb, "pad", lambda part: part.ljust(16, b"\0"))


@fault("CFB128")
def feedback_of_the_plaintext(patch):
    patch.setattr(modes, "cfb128_decrypt", modes.cfb128_encrypt)


@fault("CBC")
def in_place_the_next_block_reads_what_was_overwritten(patch):
    def decrypt_into(mode, key, data, out, iv, aad, tag, engine):
        for i in range(0, len(data), 16):
            block = data[i : i + 16]
            out[i : i + 16] = blocks.xor(face.decrypt("ECB", key, block, engine=engine), bytes(iv))
            iv = block  # a view, not a copy
        return len(data)

    patch.setattr(face, "decrypt_into", decrypt_into)


@fault("ECB")
def one_byte_too_many_written(patch):
    def write_into(out, result):
        memoryview(out)[: len(result) + 1] = result + b"\0"
        return len(result)

    patch.setattr(face, "write_into", write_into)


@fault("CCM")
def piece_ends_lose_bytes(patch):
    original = blocks.Pieces.take

    def take(self, piece):
        if len(piece) == 1:
            self.rest = b""
        return original(self, piece)

    patch.setattr(blocks.Pieces, "take", take)


@fault("OCB")
def four_bytes_of_the_tag_compared(patch):
    patch.setattr(aead, "hmac", SimpleNamespace(compare_digest=lambda a, b: a[:4] == b[:4]))


@fault("GCM")
def tag_unchecked_on_one_path(patch):
    """Source 003's: only for a long message that comes in pieces."""
    original = aead.AEAD.finalize

    def finalize(self, tag=None):
        try:
            return original(self, tag)
        except aead.InvalidTag:
            if self.data_bytes > 4096 and self.updates > 1:
                return b""
            raise

    def update(self, data):
        self.updates = getattr(self, "updates", 0) + 1
        return plain_update(self, data)

    plain_update = aead.AEAD.update
    patch.setattr(aead.AEAD, "update", update)
    patch.setattr(aead.AEAD, "finalize", finalize)


@fault("GCM")
def plaintext_released_before_the_check(patch):
    original = face.decrypt_into

    def decrypt_into(mode, key, data, out, iv, aad, tag, engine):
        ciphertext = bytes(data)
        aead.write_into(out, face.encrypt(mode, key, ciphertext, iv, aad, engine=engine)[0])
        return original(mode, key, ciphertext, out, iv, aad, tag, engine)

    patch.setattr(face, "decrypt_into", decrypt_into)


@fault("GMAC")
def associated_data_ignored_without_a_message(patch):
    original = gcm.GCM._finish

    def finish(self):
        if not self.data_bytes:
            self._ghash.value = bytes(16)
        return original(self)

    patch.setattr(gcm.GCM, "_finish", finish)


@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_planted_fault_is_found(plant, monkeypatch):
    plant(monkeypatch)
    number, error = mode_fuzz.run(SEED, CASES, FAULTS[plant])
    assert isinstance(error, (mode_fuzz.Difference, aead.InvalidTag)), error
    print(f"{plant.__name__}: {error.__class__.__name__} in case {number}")
    print(mode_fuzz.replay_line(SEED, number, FAULTS[plant]))


# The same for the compiled modes of native engines: what is written wrongly, in which mode it must show

IN_LOOPS = {  # the first three always, all in the long form: each is compiled
    "GCM's counter carries into 64 bits": ("GCM", "low & ~0xFFFFFFFF | low + step & 0xFFFFFFFF", "low + step"),
    "stealing in the order of encryption": (
        "XTS",
        "if m.backward:\n        a, b, c, d",
        "if False:\n        a, b, c, d",
    ),
    "the n-way form leaves the rest out": ("CTR", "if done < count", "if done < 0"),
    "CTR's counter has 64 bits": ("CTR", "swapped(high + carry)", "block[0]"),
    "LRW's counter has 64 bits": ("LRW", "swapped(high + carry)", "block[0]"),
    "XTS doubles without the polynomial": ("XTS", "a << 1 ^ 0x87 & -(b >> 63 & 1)", "a << 1"),
    "a short ciphertext is hashed with its mask": ("GCM", "end_masked(m.target, m.size)", "pass"),
    "a short plaintext is chained with its mask": ("CCM", "end_masked(m.target, m.size)", "pass"),
    "decryption hashes the plaintext": ("GCM", "m.source if m.backward else m.target", "m.target"),
    "OCB sums the ciphertext": ("OCB", "plain = m.target if m.backward else m.source", "plain = m.source"),
    "OCB's short block is padded with zeros": ("OCB", "c ^= 0x80", "c ^= 0"),
    "CFB feeds back the plaintext": ("CFB128", "m.target, max(i - 2, 0)", "m.source, max(i - 2, 0)"),
}


@pytest.fixture
def in_process(monkeypatch):
    """Native engines work in this process, where faults can be planted."""
    if not engine(mode_fuzz.NATIVE).available:
        pytest.skip(engine(mode_fuzz.NATIVE).reason)

    def message(self, mode, direction, key, data, iv, aad=b"", tag_length=16, tag=None):
        arguments = bytes(data), bytes(iv), bytes(aad), tag_length, tag
        return tuple(whole_modes.crypt(self.module, self.options, mode, direction, key, *arguments))

    monkeypatch.setattr(base.Engine, "message", message)
    monkeypatch.setattr(mode_fuzz, "ENGINES", {mode_fuzz.NATIVE: 1, "ttable-woven": 1})


def written_otherwise(right, wrong):
    """The loops with a piece of their text replaced, compiled anew."""
    text = Path(whole_modes.loops.__file__).read_text(encoding="utf-8")
    assert right in text
    mutant = types.ModuleType("mutant")
    exec(text.replace(right, wrong), vars(mutant))
    return mutant


@pytest.mark.slow
def test_no_difference_in_compiled_modes(in_process):
    number, error = mode_fuzz.run(SEED, CASES)
    assert error is None, f"{error}\n{mode_fuzz.replay_line(SEED, number)} --engine {mode_fuzz.NATIVE}"


@pytest.mark.parametrize("what", [*IN_LOOPS][:3] + [pytest.param(w, marks=pytest.mark.slow) for w in [*IN_LOOPS][3:]])
def test_planted_fault_in_the_loops_is_found(what, in_process, monkeypatch):
    mode, right, wrong = IN_LOOPS[what]
    monkeypatch.setattr(whole_modes, "loops", written_otherwise(right, wrong))
    number, error = mode_fuzz.run(SEED, CASES, (mode,))
    assert isinstance(error, (mode_fuzz.Difference, aead.InvalidTag)), error
    print(f"{what}: {error.__class__.__name__} in case {number}")


def test_a_tag_that_is_not_compared_is_found(in_process, monkeypatch):
    monkeypatch.setattr(whole_modes, "hmac", SimpleNamespace(compare_digest=lambda a, b: True))
    assert isinstance(mode_fuzz.run(SEED, CASES, ("GCM",))[1], mode_fuzz.Difference)
