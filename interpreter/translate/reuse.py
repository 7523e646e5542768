"""What was translated before (memoisation by noted lookups): variants of a game differ from it in few declarations.

While a declaration is translated, all that is looked up for it is noted. Where the same declaration comes again, in
another variant or for another number of players, and every lookup gives the very same things as before, so does its
translation. Things that are equal are made one object first, so that this is quick to see.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from operator import is_not
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from chocolatl.interpreter.program.model import Program
from chocolatl.interpreter.program.reuse import DeclaredPrograms
from chocolatl.interpreter.source import Span

Lookups = dict[tuple[str, Any], Any]

OFTEN_SET = ("constants", "options")
"""The maps in which most versions differ."""
MANY = 20_000
"""With so many translations the memory begins anew."""
ABSENT: Any = object()
"""What a lookup gives that finds nothing."""
WHOLE: Any = object()
"""What is looked up by who looks at a whole map."""

_get = dict.get


class NotingMap(dict[Any, Any]):
    """A map that notes what is looked up in it; one that `grows` is filled while a program is translated."""

    def __init__(self, name: str, memory: TranslationMemo, content: dict[Any, Any], grows: bool = False) -> None:
        super().__init__(content)
        self.name = name
        self.grows = grows
        self.memory = memory
        self._content: object = None

    def found(self, key: Any) -> Any:
        """What a lookup gives, unnoticed."""
        if key is not WHOLE:
            return _get(self, key, ABSENT)
        if not self.grows:
            return self.memory.version[self.name]
        if self._content is None:
            self._content = self.memory.whole(self.name, tuple(super().keys()), tuple(super().values()))
        return self._content

    def whole(self) -> NotingMap:
        self.memory.noted[self.name, WHOLE] = self.found(WHOLE)
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        self._content = None
        super().__setitem__(key, value)

    # In the inner loop of every translation: each notes what it gives, without a call more than that takes.

    def __getitem__(self, key: Any) -> Any:
        value = self.memory.noted[self.name, key] = _get(self, key, ABSENT)
        if value is ABSENT:
            raise KeyError(key)
        return value

    def get(self, key: Any, default: Any = None) -> Any:
        value = self.memory.noted[self.name, key] = _get(self, key, ABSENT)
        return default if value is ABSENT else value

    def __contains__(self, key: Any) -> bool:
        value = self.memory.noted[self.name, key] = _get(self, key, ABSENT)
        return value is not ABSENT

    def __iter__(self) -> Any:
        return super(NotingMap, self.whole()).__iter__()

    def __len__(self) -> int:
        return super(NotingMap, self.whole()).__len__()

    def keys(self) -> Any:
        return super(NotingMap, self.whole()).keys()

    def values(self) -> Any:
        return super(NotingMap, self.whole()).values()

    def items(self) -> Any:
        return super(NotingMap, self.whole()).items()


class _MemoisedTranslation(Struct, frozen=True):
    """A translation: what it was made of, in which version of a program, what was looked up for it (in what a program
    has from the beginning, and in what is translated meanwhile), and the items of the breakdown that it numbered."""

    of: object
    version: ProgramVersion
    lookups: Lookups
    looked_up: frozenset[tuple[str, Any]]
    translated: Lookups
    items: dict[str, int]
    result: Any


class ProgramVersion(dict[str, dict[Any, Any]]):
    """The maps of a program by their names. Those of two programs that hold the same are the same."""

    def __init__(self, maps: dict[str, dict[Any, Any]], rest: tuple[object, ...] = ()) -> None:
        super().__init__(maps)
        self.rest = rest
        self.made: dict[tuple[str, int], _MemoisedTranslation] = {}
        """What was made for this version, or for an earlier one and found to be the same."""
        self.game: Any = None
        """What was made of the whole program."""

    def differences(self, other: ProgramVersion) -> set[tuple[str, Any]]:
        """Which lookups do not give the same in another version."""
        found: set[tuple[str, Any]] = set()
        for name, one in self.items():
            two = other.get(name, NO_MAP)
            if one is two:
                continue
            found.add((name, WHOLE))
            if list(one) == list(two):
                found.update([(name, key) for key in compress(one, map(is_not, one.values(), two.values()))])
            else:
                found.update([(name, key) for key in (*one, *two) if one.get(key, ABSENT) is not two.get(key, ABSENT)])
        return found


NO_MAP: dict[Any, Any] = {}


class TranslationMemo:
    """The translations of one run."""

    def __init__(self) -> None:
        self.noted: Lookups = {}
        self.items: dict[str, int] = {}
        self.depth = 0
        """How many translations are at work in one another."""
        self.locals = 0
        """How many locals have a number: it tells them apart in all translations."""
        self.conditions: dict[Span, bool | None] = {}
        """What each condition of a statement came out as in all translations: None where it was not always the same."""
        self.declared = DeclaredPrograms()
        self.version = ProgramVersion({})
        self._forget()

    def _forget(self) -> None:
        self._made: dict[tuple[str, int], list[_MemoisedTranslation]] = {}
        self._things: dict[tuple[str, Any], list[Any]] = {}
        self._single: dict[str, set[int]] = {}
        """The ids of all these things, by the name of the map."""
        self._maps: dict[tuple[str, tuple[Any, ...], tuple[int, ...]], dict[Any, Any]] = {}
        self._contents: dict[tuple[str, int], tuple[object, dict[Any, Any]]] = {}
        self._versions: dict[tuple[object, ...], ProgramVersion] = {}
        self._alike: dict[tuple[object, ...], ProgramVersion] = {}
        self._near = ProgramVersion({})
        """An earlier version that is much like the one at hand."""
        self._since: set[tuple[str, Any]] = set()
        """Which lookups give something else now than they did in that."""
        self.orders: dict[tuple[object, ...], list[str]] = {}
        """What needs what, where nothing needs itself: names after all that they need."""

    def note_condition(self, span: Span, value: bool | None) -> None:
        self.conditions[span] = value if self.conditions.get(span, value) == value else None

    def watch(self, program: Program, facts: dict[Any, Any]) -> dict[str, NotingMap]:
        """Let all maps of a program, and some facts about it, note what is looked up in them."""
        if len(self._made) > MANY:
            self._forget()
        self.noted, self.items = {}, {}
        contents = asdict(program)
        maps = {name: self._one_map(name, content) for name, content in contents.items() if isinstance(content, dict)}
        maps["facts"] = self._one_map("facts", facts)
        rest = program.files.name, program.player_count, program.play, program.final, program.winner
        key = *map(id, maps.values()), *map(id, rest[2:]), *rest[:2]
        if key not in self._versions:
            self._versions[key] = ProgramVersion(maps, rest)
        self.version = self._versions[key]
        likeness = tuple([id(content) for name, content in maps.items() if name not in OFTEN_SET])
        self._near = self._alike.get(likeness) or self._alike.get(rest[:2]) or self._near
        self._since = self.version.differences(self._near)
        self._alike[likeness] = self.version
        self._alike.setdefault(rest[:2], self.version)
        watched = {name: NotingMap(name, self, content) for name, content in self.version.items()}
        for name in maps:
            if name != "facts":
                setattr(program, name, watched[name])
        return watched

    def _one_map(self, name: str, content: dict[Any, Any]) -> dict[Any, Any]:
        """One and the same map for all of a name that hold the same, each thing in it one object."""
        known = self._contents.get((name, id(content)))
        if known is None:
            single = self._single.setdefault(name, set())
            values = tuple([v if id(v) in single else self._one(name, key, v) for key, v in content.items()])
            known = self._contents[name, id(content)] = content, self.whole(name, tuple(content), values)
        return known[1]

    def whole(self, name: str, keys: tuple[Any, ...], values: tuple[Any, ...]) -> dict[Any, Any]:
        """One and the same object for maps that hold the same; it keeps what they hold, and so its ids."""
        key = name, keys, tuple(map(id, values))
        if key not in self._maps:
            self._maps[key] = dict(zip(keys, values, strict=True))
        return self._maps[key]

    def _one(self, name: str, key: Any, value: Any) -> Any:
        known = self._things.setdefault((name, key), [])
        for other in known:
            if other is value or other == value:
                return other
        known.append(value)
        self._single[name].add(id(value))
        return value

    def recall(self, how: str, of: object, maps: dict[str, NotingMap], item: Callable[[str], int]) -> Any:
        """What was made of the same thing with the same lookups, or None."""
        key = how, id(of)
        made = self._near.made.get(key)
        if made is None or not (
            self._since.isdisjoint(made.looked_up) and _same(made.translated, maps) and _agrees(made, item)
        ):
            for made in self._made.get(key, ()):
                if _same(made.lookups, maps) and _agrees(made, item):
                    break
            else:
                return None
        self.version.made[key] = made
        if self.depth:
            self.noted |= made.lookups
        return made.result

    def begin(self) -> tuple[Lookups, dict[str, int]]:
        """Note the lookups of a translation from now on. What was noted for the one around it is for `end`."""
        outer = self.noted, self.items
        self.noted, self.items = {}, {}
        self.depth += 1
        return outer

    def end(self, outer: tuple[Lookups, dict[str, int]]) -> tuple[Lookups, dict[str, int]]:
        """What was noted since; whoever translates around it depends on that, too."""
        noted, items = self.noted, self.items
        self.noted, self.items = outer
        self.depth -= 1
        self.noted |= noted
        self.items |= items
        return noted, items

    def keep(self, how: str, of: object, lookups: Lookups, items: dict[str, int], result: Any) -> None:
        """Remember a translation with all that it depends on."""
        looked_up = frozenset([key for key in lookups if key[0] in self.version])
        translated = {key: value for key, value in lookups.items() if key[0] not in self.version}
        made = _MemoisedTranslation(of, self.version, lookups, looked_up, translated, items, result)
        self._made.setdefault((how, id(of)), []).append(made)
        self.version.made[how, id(of)] = made


def _same(lookups: Lookups, maps: dict[str, NotingMap]) -> bool:
    """Whether lookups give now what they gave then."""
    for (name, key), value in lookups.items():
        if (_get(maps[name], key, ABSENT) if key is not WHOLE else maps[name].found(WHOLE)) is not value:
            return False
    return True


def _agrees(made: _MemoisedTranslation, item: Callable[[str], int]) -> bool:
    """Whether the items of the breakdown have the numbers now that they had then."""
    return not made.items or all([item(name) == number for name, number in made.items.items()])
