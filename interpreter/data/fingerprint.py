"""The hash of the rules (a fingerprint): with equal hashes, games are one program, but for places and texts for people.

It is taken of all that a translation reads, so that for any number of players the IR of two games with one hash is the
same. Layout, comments, texts for people and the order of maps are left out.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.syntax.printer import print_rules

NUMBER = re.compile(r"-?[0-9]+")


def rules_hash(data: GameFiles) -> str:
    """SHA-256 of the rules after replacement, printed without texts, and the canonical JSON of the effective data."""
    effective: dict[str, Any] = {
        "players": [data.minimum, data.maximum],
        "parameters": {
            p.name: {"value": p.value, "options": p.options, "min": p.minimum, "max": p.maximum}
            for p in data.parameters.values()
        },
        "tables": {t.name: {"index": t.index, "type": t.type, "value": t.value} for t in data.tables.values()},
        "components": {
            c.name: {
                "kinds": [{"attributes": k.attributes, "name": k.name, "copies": k.copies} for k in c.kinds],
                "ranges": c.ranges,
            }
            for c in data.components.values()
        },
    }
    if data.dropped:  # elsewhere the same word may name something else; rules that drop nothing have no such key
        effective["dropped"] = {enum: sorted(set(members)) for enum, members in data.dropped.items()}
    text = print_rules(data.rules, texts=False) + "\0" + canonical_json(effective)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces; numbers as keys become texts, which no text as a key is equal to."""
    return json.dumps(_with_text_keys(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {_text_key(key): _with_text_keys(entry) for key, entry in value.items()}
    return [_with_text_keys(entry) for entry in value] if isinstance(value, list | tuple) else value


def _text_key(key: str | int) -> str:
    """A text that reads like a number stands in quotation marks, and so does one that has some already."""
    if isinstance(key, int):
        return str(key)
    return json.dumps(key) if key.startswith('"') or NUMBER.fullmatch(key) else key
