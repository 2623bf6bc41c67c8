"""The differential fuzz finds nothing in our modes, and finds each of the mistakes that people make in them."""

from types import SimpleNamespace

import mode_fuzz
import pytest

from aesedu.cipher import aead, blocks, ccm, gcm, gf128, modes, ocb
from aesedu.engines import face

SEED, CASES = "aesedu", 3000


def test_no_difference():
    report = mode_fuzz.Counter()
    number, error = mode_fuzz.run(SEED, CASES, report=report)
    assert error is None, f"{error}\n{mode_fuzz.replay_line(SEED, number)}"
    print(", ".join(f"{name} {count}" for name, count in report.items()))
    assert min(report[name] for name in (*mode_fuzz.MODES, "cryptography", "pycryptodome", "definition")) > 100


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
