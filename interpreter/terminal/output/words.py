"""Names and values of a game in the words that people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.codec import Json
from chocolatl.interpreter.play.game import Answer, Decision, Game
from chocolatl.interpreter.program.types import PLAYER, TRUTH, Multiset, Scalar
from chocolatl.interpreter.syntax import tree
from chocolatl.interpreter.system.escaping import one_line

EMPTY = "-"
LONG, WIDE = 12, 36
"""A zone with more elements, or more letters, shows equal ones as `9 x4`."""


def spaced(name: str) -> str:
    """A name of the rules as words."""
    return one_line(name.replace("_", " "))


def enumerated(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def item_titles(game: Game) -> dict[str, str]:
    """What each item of the breakdown is called: its text in the rules, or else its name."""
    titles = {name: spaced(name) for name in game.ir.items}
    texts: list[tuple[tree.Name, tree.Text | None]] = []
    for declaration in game.files.rules.declarations:
        if isinstance(declaration, tree.Item):
            texts.append((declaration.name, declaration.text))
        elif isinstance(declaration, tree.Enumeration):
            texts += [(member.name, member.text) for member in declaration.members]
        elif isinstance(declaration, tree.FinalScoring):
            texts += [(item.name, item.text) for item in declaration.items]
    titles |= {name.text: text.text for name, text in texts if text is not None and name.text in titles}
    return titles


def procedure_text(game: Game, decision: Decision) -> str:
    """What the part of the rules in which a decision is asked for is called."""
    return game.ir.procedures[decision.stop.procedure].text


def titled(game: Game, type_: Scalar, value: int) -> str:
    """A value as a text for people: members of an enum by their titles."""
    domain = game.ir.domains.get(type_.family)
    missing = type_.optional and value == type_.none
    if domain is not None and domain.texts and not missing:
        return domain.texts[value]
    return game.show(type_, value)


def elements_text(elements: Iterable[Json]) -> str:
    """The content of a zone, or of an answer with several elements."""
    words = [one_line(str(element)) for element in elements]
    if len(set(words)) < len(words) and (len(words) > LONG or len(" ".join(words)) > WIDE):
        words = [word if count == 1 else f"{word} x{count}" for word, count in Counter(words).items()]
    return "  ".join(words) if any(" " in word for word in words) else " ".join(words) or EMPTY


def answer_text(decision: Decision, answer: Answer) -> str:
    """An answer as people read it. The first part of a joint choice says what it is about: `9-4, turn 1, here 1,0`."""
    game, node = decision.game, decision.node
    if isinstance(node, ir.ChooseSet):
        return elements_text([game.show(element_type(decision), element) for element in answer])
    if len(node.picks) == 1:
        return titled(game, element_type(decision), answer)
    if node.optional and answer == decision.none:
        return "none"
    words = [titled(game, type_, value) for type_, value in zip(part_types(decision), answer, strict=True)]
    others = zip(node.picks[1:], words[1:], strict=True)
    return ", ".join([words[0], *(f"{spaced(pick.local.name)} {word}" for pick, word in others)])


def is_joint(decision: Decision) -> bool:
    """Whether a choice has several parts."""
    return isinstance(decision.node, ir.Choose) and len(decision.node.picks) > 1


def part_types(decision: Decision) -> list[Scalar]:
    """The types of the parts of a joint choice; of any other choice of one element, its type alone."""
    assert isinstance(decision.node, ir.Choose)
    return [pick.local.type for pick in decision.node.picks if isinstance(pick.local.type, Scalar)]


def element_type(decision: Decision) -> Scalar:
    """The type of what a decision asks for, be it one element or several of a zone."""
    if isinstance(decision.node, ir.ChooseSet):
        return decision.game.element(decision.node.source)
    type_ = decision.node.picks[0].local.type
    assert isinstance(type_, Scalar)
    return type_


def value_text(game: Game, type_: Scalar | Multiset, value: Json) -> str:
    """One value of a view: of a zone that may not be seen into, how much it holds."""
    if isinstance(type_, Multiset):
        if isinstance(value, dict):
            return f"{value['size']} unseen" if value["size"] else EMPTY
        return elements_text([element_text(game, type_.element, v) for v in value] if isinstance(value, list) else [])
    if value is None:
        return "nobody" if type_.family == PLAYER else EMPTY
    if type_.family == TRUTH:
        return "yes" if value else "no"
    return element_text(game, type_, value)


def element_text(game: Game, type_: Scalar, value: Json) -> str:
    """One element of a view: a cell is `1,0`, a pair `1,0 left`."""
    return game.show(type_, game.codec.decode(type_, value)) if isinstance(value, list) else one_line(str(value))
