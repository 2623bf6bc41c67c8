"""Assembly text -> code in memory, in the worker process, by the assembler inside llvmlite. No toolchain is needed.

One object format for every system: ELF, whose symbols carry no underscore on macOS and whose loader (MCJIT) is the same
everywhere. LLVM ends the process at the first error in a text: `diagnostics` explains it in the parent. What the loader
would accept silently (undefined symbols are calls to address 0) or abort for (absolute addresses) is refused here.
"""

import functools
import platform
import struct

from aesedu.native.diagnostics import line_with
from aesedu.native.errors import AssemblyError, UndefinedSymbol, UnsupportedFeature
from aesedu.native.wire import note

ISA = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
_TRIPLE = f"{ISA}-unknown-linux-gnu"
_FEATURES = {"aarch64": "+aes,+sha2,+sha3,+crc,+lse,+dotprod,+fullfp16"}  # LLVM's x86 parser knows all from the start
# Relocation types (ELF psABI) that the loader resolves: 64-bit absolute, relative to the instruction, through a table.
_RESOLVED = {
    "x86_64": {1, 2, 4, 9, 24, 41, 42},
    "aarch64": {257, 260, 261, *range(263, 270), 274, 275, 277, *range(278, 287), 299},
}
_ABSOLUTE = {"x86_64": {10, 11}, "aarch64": {258}}
_RELATIVE = {"x86_64": "{0}(%rip)", "aarch64": "adrp x9, {0}; add x9, x9, :lo12:{0}"}


class Code:
    """Assembled text in executable memory, which is freed with this object."""

    def __init__(self, text, placement=0, wrappers=()):
        llvm, target = _llvm()
        lead = f".skip {page_offset(placement, 16)}\n" if placement else ""
        note("assembling", text)
        binary = _emit(llvm, target, lead + text, wrappers)
        self._global, self._local = _check(llvm, binary, text)
        self._engine = _load(llvm, target, binary)
        note("assembled")

    def address(self, name):
        """Address of a global label. Raises UndefinedSymbol."""
        if name in self._global:
            return self._engine.get_function_address(name)
        hint = "its label is there; add a line" if name in self._local else f"write the label '{name}:' and a line"
        raise UndefinedSymbol(name, f"{hint} '.globl {name}'")


@functools.lru_cache(maxsize=128)
def assemble(text, placement=0):
    """The `Code` of a text, from a cache. Its first byte lies at a page offset that depends on `placement`.

    Raises AssemblyError (here or, as the process ends, in the parent) and UndefinedSymbol.
    """
    if placement:
        assemble(text)  # so that errors count lines without the lead
    return Code(text, placement)


def check(text):
    """Assemble and forget: answers None, or fails as `assemble` does."""
    Code(text)


def page_offset(placement, step):
    """A multiple of `step` bytes below 4096, chosen by `placement`."""
    return (placement * 0x9E3779B1 >> 16) % (4096 // step) * step


@functools.cache
def _llvm():
    if ISA not in _RESOLVED:
        raise UnsupportedFeature(ISA, f"native code runs on x86-64 and AArch64, and this processor is of kind {ISA}")
    note("loading the assembler")
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    note("loaded")
    return llvm, llvm.Target.from_triple(_TRIPLE)


def _machine(target):
    return target.create_target_machine(features=_FEATURES.get(ISA, ""), codemodel="small", jit=True)


def _emit(llvm, target, text, wrappers):
    """The ELF object of a text. IR strings spell every byte but plain ASCII in hexadecimal."""
    plain = set(range(0x20, 0x7F)) - set(b'\\"')
    escaped = "".join(chr(byte) if byte in plain else f"\\{byte:02X}" for byte in text.encode())
    ir = "\n".join([f'target triple = "{_TRIPLE}"', f'module asm "{escaped}"', *wrappers])
    with llvm.parse_assembly(ir) as module, _machine(target) as machine:
        try:
            return machine.emit_object(module)
        except (RuntimeError, AssertionError) as error:  # llvmlite has no words for what memory cannot hold
            raise AssemblyError(0, 0, f"the assembler gave up: {str(error) or 'out of memory'}") from None


def _load(llvm, target, binary):
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(f'target triple = "{_TRIPLE}"'), _machine(target))
    engine.add_object_file(llvm.ObjectFileRef.from_data(binary))
    engine.finalize_object()
    return engine


def _check(llvm, binary, text):
    """Global and local labels of an object. Raises for symbols and relocations that the loader cannot resolve."""
    with llvm.ObjectFileRef.from_data(binary) as file:
        # No others: llvmlite would read .bss from the file, which does not hold it.
        wanted = b".symtab", b".strtab", b".rela"
        named = ((section.name() or b"", section) for section in file.sections() if section.size())
        sections = [(name, section.data()) for name, section in named if name.startswith(wanted)]
    symbols = _symbols(dict(sections))
    for name, _, section, _ in symbols:
        if section == 0 and name:
            raise UndefinedSymbol(name, "no line defines it, and no library is linked", line_with(text, name))
    for section, data in sections:
        if section.startswith(b".rela") and not section.startswith(b".rela.debug"):
            for _, info, addend in struct.iter_unpack("<QQq", data):
                _check_relocation(info & 0xFFFFFFFF, symbols[info >> 32], addend, symbols, text)
    return ({name for name, bind, *_ in symbols if bind}, {name for name, bind, *_ in symbols if not bind})


def _symbols(sections):
    """(name, binding, section, value) of each entry in an object's symbol table."""
    names = sections.get(b".strtab", b"\0")
    return [
        (names[name : names.index(b"\0", name)].decode("utf-8", "replace"), info >> 4, section, value)
        for name, info, _, section, value, _ in struct.iter_unpack("<IBBHQQ", sections.get(b".symtab", b""))
    ]


def _check_relocation(kind, symbol, addend, symbols, text):
    if kind in _RESOLVED[ISA]:
        return
    name, _, section, value = symbol
    if not name:  # a local label is given as section + offset
        name = next((other[0] for other in symbols if other[0] and other[2:] == (section, value + addend)), "")
    what = "32-bit absolute address" if kind in _ABSOLUTE[ISA] else f"unsupported kind of address (ELF type {kind})"
    advice = f"write {_RELATIVE[ISA].format(name or 'label')} (position-independent code)"
    line = line_with(text, name)
    source = text.split("\n")[line - 1] if line else ""
    raise AssemblyError(line, 1 if line else 0, f"{what} of {name or 'a label'!r}: {advice}", source=source)


def host_has(feature):
    """Whether processor and operating system offer a feature, by LLVM's name for it."""
    return _llvm()[0].get_host_cpu_features().get(feature, False)
