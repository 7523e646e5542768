"""Policies in a build that can be left at any decision: whoever is not asked answers by a policy, or at random where a
seat has none (rollout policy)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.builds.resumable import RESUMABLE
from chocolatl.interpreter.native.builds.statement_table import STATEMENTS
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.emit.context import Build, EmitContext
from chocolatl.interpreter.native.llvm.compile import processor
from chocolatl.interpreter.native.policy.arithmetic import arithmetic
from chocolatl.interpreter.native.policy.choosing import emit_policy_choose
from chocolatl.interpreter.native.policy.draws import draw_texts
from chocolatl.interpreter.native.policy.features import NativePolicy, feature_texts
from chocolatl.interpreter.native.policy.pieces import emit_policy_choose_set
from chocolatl.interpreter.native.policy.tracing import note_texts


def resumable_by(policy: NativePolicy) -> Build:
    """The build; its choices want the functions of `policy_texts`. What no game comes to has no tables in the form, and
    is as it always is."""

    def choose(context: EmitContext, s: ir.Choose) -> None:
        if id(s) in policy.form.by_node:
            emit_policy_choose(context, policy, s)
        else:
            STATEMENTS[ir.Choose](context, s)

    def choose_set(context: EmitContext, s: ir.ChooseSet) -> None:
        if id(s) in policy.form.by_node:
            emit_policy_choose_set(context, policy, s)
        else:
            STATEMENTS[ir.ChooseSet](context, s)

    return replace(RESUMABLE, draws={ir.Choose: choose, ir.ChooseSet: choose_set}, entry="policy_entry", singly=True)


def policy_texts(states: StateAccess, policy: NativePolicy) -> Iterator[str]:
    text, declared = arithmetic(processor()[1])
    states.context.intrinsics |= declared
    yield text
    yield from draw_texts(policy.layout.tables)
    yield from feature_texts(states.context, policy)
    yield from note_texts(states.context, policy)
