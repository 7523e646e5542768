"""Scenario files: given a state, when this happens, then that must hold.

Loading a scenario finds everything that is wrong with the file itself: names that the game does not have, values that
are none of their kind. Whether the scenario holds is for `chocolatl.interpreter.testing.scenario_run` to say.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from chocolatl.interpreter.analysis.pipeline import Translator
from chocolatl.interpreter.data.games import games_in, rules_folder, variants_in
from chocolatl.interpreter.data.load import load_document, load_game, with_settings
from chocolatl.interpreter.data.model import DataPath, GameFiles
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Findings, Related, nearest
from chocolatl.interpreter.engine.state import decode_state, encode_state, mistakes_in_state
from chocolatl.interpreter.formats.scenario_names import Questions, ScenarioNames, parted
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.codec import Codec, NotAValue
from chocolatl.interpreter.lowered.layout import Layout
from chocolatl.interpreter.lowered.zones import copies
from chocolatl.interpreter.program.types import Multiset, Scalar

if TYPE_CHECKING:  # who only looks at a scenario does not wait for the engine
    from chocolatl.interpreter.play.game import Game

Stock = tuple[dict[str, str], dict[tuple[str, str], int]]

ANSWERS = ("pending", "legal", "illegal", "view", "result", "breakdown", "winners")
"""What `then` may say beside parts of the state."""


class Scenario(Struct, frozen=True, dict=True):
    """A scenario whose words all mean something."""

    document: Document
    files: GameFiles
    players: tuple[str, ...]
    code: ir.GameRules
    procedure: str | None
    arguments: tuple[int, ...]

    @property
    def name(self) -> str:
        return str(self.document.value["name"])

    @property
    def file(self) -> str:
        return self.document.source.name

    @cached_property
    def game(self) -> Game:
        return self._ready(literal=False)

    def literal(self) -> Scenario:
        """The same scenario, to be run by a literal program of its game."""
        scenario = replace(self)
        scenario.__dict__["game"] = self._ready(literal=True)
        return scenario

    def _ready(self, literal: bool) -> Game:
        from chocolatl.interpreter.play.game import Game
        from chocolatl.interpreter.play.library import ready

        game = ready(self.files, self.players, Findings(), self.code, literal)
        assert game is not None  # it was translated when the scenario was loaded
        if "given" not in self.document.value:
            return game
        # A given state is often no more than what the case is about, so that the rest does not fit together.
        program = game.program.without(game.program.broken(self._slots(game)))
        return Game(game.files, program.game, program, game.players)

    @cached_property
    def slots(self) -> list[Any]:
        """The state that it begins with."""
        return self._slots(self.game)

    def _slots(self, game: Game) -> list[Any]:
        slots = game.program.initial()
        decode_state(game.program.layout, game.codec, self.document.value.get("given", {}), slots, complete=False)
        return slots

    @property
    def when(self) -> list[dict[str, Any]]:
        return list(self.document.value.get("when", []))

    @property
    def then(self) -> dict[str, Any]:
        return dict(self.document.value["then"])

    @property
    def state(self) -> dict[str, Any]:
        """The parts of the state that `then` names."""
        return {key: value for key, value in self.then.items() if key not in ANSWERS}


class Games:
    """What the scenarios of one run share: the games that they are about, found, loaded and looked through once."""

    def __init__(self, translator: Translator) -> None:
        self.translator = translator
        self.roots: dict[str, Path] = {}
        self.files: dict[Path, GameFiles] = {}
        self.found: dict[tuple[Path, str], Path] = {}
        self.stocks: dict[int, tuple[ir.GameRules, Stock]] = {}
        self._forms: dict[int, tuple[ir.GameRules, Layout, Questions]] = {}
        self._codecs: dict[tuple[int, tuple[str, ...]], Codec] = {}

    def root(self, path: Path) -> Path:
        folder = os.path.dirname(path)
        if folder not in self.roots:
            self.roots[folder] = _root(path)
        return self.roots[folder]

    def stock(self, layout: Layout, code: ir.GameRules) -> Stock:
        """What pieces the zones of a game hold, by the names of their fields, and how many there are of each."""
        known = self.stocks.get(id(code))
        if known is None:
            families: dict[str, str] = {}
            count: Counter[tuple[str, str]] = Counter()
            for place in layout.places.values():
                type_ = place.field.type
                if isinstance(type_, Multiset) and type_.element.family in code.totals:
                    family = families[place.field.name] = type_.element.family
                    labels = code.domains[family].labels
                    for zone in layout.defaults[place.base : place.end]:
                        for kind, copies_ in copies(zone):
                            count[family, str(labels[kind])] += copies_
            known = self.stocks[id(code)] = code, (families, dict(count))
        return known[1]

    def form(self, code: ir.GameRules, players: tuple[str, ...]) -> tuple[Layout, Questions, Codec]:
        """Where everything lies in a game, what is asked in it, and what all is called."""
        if id(code) not in self._forms:
            self._forms[id(code)] = code, Layout(code), Questions(code)
        if (id(code), players) not in self._codecs:
            self._codecs[id(code), players] = Codec(code, players)
        return *self._forms[id(code)][1:], self._codecs[id(code), players]


def load_scenario(path: Path, findings: Findings, games: Games | None = None) -> Scenario | None:
    """A scenario with its game, or None after a finding about either."""
    own = Findings()
    try:
        document = load_document(path, "scenario", own)
        games = games or Games(Translator())
        scenario = _ScenarioReader(document, own, games).read(path) if document is not None else None
    finally:
        findings.items += own.items
    return None if own.has_errors else scenario


class _ScenarioReader:
    def __init__(self, document: Document, findings: Findings, games: Games) -> None:
        self.games = games
        self.document = document
        self.findings = findings

    def read(self, path: Path) -> Scenario | None:
        files = self.game(path)
        players = self.players(files) if files is not None else None
        if files is None or players is None:
            return None
        code = self.games.translator.game(files, len(players), self.findings)
        if code is None or self.findings.has_errors:
            return None
        layout, questions, codec = self.games.form(code, players)
        self.state(codec, layout, self.document.value.get("given", {}), ("given",))
        self.pieces(layout, code)
        procedure, arguments = self.start(codec)
        names = ScenarioNames(codec, questions, self.document, self.findings)
        for number, event in enumerate(self.document.value.get("when", [])):
            names.event(event, ("when", number))
        then = self.document.value["then"]
        parts = {key: value for key, value in then.items() if key not in ANSWERS}
        self.state(codec, layout, parts, ("then",))
        names.answers(then)
        return Scenario(self.document, files, players, code, procedure, arguments)

    def error(self, code: str, message: str, place: DataPath, hint: str = "", on_key: bool = False) -> None:
        span = self.document.key_span(place) if on_key else self.document.span(place)
        self.findings.error(code, message, span, hint)

    # ------------------------------------------------------------ the game

    def game(self, path: Path) -> GameFiles | None:
        folder = self.find(path)
        if folder is None:
            return None
        own = Findings()
        files = self.games.files.get(folder) or load_game(folder, own)
        if files is None or own.items:  # then all is told at once
            return load_game(folder, self.findings, settings_document=self.document)
        self.games.files[folder] = files
        return with_settings(files, self.document, self.findings) if self.document.value.get("set") else files

    def players(self, files: GameFiles) -> tuple[str, ...] | None:
        """Their names by seat, or None after a finding about their number."""
        players = self.document.value.get("players", files.minimum)
        count = players if isinstance(players, int) else len(players)
        if not files.minimum <= count <= files.maximum:
            wanted = f"{files.minimum} to {files.maximum}" if files.minimum < files.maximum else str(files.minimum)
            self.error("E701", f"{files.name} is for {wanted} players, not {count}", ("players",))
            return None
        return tuple(f"p{seat + 1}" for seat in range(count)) if isinstance(players, int) else tuple(players)

    def find(self, path: Path) -> Path | None:
        """The game that the scenario names: in the root folder that the scenario lies in, or else a shipped one."""
        named = str(self.document.value["game"])
        key = self.games.root(path), named
        if key not in self.games.found:
            found = self.search(self.games.root(path), named)
            if found is None:
                return None
            self.games.found[key] = found
        return self.games.found[key]

    def search(self, root: Path, named: str) -> Path | None:
        name, _, variant = named.partition("/")
        roots = [root, rules_folder()]
        folder = next((root / name for root in roots if (root / name / "game.yaml").is_file()), None)
        if folder is None:
            known = [game for root in roots for game in games_in(root)]
            message = f"there is no game `{name}` in the folder {roots[0]}, and no shipped one"
            self.error("E701", message, ("game",), nearest(name, known))
            return None
        if not variant:
            return folder
        file = folder / "variants" / f"{variant}.yaml"
        if not file.is_file():
            hint = nearest(variant, variants_in(folder))
            self.error("E701", f"the game `{name}` has no variant `{variant}`", ("game",), hint)
            return None
        return file

    # ------------------------------------------------------------ the state and the start

    def state(self, codec: Codec, layout: Layout, written: dict[str, Any], place: DataPath) -> None:
        """Read parts of a state. What fits no field is reported, and the rest is looked at all the same."""
        for wrong in mistakes_in_state(layout, codec, written, list(layout.defaults), complete=False):
            message, hint = parted(str(wrong))
            misspelt = not _leads_somewhere(encode_state(layout, codec, layout.defaults), wrong.path)
            self.error("E702", message, (*place, *wrong.path), hint, on_key=misspelt)

    def pieces(self, layout: Layout, code: ir.GameRules) -> None:
        """Report pieces that are given more often than the game has them; the rest of them may be anywhere."""
        given = self.document.value.get("given")
        if not given or not code.totals:
            return
        families, stock = self.games.stock(layout, code)
        places: dict[tuple[str, str], list[DataPath]] = {}
        waiting: list[tuple[DataPath, object, str]] = [(("given",), given, "")]
        while waiting:
            path, value, family = waiting.pop(0)
            if isinstance(value, dict):
                waiting += [((*path, key), part, family or families.get(str(key), "")) for key, part in value.items()]
            elif isinstance(value, list) and family:
                for number, part in enumerate(value):
                    places.setdefault((family, str(part)), []).append((*path, number))
        for (family, label), found in places.items():
            has = stock.get((family, label), len(found))
            if len(found) > has:
                message = f"there are {len(found)} of the {family} `{label}` here, and the game has {has}"
                hint = "take some away, or let the game have more of them"
                others = tuple([Related(self.document.span(place), "and here") for place in found[:-1]])
                self.findings.warning("W701", message, self.document.span(found[-1]), hint, others)

    def start(self, codec: Codec) -> tuple[str | None, tuple[int, ...]]:
        start = self.document.value.get("start")
        if start is None:
            return None, ()
        name, given = start["procedure"], start.get("with", {})
        known = codec.game.procedures
        if name not in known:
            place = ("start", "procedure")
            self.error("E703", f"there is no procedure `{name}`", place, nearest(name, known))
            return None, ()
        parameters = {parameter.name: parameter for parameter in known[name].parameters}
        for key in given:
            if key not in parameters:
                message = f"the procedure `{name}` has no parameter `{key}`"
                self.error("E703", message, ("start", "with", key), nearest(str(key), parameters), on_key=True)
        arguments: list[int] = []
        for key, parameter in parameters.items():
            if key not in given:
                self.error("E703", f"the procedure `{name}` needs a value for `{key}`", ("start",), on_key=True)
                continue
            assert isinstance(parameter.type, Scalar)
            try:
                arguments.append(codec.decode(parameter.type, given[key]))
            except NotAValue as error:
                message, hint = parted(str(error))
                self.error("E705", message, ("start", "with", key), hint)
        return name, tuple(arguments)


def _root(path: Path) -> Path:
    """The folder that holds game folders, for a scenario in `<game>/scenarios/`, in `<game>/` or in the root itself."""
    above = [Path(os.path.normpath(os.path.join(path, *[os.pardir] * levels))) for levels in (1, 2, 3)]
    game = next((folder for folder in above if (folder / "game.yaml").is_file()), None)
    return Path(os.path.normpath(game / os.pardir)) if game is not None else above[0]


def _leads_somewhere(state: Any, path: DataPath) -> bool:
    """Whether a path is one of a state."""
    for step in path:
        if not isinstance(state, dict) or str(step) not in state:
            return False
        state = state[str(step)]
    return True
