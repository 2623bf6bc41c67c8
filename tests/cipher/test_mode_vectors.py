"""Published test vectors of every mode, in both directions; `pytest -rP` prints how many of each.

The numbers below are those of cryptography-vectors 50; a later release may have more, never fewer.
"""

import csv
import sys
from pathlib import Path

import cryptography_vectors
import pytest

from aesedu import data, engines
from aesedu.cipher.aead import InvalidTag
from aesedu.engines import whole_modes
from aesedu.engines.face import decrypt, encrypt

AES = Path(cryptography_vectors.__path__[0]) / "ciphers" / "AES"
ENGINE = "openssl"  # the modes are on trial here, not the engines, and there are 60,000 messages
NATIVE = ("ttable-split-k64", "aes-x8", "gcm-sequential-4", "gcm-lagged-4", "gcm-woven-8", "gcm-vaes-16")


@pytest.fixture(autouse=True, params=[ENGINE, *(pytest.param(name, marks=pytest.mark.slow) for name in NATIVE)])
def chosen(request, monkeypatch):
    """The readable modes; as the long form (minutes an engine) native engines' own, in this process."""
    if request.param != ENGINE and not engines.engine(request.param).available:
        pytest.skip(engines.engine(request.param).reason)
    monkeypatch.setattr(sys.modules[__name__], "ENGINE", request.param)
    monkeypatch.setattr(engines.Engine, "message", in_process)


def in_process(engine, mode, direction, key, data, iv, aad=b"", tag_length=16, tag=None):
    message = bytes(data), bytes(iv), bytes(aad), tag_length, tag
    return tuple(whole_modes.crypt(engine.module, engine.options, mode, direction, key, *message))


def vectors(folder, pattern="*"):
    """Yield every case of the .rsp and .txt files as a dict of strings; names in lower case, a section's included."""
    for path in sorted(path for path in (AES / folder).rglob(pattern) if path.is_file()):
        yield from _cases(path.read_text(encoding="utf-8").splitlines())


def _cases(lines):
    section, case = {}, None
    for line in lines:
        name, _, value = (part.strip() for part in line.partition("="))
        name = name.lower()
        if line.startswith("[") or name == "count":
            if case:
                yield case
            case = dict(section) if name == "count" else None
        if line.startswith("["):
            section.update(_heading(line.strip("[] ")))
        elif value or "=" in line:
            (section if case is None else case)[name] = value
        elif name == "fail":
            case["fail"] = True
    if case:
        yield case


def _heading(text):
    if "=" not in text:
        return {"section": text}
    return {name.strip().lower(): value.strip() for name, value in (part.split("=") for part in text.split(","))}


def of(case, *names):
    return [bytes.fromhex(case[name]) for name in names]


def agree(mode, key, plaintext, ciphertext, iv=b"", aad=b"", tag=b""):
    """Check one vector in both directions."""
    assert encrypt(mode, key, plaintext, iv, aad, len(tag) or 16, ENGINE) == (ciphertext, tag)
    assert decrypt(mode, key, ciphertext, iv, aad, tag, ENGINE) == plaintext


def refused(mode, key, ciphertext, iv, aad, tag):
    with pytest.raises(InvalidTag):
        decrypt(mode, key, ciphertext, iv, aad, tag, ENGINE)


def counted(mode, count, least):
    print(f"{mode}: {count} vectors")
    assert count >= least


@pytest.mark.parametrize(
    ("mode", "pattern", "least"),
    [("ECB", "*", 2138), ("CBC", "*", 2138), ("CFB128", "CFB128*", 2138), ("OFB", "*", 2138), ("CTR", "*", 9)],
)
def test_sp_800_38a(mode, pattern, least):
    """NIST's known answers and multi-block messages; for CTR those of RFC 3686."""
    count = 0
    for case in vectors(mode.removesuffix("128"), pattern):
        key, plaintext, ciphertext = of(case, "key", "plaintext", "ciphertext")
        agree(mode, key, plaintext, ciphertext, bytes.fromhex(case.get("iv", "")))
        count += 1
    counted(mode, count, least)


def test_xts():
    """NIST's; those whose length is no whole number of bytes are counted, not run: our messages are bytes."""
    count = in_bits = 0
    for case in vectors("XTS"):
        key, plaintext, ciphertext = of(case, "key", "pt", "ct")
        tweak = bytes.fromhex(case["i"]) if "i" in case else int(case["dataunitseqnumber"]).to_bytes(16, "little")
        if int(case["dataunitlen"]) % 8:
            in_bits += 1
        else:
            agree("XTS", key, plaintext, ciphertext, tweak)
            count += 1
    print(f"XTS: {in_bits} more have a length that is no multiple of 8 bits")
    counted("XTS", count, 1600)


def test_gcm_encryption():
    """NIST's, with IVs of 8, 96 and 1024 bits and all tag lengths; those without a message are GMAC's too."""
    count = 0
    for case in vectors("GCM", "gcmEncrypt*"):
        key, iv, aad, plaintext, ciphertext, tag = of(case, "key", "iv", "aad", "pt", "ct", "tag")
        assert encrypt("GCM", key, plaintext, iv, aad, len(tag), ENGINE) == (ciphertext, tag)
        if not plaintext:
            assert encrypt("GMAC", key, b"", iv, aad, len(tag), ENGINE) == (b"", tag)
        count += 1
    counted("GCM encryption", count, 23625)


def test_gcm_decryption():
    """NIST's, half of them forged."""
    count = forged = 0
    for case in vectors("GCM", "gcmDecrypt*"):
        key, iv, aad, ciphertext, tag = of(case, "key", "iv", "aad", "ct", "tag")
        mode = "GCM" if ciphertext else "GMAC"
        if "fail" in case:
            refused(mode, key, ciphertext, iv, aad, tag)
            forged += 1
        else:
            assert decrypt(mode, key, ciphertext, iv, aad, tag, ENGINE) == bytes.fromhex(case["pt"])
        count += 1
    counted(f"GCM decryption, {forged} of them forged", count, 23625)


def test_ccm():
    """NIST's, with every nonce and tag length, associated data up to 65,536 bytes, and forgeries."""
    count = forged = 0
    for case in vectors("CCM", "*.rsp"):
        key, nonce, aad, sealed = of(case, "key", "nonce", "adata", "ct")
        plen, tlen, aad = int(case["plen"]), int(case["tlen"]), aad[: int(case["alen"])]  # "00" stands for nothing
        ciphertext, tag = sealed[:plen], sealed[plen:]
        assert len(tag) == tlen
        if case.get("result") == "Fail":
            refused("CCM", key, ciphertext, nonce, aad, tag)
            forged += 1
        else:
            agree("CCM", key, bytes.fromhex(case["payload"])[:plen], ciphertext, nonce, aad, tag)
        count += 1
    counted(f"CCM, {forged} of them forged", count, 2880)


def test_ocb():
    """RFC 7253's samples, the same with longer nonces, and OpenSSL's."""
    count = 0
    for case in vectors("OCB3"):
        key, nonce, aad, plaintext, sealed = of(case, "key", "nonce", "aad", "plaintext", "ciphertext")
        agree("OCB", key, plaintext, sealed[: len(plaintext)], nonce, aad, sealed[len(plaintext) :])
        count += 1
    for row in rows("ocb_rfc7253_taglen96"):
        key, nonce, aad, plaintext, ciphertext, tag = of(row, *(f"{name}_hex" for name in OCB_COLUMNS))
        agree("OCB", key, plaintext, ciphertext, nonce, aad, tag)
        count += 1
    counted("OCB", count, 72)


OCB_COLUMNS = ("key", "nonce", "aad", "plaintext", "ciphertext", "tag")


def rows(name):
    with data.path(f"vectors/{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", rows("ocb_rfc7253_iterated"), ids=lambda row: f"{row['key_bits']}-{row['tag_bits']}")
def test_ocb_iterated(row):
    """RFC 7253 appendix A: 384 messages of 0 to 127 bytes whose ciphertexts become the associated data of the last."""
    tag_length = int(row["tag_bits"]) // 8
    key = bytes(int(row["key_bits"]) // 8 - 1) + bytes([8 * tag_length])

    def sealed(number, aad, plaintext):
        return b"".join(encrypt("OCB", key, plaintext, number.to_bytes(12, "big"), aad, tag_length, ENGINE))

    joined = b""
    for i in range(128):
        s = bytes(i)
        joined += sealed(3 * i + 1, s, s) + sealed(3 * i + 2, b"", s) + sealed(3 * i + 3, s, b"")
    assert sealed(385, joined, b"").hex() == row["output_hex"]


def test_lrw():
    """The P1619 draft's, among them an index that wraps around."""
    found = rows("lrw_p1619")
    for row in found:
        key, index, plaintext, ciphertext = of(row, "key_hex", "index_hex", "plaintext_hex", "ciphertext_hex")
        agree("LRW", key, plaintext, ciphertext, index)
    counted("LRW", len(found), 9)
