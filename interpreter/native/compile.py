"""From the text of a module to code that runs: LLVM by way of llvmlite, and a cache of what it made.

Only this file imports the compiler. What comes from the cache is checked to be whole and to have been made for this
very program, this compiler and this processor; anything else is made anew.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

MAGIC = b"chocolatl native 1\n"
KEPT = 100
"""So many files stay in the cache; they have some 50 kB each."""

QUICK, FAST = 0, 1
"""Two ways to compile: at once, for a few games; well, in less than a second, for many."""


@cache
def _ready() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def processor() -> tuple[str, str]:
    """Its name and its features, as the compiler calls them."""
    _ready()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def sources() -> list[Path]:
    """The files that decide what a rule becomes: all stages up to this one, and what they share."""
    package = Path(__file__).parents[1]
    folders = [package, *(package / s for s in ("diagnostics", "data", "syntax", "program", "ir", "engine", "native"))]
    return [path for folder in folders for path in sorted(folder.iterdir()) if path.suffix in (".py", ".json")]


@cache
def compiler() -> str:
    """What compiles: this program, down to its last line, and the versions of what it uses."""
    own = hashlib.sha256()
    for path in sources():
        own.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"{own.hexdigest()} llvmlite {llvmlite.__version__} LLVM {'.'.join(map(str, llvm.llvm_version_info))}"


def _machine(level: int) -> llvm.TargetMachine:
    _ready()
    name, features = processor()
    opt = 0 if level == QUICK else 2
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(name, features, opt=opt, reloc="pic", codemodel="small", jit=True)


def compiled(text: str, level: int) -> bytes:
    """The object file of a module."""
    machine = _machine(level)
    found: bytes = machine.emit_object(_prepared(text, machine, level))
    return found


def assembly(text: str, level: int) -> str:
    """The same code for people to read."""
    machine = _machine(level)
    found: str = machine.emit_assembly(_prepared(text, machine, level))
    return found


def _prepared(text: str, machine: llvm.TargetMachine, level: int) -> llvm.ModuleRef:
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    if level != QUICK:
        _optimize(module, machine)
    return module


def _optimize(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """What LLVM does to each function at its first level. What is worth being inlined was said beforehand, which saves
    half of the time."""
    tuning = llvm.create_pipeline_tuning_options(speed_level=1)
    # What was just written in parts is slow to be read as a vector, and loops are short.
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    whole = llvm.create_new_module_pass_manager()
    whole.add_always_inliner_pass()
    whole.add_post_order_function_attributes_pass()
    whole.add_ipsccp_pass()
    whole.add_global_dead_code_eliminate_pass()
    whole.run(module, builder)
    each = builder.getFunctionPassManager()
    for function in module.functions:
        if not function.is_declaration:
            each.run(function, builder)


class Code:
    """Some functions in memory, which stay there as long as this does. Code lies beside its constants, so that they are
    reached by short addresses."""

    def __init__(self, data: bytes, *functions: str) -> None:
        _ready()
        builder = llvm.JITLibraryBuilder().add_object_img(data).add_current_process()
        for name in functions:
            builder.export_symbol(name)
        self.engine = llvm.create_lljit_compiler(use_jit_link=True)
        self.library = builder.link(self.engine, "kernel")

    def address(self, name: str) -> int:
        found: int = self.library[name]
        return found


# ---------------------------------------------------------------- the cache


def cache_folder() -> Path:
    """Where object files are kept: `CHOCOLATL_CACHE`, or a folder of the user's own; RuntimeError if there is none."""
    own = os.environ.get("CHOCOLATL_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "chocolatl"


def cached(key: str, level: int, make: Callable[[], str]) -> bytes:
    """The object file of a module that is known by a key; `make` gives its text if it has to be compiled."""
    whole = "\n".join([key, str(level), compiler(), *processor()])
    digest = hashlib.sha256(whole.encode()).digest()
    name = f"{digest.hex()[:32]}.o"
    with suppress(OSError, RuntimeError):
        path = cache_folder() / name
        found = _unwrapped(_own(path), digest)
        if found is not None:
            with suppress(OSError):
                os.utime(path)  # it was used just now
            return found
    data = compiled(make(), level)
    with suppress(OSError, RuntimeError):  # without a cache it is slower, and that is all
        path = cache_folder() / name
        _write(path, MAGIC + digest + hashlib.sha256(digest + data).digest() + data)
        _prune(path.parent)
    return data


def _own(path: Path) -> bytes:
    """What is in a file that nobody but this user can have written; nothing of any other."""
    # A pipe must not be waited for, and a device may never end.
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        about = os.fstat(file.fileno())
        trusted = stat.S_ISREG(about.st_mode)
        if os.name == "posix":
            trusted &= about.st_uid == os.geteuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        return file.read() if trusted else b""


def _prune(folder: Path) -> None:
    """Of many files of ours, those that were never finished included, only those stay that were used last."""
    files = sorted(folder.glob("[0-9a-f]" * 32 + ".*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[KEPT:]:
        path.unlink(missing_ok=True)


def _unwrapped(content: bytes, digest: bytes) -> bytes | None:
    """The object file inside a cache file, unless that is damaged or was made for something else."""
    start = len(MAGIC)
    data = content[start + 64 :]
    whole = MAGIC + digest + hashlib.sha256(digest + data).digest()
    return data if data and content[: start + 64] == whole else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
