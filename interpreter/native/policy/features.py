"""The features of a policy as LLVM functions: one for what is about a player, one for each choice, one for its answers
(code generation)."""

from __future__ import annotations

from dataclasses import dataclass, field

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import load_head, parameters, receive_parameters, set_local
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit
from chocolatl.interpreter.native.layout.memory import REPORT, SECRET
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.policy.lanes import EVERYBODY, PlayerLanes, values_text
from chocolatl.interpreter.native.policy.layout import ELEMENTS, SCALED, SEATS, PolicyLayout, up
from chocolatl.interpreter.policy.form import Feature, PolicyForm, PolicyTable, SiteTables
from chocolatl.interpreter.policy.integers import MOST_SCALED, UNIT


@dataclass
class NativePolicy:
    """A form at work in a module, and which of its functions are wanted."""

    form: PolicyForm
    layout: PolicyLayout
    wanted: dict[int, SiteTables] = field(default_factory=dict)

    def site(self, s: ir.Choice) -> SiteTables:
        tables = self.form.by_node[id(s)]
        self.wanted[tables.site.number] = tables
        return tables


def control(context: EmitContext) -> str:
    """The address of what native code remembers for policies."""
    return context.f.op(f"inttoptr i64 {load_head(context, REPORT)} to ptr")


def at(context: EmitContext, base: str, offset: int) -> str:
    return context.f.op(f"getelementptr i8, ptr {base}, i64 {offset}")


def weights_of(context: EmitContext, base: str, seat: str) -> str:
    """Where the weights of a seat are, as a number; 0 for a random player."""
    return context.f.load(context.f.op(f"getelementptr i64, ptr {at(context, base, SEATS)}, i64 {seat}"))


def chosen_locals(node: ir.Choice) -> tuple[ir.Local, ...]:
    """The locals that hold an answer."""
    return (node.element,) if isinstance(node, ir.ChooseSet) else tuple(pick.local for pick in node.picks)


def feature_texts(context: EmitContext, policy: NativePolicy) -> list[str]:
    texts = [values_text(context, policy.form, policy.layout), _entry(context, policy)]
    for site in policy.wanted.values():
        texts += [_context(context, policy, site), _answer(context, policy, site)]
        if site.multiplying:
            texts.append(_laid(context, policy, site))
    return texts


def _scaled(context: EmitContext, feature: Feature, weights: str, scales: int, lanes: PlayerLanes | None = None) -> str:
    """The scaled value of a feature; one that is switched off is not looked at."""
    f = context.f
    scale = f.load(at(context, weights, scales + 4 * feature.number), "i32")
    result, on, done = f.variable(), f.block(), f.block()
    f.store("0", result)
    f.branch(f.compare("ne", scale, "0"), on, done)
    f.begin(on)
    value = lanes.of_one(feature.among, "%me") if lanes is not None and feature.among is not None else None
    value = value or emit(context, feature.formula)
    f.store(scaled_value(context, value, feature.number, weights, scales), result)
    f.begin(done)
    return f.load(result)


def scaled_value(context: EmitContext, value: str, number: int, weights: str, scales: int) -> str:
    offset, scale = at(context, weights, 4 * number), at(context, weights, scales + 4 * number)
    return context.f.op(f"call i64 @policy_scaled(i64 {value}, ptr {offset}, ptr {scale})")


def squared_value(context: EmitContext, term: str) -> str:
    f = context.f
    return f.minimum(f.op(f"lshr i64 {f.mul(term, term)}, 6"), str(MOST_SCALED))


def _written(context: EmitContext, policy: NativePolicy, site: SiteTables, weights: str, target: str) -> None:
    lanes = PlayerLanes(context, policy.form)
    for position, feature in enumerate(site.features, start=len(policy.form.common)):
        value = _scaled(context, feature, weights, policy.layout.scales, lanes)
        context.f.store(value, at(context, target, 2 * position), "i16")


def _entry(context: EmitContext, policy: NativePolicy) -> str:
    """The contexts of all players, before a secret block."""
    f, layout = context.open(Function("policy_entry", [("ptr", "%s")])), policy.layout
    base = control(context)
    f.do(f"call void @policy_values(ptr %s, i64 {EVERYBODY})")
    for seat in range(policy.form.game.player_count):
        weights, plays, after = weights_of(context, base, str(seat)), f.block(), f.block()
        f.branch(f.compare("ne", weights, "0"), plays, after)
        f.begin(plays)
        held, x = f.op(f"inttoptr i64 {weights} to ptr"), at(context, base, layout.entry + seat * layout.entry_step)
        scale_common(context, policy, base, str(seat), held, x)
        f.begin(after)
    f.leave()
    return f.text()


def scale_common(context: EmitContext, policy: NativePolicy, base: str, seat: str, weights: str, target: str) -> None:
    """The common features of a player, scaled by somebody's scales."""
    f, layout = context.f, policy.layout
    row = f.op(f"getelementptr [{layout.values_row} x i8], ptr {at(context, base, layout.values)}, i64 {seat}")
    f.do(
        f"call void @policy_scale(ptr {row}, ptr {weights}, ptr {at(context, weights, layout.scales)}, ptr {target},"
        f" i64 {layout.values_row // (4 * SCALED)})"
    )
    f.store(str(UNIT), target, "i16")


def _around(policy: NativePolicy, site: SiteTables) -> list[tuple[str, str]]:
    return [("ptr", "%s"), ("i64", "%me"), *parameters(site.site.scope)]


def _open(context: EmitContext, policy: NativePolicy, site: SiteTables, function: Function) -> Function:
    f = context.open(function)
    set_local(context, policy.form.me, "%me")
    receive_parameters(context, site.site.scope)
    return f


def _context(context: EmitContext, policy: NativePolicy, site: SiteTables) -> str:
    """All that a choice depends on, in its place; in a secret block what is about the player is as at entry."""
    name = f"policy_context_{site.site.number}"
    f, layout = _open(context, policy, site, Function(name, _around(policy, site), "ptr")), policy.layout
    base, result = control(context), f.variable("ptr")
    held = f.op(f"inttoptr i64 {weights_of(context, base, '%me')} to ptr")
    inside, outside, on = f.block(), f.block(), f.block()
    f.branch(f.compare("ne", load_head(context, SECRET), "0"), inside, outside)
    f.begin(inside)
    own = f.op(f"getelementptr [{layout.entry_step} x i8], ptr {at(context, base, layout.entry)}, i64 %me")
    f.do(f"store ptr {own}, ptr {result}")
    f.goto(on)
    f.begin(outside)
    x = at(context, base, layout.context)
    f.do("call void @policy_values(ptr %s, i64 %me)")
    scale_common(context, policy, base, "%me", held, x)
    f.do(f"store ptr {x}, ptr {result}")
    f.begin(on)
    found = f.op(f"load ptr, ptr {result}")
    _written(context, policy, site, held, found)
    f.leave(f"ptr {found}")
    return f.text()


def _laid(context: EmitContext, policy: NativePolicy, site: SiteTables) -> str:
    """What lies already where pieces are laid, into words."""
    name = f"policy_laid_{site.site.number}"
    f = _open(context, policy, site, Function(name, [*_around(policy, site), ("ptr", "%laid")]))
    for position, feature in enumerate(site.multiplying):
        f.store(emit(context, feature.formula), at(context, "%laid", 8 * position))
    f.leave()
    return f.text()


def _answer(context: EmitContext, policy: NativePolicy, site: SiteTables) -> str:
    """The logit of an answer, but for a weight of its own."""
    chosen = chosen_locals(site.site.node)
    name = f"policy_answer_{site.site.number}"
    given = [*_around(policy, site), *parameters(chosen), ("ptr", "%w")]
    f, layout = _open(context, policy, site, Function(name, given, "i64")), policy.layout
    receive_parameters(context, chosen)
    base, features = control(context), answer_features(policy.form.tables[site.first])
    values, first = at(context, base, layout.raw), features[0].number
    for position, feature in enumerate(features):
        assert feature.number == first + position, "they are scaled in a row"
        on, done = f.block(), f.block()
        scale = f.load(at(context, "%w", layout.scales + 4 * feature.number), "i32")
        f.branch(f.compare("ne", scale, "0"), on, done)  # one that is switched off is not looked at
        f.begin(on)
        f.store(emit(context, feature.formula), at(context, values, 4 * position), "i32")
        f.begin(done)
    offsets, scales = (at(context, "%w", start + 4 * first) for start in (0, layout.scales))
    linear, squares, kept = (at(context, base, each) for each in (layout.linear, layout.squares, layout.scaled_answer))
    logit = f.op(
        f"call i64 @policy_weigh(ptr {values}, ptr {offsets}, ptr {scales}, ptr {linear}, ptr {squares}, ptr {kept},"
        f" i64 {up(len(features), ELEMENTS) // ELEMENTS})"
    )
    f.leave(f"i64 {logit}")
    return f.text()


def answer_features(table: PolicyTable) -> list[Feature]:
    """What is counted of an answer, each once."""
    return [term.feature for term in table.terms if not term.squared]


def spread_slopes(context: EmitContext, policy: NativePolicy, base: str, first: int, slopes: str) -> None:
    """How much terms count, by their features: what they count linearly and what their squares do."""
    f, layout, table = context.f, policy.layout, policy.form.tables[first]
    count = up(len(answer_features(table)), ELEMENTS)
    linear, squares, feature = ["0"] * count, ["0"] * count, -1
    for position, term in enumerate(table.terms):
        feature += not term.squared
        slope = f.load(at(context, slopes, 4 * position), "i32")
        (squares if term.squared else linear)[feature] = slope
    for start, values in ((layout.linear, linear), (layout.squares, squares)):
        for position, value in enumerate(values):
            f.store(value, at(context, base, start + 4 * position), "i32")


def write_terms(context: EmitContext, policy: NativePolicy, base: str, first: int) -> None:
    """The scaled terms of the answer that was weighed last, in their order."""
    f, layout, feature = context.f, policy.layout, -1
    for position, term in enumerate(policy.form.tables[first].terms):
        feature += not term.squared
        source = layout.scaled_answer + 4 * (feature + 64 * term.squared)
        f.store(f.load(at(context, base, source), "i32"), at(context, base, layout.answer + 2 * position), "i16")
