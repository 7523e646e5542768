"""The code of a game whose players follow policies, as the text of a module (a translation unit)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.builds.module import Module, whole_games
from chocolatl.interpreter.native.builds.whole_games import WHOLE_GAMES
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.policy.arithmetic import arithmetic
from chocolatl.interpreter.native.policy.choosing import (
    emit_policy_choose,
    emit_policy_secretly,
)
from chocolatl.interpreter.native.policy.draws import draw_texts
from chocolatl.interpreter.native.policy.features import NativePolicy, feature_texts
from chocolatl.interpreter.native.policy.layout import PolicyLayout
from chocolatl.interpreter.native.policy.pieces import emit_policy_choose_set
from chocolatl.interpreter.native.policy.tracing import driver_text, note_texts
from chocolatl.interpreter.policy.form import PolicyForm

FUNCTIONS = ("play", "series", "winners", "traced")


def policy_games(form: PolicyForm, features: str, inspected: bool = False) -> Module:
    """Whole games in which each seat follows weights that it is given, or plays at random."""
    policy = NativePolicy(form, PolicyLayout(form))

    def choose(context: EmitContext, s: ir.Choose) -> None:
        emit_policy_choose(context, policy, s)

    def choose_set(context: EmitContext, s: ir.ChooseSet) -> None:
        emit_policy_choose_set(context, policy, s)

    text, declared = arithmetic(features)
    text = "\n".join([text, *draw_texts(policy.layout.tables)])

    def more(context: EmitContext) -> Iterable[str]:
        context.intrinsics |= declared
        return [*feature_texts(context, policy), *note_texts(context, policy), driver_text(context, policy)]

    passes = {kind: tried for kind, tried in WHOLE_GAMES.passes.items() if kind is not ir.Secretly}
    statements = dict(WHOLE_GAMES.statements)
    statements[ir.Choose], statements[ir.ChooseSet], statements[ir.Secretly] = choose, choose_set, emit_policy_secretly
    build = replace(WHOLE_GAMES, statements=statements, passes=passes, singly=True)
    module = whole_games(form.game, features, inspected=inspected, build=build, more=more)
    return replace(module, text=text + "\n" + module.text)
