"""The cores' files: their numbers, inheritance, and what is said of broken ones."""

import pytest

from aesedu import data, machines
from aesedu.pipeline import aarch64, x86_64

GOOD = """
isa = "x86_64"
[sources]
own = "made up for a test"
[core]
dispatch = [4, "documented", "own"]
retire = [4, "measured", "own"]
rob = [96, "unverified", "own"]
[groups]
"0 1" = [32, "documented", "own"]
[class]
alu = { latency = [1, "measured", "own"], ports = ["0 1", "measured", "own"] }
byte = { like = "alu" }
"""


def write(folder, text, name="toy"):
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["core2", "skylake", "zen4", "zen5", "a53", "a57", "a72", "n1", "thunderx2"])
def test_every_number_has_a_status_and_a_source(name):
    machine = machines.load(name)
    assert set(machines.names()) >= {name}
    assert {"core.dispatch", "class.alu.latency", "class.load.ports"} <= set(machine.facts)
    for fact in machine.facts.values():
        assert fact.status in machines.STATUSES
        assert len(fact.source) > 10


@pytest.mark.parametrize(  # as published, typed again
    ("name", "dispatch", "rob", "load", "aes"),
    [
        ("core2", 4, 96, 3, None),
        ("skylake", 4, 224, 5, 4),
        ("zen4", 6, 320, 4, 4),
        ("zen5", 8, 448, 4, 4),
        ("a57", 3, 128, 4, 3),
        ("a72", 3, 128, 4, 3),
        ("n1", 4, 128, 4, 2),
        ("thunderx2", 4, 180, 4, 5),
    ],
)
def test_published_numbers(name, dispatch, rob, load, aes):
    machine = machines.load(name)
    assert (machine.dispatch, machine.rob, machine.classes["load"].latency) == (dispatch, rob, load)
    assert aes is None if "aes" not in machine.classes else machine.classes["aes"].latency == aes


def test_a57_is_an_a72_whose_aes_unit_is_on_the_other_port():
    a57, a72 = machines.load("a57"), machines.load("a72")
    assert (a57.classes["aes"].ports, a72.classes["aes"].ports) == (("F1",), ("F0",))
    assert a57.classes["load"] == a72.classes["load"]
    assert a57.facts["class.load.latency"].source.startswith("LLVM")


def test_a_file_beside_may_change_single_numbers(tmp_path):
    write(tmp_path, GOOD)
    text = 'base = "toy"\n[core]\nrob = [8, "measured", "own"]\n[class.alu]\noccupancy = [2, "measured", "own"]\n'
    machine = machines.read(write(tmp_path, text, "small"))
    assert (machine.rob, machine.dispatch) == (8, 4)
    assert machine.classes["alu"] == machines.Class(1, ("0", "1"), 2)
    assert machine.classes["byte"].occupancy == 2
    ours = machines.read(write(tmp_path, 'base = "skylake"\n[core]\nrob = [8, "measured", "uops"]\n', "mine"))
    assert ours.rob == 8 and ours.classes == machines.load("skylake").classes


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('isa = "x86_64"', 'isa = "mips"', r"toy.toml: isa: 'mips'"),
        ("[core]", "[core]\nspeed = 3", r"core.speed: unknown"),
        ("[sources]", "[source]", r"source: unknown"),
        ('dispatch = [4, "documented", "own"]', "", r"core.dispatch: it is missing"),
        ("[4,", "[0,", r"core.dispatch: 0 is no number"),
        ("rob = [96,", "rob = [1000000,", r"core.rob: 1000000 is more than 4096"),
        ('"0 1" = [32', '"0 1" = [32000', r"groups.0 1: 32000 is more than"),
        ("[4,", '["4",', r"core.dispatch: '4' is no number"),
        ("[4,", "[true,", r"core.dispatch: True is no number"),
        ('[4, "documented", "own"]', "4", r"core.dispatch: write \[value, status, source\], not 4"),
        ('"documented"', '"believed"', r"status 'believed' is none of documented"),
        ('"documented", "own"', '"documented", "web"', r"source 'web' is not in the table sources"),
        ('"0 1" = [32', '"" = [32', r"groups: every port"),
        ('"0 1" = [32', '"0 1 1" = [32', r"groups: every port"),
        ('ports = ["0 1"', 'ports = ["0 2"', r"class.alu.ports: port 2 is in no group"),
        ('ports = ["0 1"', 'ports = [""', r"class.alu.ports: there is no port"),
        ('like = "alu"', 'like = "sum"', r"class.byte.like: 'sum' is no class"),
        ("byte = {", "byte = { cost = 1,", r"class.byte.cost: unknown"),
        ("isa =", "base = 'nowhere'\nisa =", r"base: there is no machine 'nowhere'"),
        ("isa =", "base = 'toy'\nisa =", r"base: it is its own base"),
        ("isa =", "base = '../toy'\nisa =", r"base: there is no machine '../toy'"),
        ("isa =", "base = 5\nisa =", r"base: there is no machine 5"),
        ("isa =", "title = 5\nisa =", r"title: it is a text"),
        ('[sources]\nown = "made up for a test"', 'sources = "own"', r"sources: it is a table"),
        ('"documented", "own"', '"documented", ["own"]', r"source \['own'\] is not in"),
        ('{ like = "alu" }', "{ like = {} }", r"class.byte.like: {} is no class"),
        ("alu = {", "lea = 1\nalu = {", r"class.lea: it is a table"),
        ("isa =", "isa", r"toy.toml: Expected '='"),
        ("isa =", f"a = {'[' * 5000}\nisa =", r"toy.toml: .*recursion"),
        ("rob = [96", "rob = [nan", r"core.rob: nan is no number that makes sense here: 1 to 4096"),
        ("rob = [96", "rob = [-1", r"core.rob: -1 is no number"),
        ("[groups]", 'in_order = [1, "measured", "own"]\n[groups]', r"core.in_order: 1 is no true or false"),
        (
            "[groups]",
            'eliminate = ["alu", "measured", "own"]\n[groups]',
            r"eliminate.alu: unknown; there are: move, vm",
        ),
        ("byte = {", "bite = {", r"class.bite: unknown; there are: aes, alu"),
        ('ports = ["0 1"', 'ports = ["0 0"', r"class.alu.ports: port 0 is there twice"),
        ('ports = ["0 1"', "ports = [5", r"class.alu.ports: 5 is no text"),
        (
            "alu = {",
            'alu = { data = ["9", "measured", "own"],',
            r"class.alu.data: port 9 is in no group; there are: 0, 1",
        ),
        ("alu = {", 'alu = { extra = ["0,,1", "measured", "own"],', r"class.alu.extra: there is no port"),
        ("alu = {", 'alu = { extra = ["1 1", "measured", "own"],', r"class.alu.extra: port 1 is there twice"),
        ('own = "made up for a test"', "own = 5", r"sources.own: 5 is no text"),
        ('own = "made up for a test"', 'own = ""', r"sources.own: '' is no text"),
        ("isa =", 'base = "a72"\nisa =', r"toy.toml: isa: it is 'x86_64', and that of its base a72 'aarch64'"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path, old, new, message):
    machines.read(write(tmp_path, GOOD))
    assert old in GOOD
    with pytest.raises(machines.MachineError, match=message):
        machines.read(write(tmp_path, GOOD.replace(old, new, 1)))


def test_what_does_not_exist_is_named(tmp_path):
    with pytest.raises(machines.MachineError, match="no machine 'm1'; there are: a53, a57"):
        machines.load("m1")
    with pytest.raises(machines.MachineError, match="gone.toml"):
        machines.read(tmp_path / "gone.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(machines.MachineError, match="binary.toml"):
        machines.read(tmp_path / "binary.toml")


def test_a_machine_is_itself_and_what_is_no_name_is_refused(tmp_path):
    assert machines.load(machines.load("a72")) is machines.load("a72")
    for name in (["zen4"], None, 5, "", "ZEN4", "nul\0.toml"):
        with pytest.raises(machines.MachineError):
            machines.load(name)
    marked = tmp_path / "marked.toml"
    marked.write_text(GOOD, encoding="utf-8-sig")  # as Windows' editors save it
    assert machines.load(marked).rob == 96


def test_there_is_a_class_for_every_instruction_and_none_without():
    tables = (aarch64._WORDS, aarch64._VECTORS, x86_64._WORDS, x86_64._VECTORS)
    kinds = {kind for table in tables for kind, _ in table.values()}
    assert kinds | {"load", "store", "vload", "vbroadcast", "vstore", "extract"} == set(machines.CLASSES)


def test_the_readme_names_every_key():
    text = data.path("README.md").read_text(encoding="utf-8")
    for key in machines.KEYS:
        assert f"`{key}`" in text, key
