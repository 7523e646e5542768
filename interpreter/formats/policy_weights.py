"""The weights of a policy as rows of a file (deserialisation), held against what the rules have.

What a section names must be what the rules have; with other rules, what they have no more is left out, and what is new
counts for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from chocolatl.interpreter.diagnostics import Findings, nearest
from chocolatl.interpreter.formats.policy_file import WRONG, PolicyFile, Section, trainings
from chocolatl.interpreter.policy.integers import MOST_OFFSET, MOST_SCALE, MOST_WEIGHT

if TYPE_CHECKING:  # numpy takes time to load, and whoever only looks at a section does not wait for it
    from chocolatl.interpreter.policy.form import PolicyForm, PolicyTable
    from chocolatl.interpreter.policy.weights import PolicyWeights, Scales

OWN = "own"
"""The row of the answers' own weights."""

COMMON = "player"
"""What features are about that belong to no choice."""

FIRST_ROLE = "context"
TIMES = " * "
MOST_FINDINGS = 20


class WrongPolicy(Exception):
    """Weights that are not for these rules, or are damaged. The message is a sentence for the user."""


def row_names(table: PolicyTable) -> dict[str, tuple[int, int]]:
    """The rows of a table by name: of which term and multiplier."""
    names: dict[str, tuple[int, int]] = {}
    for term, called in enumerate(table.bases):
        names[called] = term, 0
        for multiplier, times in enumerate(table.multipliers[1:], start=1):
            names[f"{called}{TIMES}{times}"] = term, multiplier
    return names


def weights_section(weights: PolicyWeights) -> Section:
    """Features and weights as they stand in a section. Rows of zeros are left out."""
    form, scales = weights.form, weights.scales
    features: Section = {}
    for each in form.features:
        group = features.setdefault(each.group or COMMON, {})
        pair = [int(scales.offsets[each.number]), int(scales.scales[each.number])]
        group.setdefault(each.role.value, {})[each.called] = pair
    tables: Section = {}
    for table in form.tables:
        rows: dict[str, str] = {}
        own, terms = weights.kinds[table.number], weights.terms[table.number]
        if own.any():
            rows[OWN] = _row(own)
        for name, (term, multiplier) in row_names(table).items():
            if terms[multiplier, term].any():
                rows[name] = _row(terms[multiplier, term])
        tables[table.name] = rows
    return {"features": features, "weights": tables}


def _row(values: Any) -> str:
    return " ".join(str(int(value)) for value in values)


def section_weights(form: PolicyForm, section: Section, lenient: bool = False) -> PolicyWeights:
    """The weights of a section that fits, or with `lenient` as much of it as does; `WrongPolicy` if it does not."""
    reading = _WeightsReading(form, section, lenient)
    if reading.wrong:
        raise WrongPolicy(reading.wrong[0].message)
    return reading.weights()


def carried_weights(form: PolicyForm, section: Section, scales: Scales) -> PolicyWeights:
    """The weights of a section that was learned for other rules, as far as they fit; features that are new have the
    scales that are given, and can be learned."""
    reading = _WeightsReading(form, section, lenient=True)
    if reading.wrong:
        raise WrongPolicy(reading.wrong[0].message)
    return reading.weights(scales)


def fitting_weights(
    policy: PolicyFile, form: PolicyForm, findings: Findings, lenient: bool, training: int = 0
) -> PolicyWeights | None:
    """The weights that a training has left in a file, for a form, or None after findings."""
    section = trainings(policy.sections[form.game.player_count])[training]
    reading = _WeightsReading(form, section, lenient)
    return reading.weights() if _told(reading, policy, training, findings) else None


def is_fitting(policy: PolicyFile, form: PolicyForm, findings: Findings) -> bool:
    """Whether all trainings of a file fit a form; if not, findings tell why."""
    sections = trainings(policy.sections[form.game.player_count])
    readings = [_WeightsReading(form, section, False) for section in sections]
    return all([_told(reading, policy, training, findings) for training, reading in enumerate(readings)])


def _told(reading: _WeightsReading, policy: PolicyFile, training: int, findings: Findings) -> bool:
    """Whether nothing is wrong; what is becomes findings."""
    for each in reading.wrong[:MOST_FINDINGS]:
        span = policy.document.key_span(policy.path(reading.form.game.player_count, *each.path, training=training))
        findings.error(WRONG, each.message, span, each.hint)
    return not reading.wrong


class MisfitPart(Struct, frozen=True):
    """What is wrong with a part of a section."""

    path: tuple[str | int, ...]
    message: str
    hint: str = ""


class _ReadRow(Struct, frozen=True):
    """A row of a table: of a term and a multiplier, or of the answers' own weights."""

    table: int
    term: tuple[int, int] | None
    columns: list[int]
    values: list[int]


class _WeightsReading:
    """The rows of a section. What the rules do not have is wrong, unless it is read leniently."""

    def __init__(self, form: PolicyForm, section: Section, lenient: bool) -> None:
        self.form, self.lenient = form, lenient
        self.wrong: list[MisfitPart] = []
        self.pairs: dict[int, tuple[int, int]] = {}
        self.rows: list[_ReadRow] = []
        self.groups = {str(name): _texts(group) for name, group in section["features"].items()}
        self._read_features()
        tables = {table.name: table for table in form.tables}
        for name, rows in section["weights"].items():
            if str(name) in tables:
                self._read_table(tables[str(name)], ("weights", name), rows)
            else:
                self.misfit(("weights", name), f"these rules have no table `{name}`", tables)

    def weights(self, others: Scales | None = None) -> PolicyWeights:
        """What was read, as arrays; features that were not have the scales of `others`, or are switched off."""
        from chocolatl.interpreter.policy.weights import Scales, default_scales, uniform_weights

        base = default_scales(self.form)
        scales = Scales(base.offsets.copy(), 0 * base.scales)
        if others is not None:
            scales = Scales(others.offsets.copy(), others.scales.copy())
        for number, (offset, scale) in self.pairs.items():
            scales.offsets[number], scales.scales[number] = offset, scale
        found = uniform_weights(self.form, scales)
        for row in self.rows:
            if row.term is None:
                found.kinds[row.table][:] = row.values
                continue
            term, multiplier = row.term
            for column, value in zip(row.columns, row.values, strict=True):
                if column >= 0:
                    found.terms[row.table][multiplier, term, column] = value
        return found

    def misfit(self, path: tuple[str | int, ...], message: str, known: Mapping[str, object] | None = None) -> None:
        if not self.lenient:
            self.wrong.append(MisfitPart(path, message, nearest(str(path[-1]), list(known)) if known else ""))

    def _read_features(self) -> None:
        known = {(each.group or COMMON, each.role.value, each.called): each.number for each in self.form.features}
        given: set[tuple[str, str, str]] = set()
        for group, roles in self.groups.items():
            for role, features in roles.items():
                for name, (offset, scale) in features.items():
                    key, path = (group, role, name), ("features", group, role, name)
                    given.add(key)
                    if key not in known:
                        self.misfit(path, f"these rules have no feature `{name}` there", {each[2]: 0 for each in known})
                    elif not abs(offset) <= MOST_OFFSET or not 0 <= scale <= MOST_SCALE:
                        bounds = f"an offset lies within {MOST_OFFSET} of 0, a scale between 0 and {MOST_SCALE}"
                        self.wrong.append(MisfitPart(path, bounds))
                    else:
                        self.pairs[known[key]] = offset, scale
        for group, role, name in known:
            if (group, role, name) not in given:
                self.misfit(("features",), f"the feature `{name}` of `{group}` is missing ({role})")

    def _read_table(self, table: PolicyTable, path: tuple[str | int, ...], rows: Mapping[Any, str]) -> None:
        known, columns = row_names(table), self._columns(table)
        answers = len(table.elements or ())
        for key, text in rows.items():
            row, values = str(key), [int(each) for each in text.split()]
            if any(abs(value) > MOST_WEIGHT for value in values):
                message = f"a weight lies between -{MOST_WEIGHT} and {MOST_WEIGHT}"
                self.wrong.append(MisfitPart((*path, key), message))
            elif row != OWN and row not in known:
                self.misfit((*path, key), f"the table `{table.name}` has no row `{row}`", known)
            elif len(values) != (answers if row == OWN else len(columns)):
                wanted = f"{answers} answers" if row == OWN else f"{len(columns)} features"
                self.misfit((*path, key), f"there are {len(values)} weights for {wanted}")
            else:
                self.rows.append(_ReadRow(table.number, known.get(row) if row != OWN else None, columns, values))

    def _columns(self, table: PolicyTable) -> list[int]:
        """Where the columns of a row in the file stand among the features of its table; -1 is one that the rules have
        no more. First come those about the player."""
        places = {}
        for position, number in enumerate(table.features):
            feature = self.form.features[number]
            places[feature.group or COMMON, feature.called] = position
        return [
            places.get((group, name), -1)
            for group in (COMMON, table.label)
            for name in self.groups.get(group, {}).get(FIRST_ROLE, {})
        ]


def _texts(group: Mapping[Any, Mapping[Any, Any]]) -> dict[str, dict[str, Any]]:
    """With keys as texts, though some may look like numbers."""
    return {str(role): {str(name): pair for name, pair in features.items()} for role, features in group.items()}
