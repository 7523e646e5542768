"""The hash of the rules: equal for games that play alike, whatever their layout, comments and texts for people."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from interpreter.data.model import GameFiles
from interpreter.syntax.printer import print_rules


def rules_hash(data: GameFiles) -> str:
    """SHA-256 of the rules after replacement, printed without texts, and the canonical JSON of the effective data."""
    effective = {
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
    text = print_rules(data.rules, texts=False) + "\0" + canonical_json(effective)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces; numbers as keys become texts."""
    return json.dumps(_with_text_keys(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _with_text_keys(entry) for key, entry in value.items()}
    return [_with_text_keys(entry) for entry in value] if isinstance(value, list | tuple) else value
