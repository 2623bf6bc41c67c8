"""The two cuts of one cipher: the bytes drawn are the standard's, nothing is shown too early, every word fits."""

import re
from xml.etree import ElementTree

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aesedu.views import instruction_order as view

BLOCK = bytes.fromhex("3243f6a8885a308d313198a2e0370734")
KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
CASES = [(size, direction) for size in (16, 24, 32) for direction in view.DIRECTIONS]
every_case = pytest.mark.parametrize(("size", "direction"), CASES)


def frames(size, direction):
    return view.frames(bytes(range(size)), BLOCK, direction)


def svg(frame):
    return ElementTree.fromstring(re.search("<svg.*?</svg>", view.board(frame))[0])


def drawn(picture, name):
    group = next(g for g in picture.iter("g") if g.get("data-name") == name)
    return "".join(t.text for t in group.iter("text"))


@every_case
def test_the_last_registers_hold_what_openssl_gives(size, direction):
    cipher = Cipher(algorithms.AES(bytes(range(size))), modes.ECB())
    both = {frames(size, direction)[-1].register(isa) for isa in view.SIDES}
    context = cipher.encryptor() if direction == "encrypt" else cipher.decryptor()
    assert both == {context.update(BLOCK)}


def test_squares_hold_the_states_of_appendix_b():
    """Round 1: the state after the key is 193de3be..., and 046681e5... after MixColumns; round key 1 is a0fafe17..."""
    made = view.frames(KEY, BLOCK)
    assert drawn(svg(made[0]), "after") == "193de3bea0f4e22b9ac68d2ae9f84808"
    assert drawn(svg(made[3]), "after") == drawn(svg(made[4]), "before") == "046681e5e0cb199a48f8d37a2806264c"
    assert "a0fafe17 88542cb1 23a33939 2a6c7605" in "".join(svg(made[4]).itertext())


def test_registers_meet_at_the_end_alone():
    """x86-64 ends an instruction with each key, AArch64 with the columns: no state but the last stands in both."""
    made = view.frames(KEY, BLOCK)
    assert [f.at for f in made if f.register("x86_64") == f.register("aarch64")] == [len(made) - 1]
    assert "v0 holds this state" in view.sentence(made[3])[1] and "xmm0 holds" in view.sentence(made[4])[1]
    assert "No register ever" in view.sentence(made[1])[1] and "meet" in view.sentence(made[-1])[1]


@every_case
def test_words_do_not_run_ahead(size, direction):
    """The states shown are those of this step and earlier ones."""
    made = frames(size, direction)
    for frame in made:
        later = {f.step("x86_64").after.hex(" ", 4) for f in made[frame.at + 1 :]}
        assert not any(state in f"{view.in_words(frame)}{view.sentence(frame)}" for state in later)


@every_case
def test_everything_fits(size, direction):
    for frame in frames(size, direction)[:9]:
        for box in svg(frame).iter("rect"):
            x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
            assert min(x, y) >= 0 and x + w <= view.WIDTH and y + h <= view.HEIGHT


def test_every_picture_is_named():
    pictures = re.findall("<svg[^>]*>", view.board(view.frames(KEY, BLOCK)[7]))
    assert len(pictures) == 4 and all('role="img" aria-label="' in each for each in pictures)
