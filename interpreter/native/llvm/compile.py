"""From the text of a module to code that runs: LLVM by way of llvmlite (ahead-of-time compilation and JIT linking).

Only this file imports the compiler. `chocolatl.interpreter.native.llvm.cache` keeps what was made, by its text, this
compiler and this processor.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache as once

import llvmlite
import llvmlite.binding as llvm

from chocolatl.interpreter.native.llvm import cache
from chocolatl.interpreter.system.shipped import shipped

REMARK = re.compile(r"  ; line \d+$", re.MULTILINE)
"""Which line of the rules a statement stands on is for people, and changes with every line above it."""

QUICK, FAST = 0, 1
"""Two ways to compile: at once, for a few games; well, in less than a second, for many."""


@once
def _ready() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@once
def processor() -> tuple[str, str]:
    """Its name and its features, as the compiler calls them."""
    _ready()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@once
def compiler() -> str:
    """What compiles, for what system: this file, down to its last line, and the versions of what it uses."""
    own = hashlib.sha256(shipped("interpreter/native/llvm/compile.py").read_bytes()).hexdigest()
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"{own} llvmlite {llvmlite.__version__} LLVM {version} {llvm.get_default_triple()}"


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


class LoadedCode:
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


def cached(text: str, level: int, check: Callable[[str], object]) -> bytes:
    """The object file of a module, from the cache if it was compiled before; what has to be compiled is checked first.

    It is known by its text: rules that come to the same text are the same code, whatever else is said about them."""
    parts = [compiler(), *processor(), str(level), REMARK.sub("", text)]
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    data = cache.fetch(digest)
    if data is None:
        check(text)
        data = compiled(text, level)
        cache.keep(digest, data)
    return data
