"""What a player may know (an observation): the open state, the own secrets, and the sizes of the rest.

The view is derived from the declarations alone. In a secret block it is the position at entry, together with what the
player has done in it; of the others it shows nothing.
"""

from __future__ import annotations

from chocolatl.interpreter.engine.state import encode_state
from chocolatl.interpreter.lowered.codec import Codec, Json
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.position import Position
from chocolatl.interpreter.program.types import PLAYER


def view(program: LoweredGame, codec: Codec, position: Position, player: int) -> dict[str, Json]:
    slots = position.slots if position.sealed is None else position.sealed[player].slots
    return {"player": codec.labels[PLAYER][player], "state": encode_state(program.layout, codec, slots, player)}
