"""What a change of rules does, as people read it: verdicts first (a summary of paired differences); as JSON, and as
Markdown for the review of a change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any, assert_never

from chocolatl.interpreter.comparing.figures import ComparedFigure, FigureKind
from chocolatl.interpreter.comparing.pairs import ComparedPlay
from chocolatl.interpreter.comparing.rule_changes import ChangeKind, RuleChanges
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.statistics.paired_differences import SURE, Finding, PairedVerdict
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.output.console import VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable

LISTED = 8
"""So many changes of rules, and so many figures that differ, are shown without details."""

FEW_LINES = 4
"""If no more lines than that have changed, they are shown, too."""


@dataclass(frozen=True)
class ComparisonReport:
    """All that is told of a comparison; `names` are what the user calls the two."""

    a: Game
    b: Game
    names: tuple[str, str]
    changes: RuleChanges
    play: ComparedPlay
    seed: int

    # ------------------------------------------------------------ words

    def words(self, figure: ComparedFigure) -> str:
        """The verdict on a figure in plain words."""
        verdict = self.play.verdict(figure)
        smallest = self._amount(self.play.smallest[figure.key], figure)
        match verdict.finding:
            case Finding.MORE | Finding.LESS:
                ends = sorted((abs(verdict.low), abs(verdict.high)))
                told = f"{_direction(figure.kind, verdict.finding)} by {self._range(figure, *ends)}"
                return f"{told}, which is less than what matters ({smallest})" if verdict.minor else told
            case Finding.SAME:
                most = max(abs(verdict.low), abs(verdict.high))
                if not most:
                    return "the same in every game that was played"
                return f"no difference larger than {self._amount(most, figure, ceil)}"
            case Finding.OPEN:
                low, high = (self._number(each, figure) for each in (verdict.low, verdict.high))
                return f"cannot tell yet ({low} to {high} {figure.unit}); about {verdict.needed:,} pairs would tell"
            case _:
                assert_never(verdict.finding)

    def _range(self, figure: ComparedFigure, low: float, high: float) -> str:
        return f"{self._number(low, figure, floor)} to {self._amount(high, figure, ceil)}"

    def _amount(self, value: float, figure: ComparedFigure, rounding: Any = round) -> str:
        return f"{self._number(value, figure, rounding)} {figure.unit}"

    def _number(self, value: float, figure: ComparedFigure, rounding: Any = round) -> str:
        """As many digits as what matters has, and mostly one at least; bounds are rounded away from the middle."""
        factor = 100.0 if figure.kind is FigureKind.SHARE else 1.0
        smallest = self.play.smallest[figure.key] * factor
        digits = max(int(smallest < 10), -floor(log10(smallest)))
        scaled = value * factor * 10**digits
        return f"{rounding(scaled - 1e-9 if rounding is ceil else scaled) / 10**digits:.{digits}f}"

    @property
    def title(self) -> str:
        players = self.a.player_count
        return one_line(f"{self.names[1]} beside {self.names[0]}, {players} player{'s' if players > 1 else ''}")

    @property
    def headline(self) -> str:
        told = [figure for figure in self.play.figures if self.play.verdict(figure).finding is not Finding.OPEN]
        pairs = f"{self.play.pairs:,} pairs of games of random players with the same luck"
        if len(told) == len(self.play.figures):
            return f"{pairs}; all is told"
        return f"{pairs}; {len(told)} of {len(self.play.figures)} figures told"

    @property
    def footing(self) -> str:
        return (
            f"All intervals hold together with {100 * SURE:.0f} %, at whatever number of pairs it stops. "
            "This is random play: what people do may differ."
        )

    # ------------------------------------------------------------ what differs

    def by_finding(self) -> tuple[list[ComparedFigure], list[ComparedFigure], list[ComparedFigure]]:
        """Figures that differ, the ones that matter most first; those that do not; those that are open."""
        verdicts = {figure.key: self.play.verdict(figure) for figure in self.play.figures}

        def weight(figure: ComparedFigure) -> float:
            return abs(verdicts[figure.key].mean) / self.play.smallest[figure.key]

        found: tuple[list[ComparedFigure], ...] = ([], [], [])
        place = {Finding.MORE: 0, Finding.LESS: 0, Finding.SAME: 1, Finding.OPEN: 2}
        for figure in self.play.figures:
            found[place[verdicts[figure.key].finding]].append(figure)
        basic = [figure for figure in found[0] if not figure.key.startswith("source.")]
        sources = sorted((f for f in found[0] if f.key.startswith("source.")), key=lambda f: -weight(f))
        return [*basic, *sources], found[1], found[2]

    def rule_lines(self, most: int | None, more: str = "") -> Iterator[str]:
        """What differs in the rules, a line each; `more` shows what is left out."""
        changes = self.changes
        if not changes.declarations and not changes.values:
            yield "nothing: the rules are the same"
            return
        if changes.same_program:
            yield "only words for people: they are played alike"
        lines: list[str] = []
        short = most is not None and sum(map(sum, (each.lines for each in changes.declarations))) <= FEW_LINES
        for each in changes.declarations:
            lines.append(_change_words(each.kind, each.name, *each.lines))
            if short:
                lines += [f"  {line}" for line in each.diff if line.startswith(("-", "+"))]
        lines += [f"{each.name}: {_shown(each.before)} -> {_shown(each.after)}" for each in changes.values]
        yield from lines[:most]
        if most is not None and len(lines) > most:
            yield f"and {len(lines) - most} more ({more})"

    # ------------------------------------------------------------ on a screen

    def shown(self, details: bool, more: str) -> list[FoldingTable | VisibleText]:
        most = None if details else LISTED
        lines = [self.title, "", "What differs in the rules"]
        lines += [f"  {one_line(line)}" for line in self.rule_lines(most, more)]
        found: list[FoldingTable | VisibleText] = [VisibleText("\n".join(lines))]
        if details:
            for change in self.changes.declarations:
                found.append(VisibleText("\n".join(["", one_line(change.name), *change.diff])))
        found.append(VisibleText(f"\nWhat differs in play\n  ({self.headline})"))
        differ, same, still_open = self.by_finding()
        rest = [] if details else differ[LISTED:]
        for figure in differ[: len(differ) - len(rest)] if rest else differ:
            found.append(VisibleText(f"  {one_line(figure.name)}: {self.words(figure)}"))
        if rest:
            found.append(VisibleText(f"  and {len(rest)} more: {', '.join(one_line(f.name) for f in rest)} ({more})"))
        if not differ:
            found.append(VisibleText("  nothing that could be seen"))
        for figure in still_open:
            found.append(VisibleText(f"  {one_line(figure.name)}: {self.words(figure)}"))
        if same:
            names = ", ".join(one_line(figure.name) for figure in same)
            found.append(VisibleText(f"No difference that matters: {names}"))
        if details:
            found.append(self._table())
        found.append(VisibleText(self.footing))
        return found

    def _table(self) -> FoldingTable:
        table = FoldingTable(title=VisibleText("all figures"), title_justify="left")
        table.add_column("figure")
        for name in ("A", "B", "B - A", "matters", "gain"):
            table.add_column(name, justify="right")
        for cells in self._rows():
            table.add_row(*map(VisibleText, cells))
        table.caption = VisibleText("gain: so many times more pairs would be needed with luck of their own")
        return table

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for figure in self.play.figures:
            sums, verdict = self.play.sums[figure.key], self.play.verdict(figure)
            low, high = (self._number(each, figure) for each in (verdict.low, verdict.high))
            gain = "" if sums.gain is None else f"{sums.gain:.1f}"
            a, b = (self._number(total / sums.n, figure) for total in (sums.first, sums.second))
            matters = self._number(self.play.smallest[figure.key], figure)
            yield f"{one_line(figure.name)} ({figure.unit})", a, b, f"{low} to {high}", matters, gain

    # ------------------------------------------------------------ for a review, for programs

    def markdown(self) -> str:
        """A comment for the review of a change."""
        lines = [f"## {_plain(self.title)}", "", f"{self.headline}.", "", "| figure | verdict |", "|---|---|"]
        differ, same, still_open = self.by_finding()
        lines += [f"| {_plain(figure.name)} | **{_plain(self.words(figure))}** |" for figure in differ]
        lines += [f"| {_plain(figure.name)} | {_plain(self.words(figure))} |" for figure in (*still_open, *same)]
        lines += ["", "### What differs in the rules", ""]
        lines += self._markdown_rules()
        if self.changes.declarations:
            text = "\n".join(
                "\n".join((f"# {one_line(d.name)}", *map(one_line, d.diff))) for d in self.changes.declarations
            )
            lines += ["", "<details><summary>Diff</summary>", "", *_fenced(text, "diff"), "", "</details>"]
        lines += ["", "<details><summary>All figures</summary>", "", "| figure | A | B | B - A | matters | gain |"]
        lines += ["|---|---:|---:|---:|---:|---:|"]
        lines += ["| " + " | ".join(map(_plain, cells)) + " |" for cells in self._rows()]
        lines += ["", "</details>", "", self.footing]
        return "\n".join(lines) + "\n"

    def _markdown_rules(self) -> list[str]:
        changes = self.changes
        lines = [f"- {_plain(_change_words(each.kind, each.name, *each.lines))}" for each in changes.declarations]
        if changes.values:
            lines += ["", "| value | A | B |", "|---|---|---|"]
            cells = [(each.name, _shown(each.before), _shown(each.after)) for each in changes.values]
            lines += ["| " + " | ".join(map(_plain, each)) + " |" for each in cells]
        if changes.same_program:
            lines.append("" if lines else "The rules are the same.")
            lines += ["Only words for people differ: they are played alike."] if changes.declarations else []
        return lines

    def as_json(self) -> dict[str, Any]:
        return {
            "a": _game(self.a, self.names[0]),
            "b": _game(self.b, self.names[1]),
            "players": self.a.player_count,
            "type": "random",
            "seed": self.seed,
            "pairs": self.play.pairs,
            "sure": SURE,
            "rules": {
                "same_program": self.changes.same_program,
                "values": [{"name": v.name, "before": v.before, "after": v.after} for v in self.changes.values],
                "declarations": [
                    {"name": d.name, "change": d.kind.value, "diff": list(d.diff)} for d in self.changes.declarations
                ],
            },
            "figures": [self._figure(figure) for figure in self.play.figures],
        }

    def _figure(self, figure: ComparedFigure) -> dict[str, Any]:
        sums, verdict = self.play.sums[figure.key], self.play.verdict(figure)
        return {
            "key": figure.key,
            "name": figure.name,
            "unit": "share" if figure.kind is FigureKind.SHARE else figure.unit,
            "about": figure.about,
            "a": sums.first / sums.n,
            "b": sums.second / sums.n,
            "difference": _interval(verdict),
            "smallest": self.play.smallest[figure.key],
            "finding": verdict.finding.name.lower(),
            "minor": verdict.minor,
            "needed": verdict.needed,
            "gain": sums.gain,
            "words": self.words(figure),
        }


def _interval(verdict: PairedVerdict) -> dict[str, float]:
    return {"mean": verdict.mean, "low": verdict.low, "high": verdict.high}


def _game(game: Game, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "game": game.files.name,
        "variant": game.files.variant,
        "title": game.files.title,
        "rules": game.files.rules_hash,
    }


def _direction(kind: FigureKind, finding: Finding) -> str:
    more = finding is Finding.MORE
    match kind:
        case FigureKind.LENGTH:
            return "longer" if more else "shorter"
        case FigureKind.POINTS:
            return "higher" if more else "lower"
        case FigureKind.SHARE:
            return "more often" if more else "less often"
        case _:
            assert_never(kind)


def _change_words(kind: ChangeKind, name: str, gone: int, new: int) -> str:
    match kind:
        case ChangeKind.ADDED | ChangeKind.REMOVED:
            return f"{name}: {kind.value}"
        case ChangeKind.CHANGED:
            return f"{name}: changed ({gone} line{'s' if gone != 1 else ''} out, {new} in)"
        case ChangeKind.REWORDED:
            return f"{name}: only words for people changed"
        case _:
            assert_never(kind)


def _shown(value: str | None) -> str:
    return value if value is not None else "(none)"


def _plain(text: str) -> str:
    """A text that Markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#|!~" else c for c in one_line(text))


def _fenced(text: str, language: str) -> list[str]:
    """A block that nothing in the text can end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}{language}", text, fence]
