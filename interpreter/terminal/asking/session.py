"""A game in the terminal: people at the keyboard, other players beside them.

Everything that happens is a step from one `GameProgress` to the next. That is a value, so `undo` takes an old one up
again and `save` writes it down; random numbers are part of it, so a game that was left goes on as it would have gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.padding import Padding

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.random import Random, State
from chocolatl.interpreter.play.game import Answer, Chance, Decision, Game, Position
from chocolatl.interpreter.play.match import Player, next_question
from chocolatl.interpreter.source import UnreadableFile
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.asking.hints import Hint
from chocolatl.interpreter.terminal.asking.questions import NotUnderstood, TerminalQuestion, ask
from chocolatl.interpreter.terminal.board.board import board, heading, results
from chocolatl.interpreter.terminal.output.console import NOTICE, VisibleText
from chocolatl.interpreter.terminal.output.words import answer_text, procedure_text
from chocolatl.interpreter.terminal.story import visibility
from chocolatl.interpreter.terminal.story.events import StoryEvent
from chocolatl.interpreter.terminal.story.narrator import Narrator

COMMANDS = {
    "look": "show the table again",
    "hint": "what the solver would answer, and what that is worth; `hint far`: looking beyond the round",
    "take": "answer as the hint says; `take all`: to all that is left of a secret choice",
    "undo": "take back your last answer, and all that followed",
    "save FILE": "write the position to a file and go on",
    "quit": "leave; the position is saved",
    "help": "this list, and all that can be answered",
    "Enter": "gives the answer, where there is only one",
}
ALL, FAR = "all", "far"
WITH_MORE = {"save", "take", "hint"}
"""Commands that may be followed by something."""
WORDS = {command.split()[0] for command in COMMANDS} - {"Enter"}


class LeaveGame(Exception):
    """The person wants to leave the game."""


@dataclass(frozen=True)
class GameProgress:
    """How far a game has come: the position, and the random numbers of chance and of each seat."""

    position: Position
    randoms: tuple[State, ...]


class Session:
    """`players` by seat, None for a person. `read` shows a prompt and gives a line, or raises EOFError.

    `save` writes a course to a file and raises `UnreadableFile` if it cannot. `opening` is what the rules have done
    before the first question. `hint` tells what to answer; if it is
    so wanted, looking far."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player | None],
        course: GameProgress,
        console: Console,
        read: Callable[[str], str],
        save: Callable[[GameProgress, Path], None],
        opening: Log,
        hint: Callable[[Position, Decision, bool], Hint] | None = None,
    ) -> None:
        self.game = game
        self.players = players
        self.course = course
        self.console = console
        self.read = read
        self.save = save
        self.hint = hint
        self.people = [seat for seat, player in enumerate(players) if player is None]
        # Alone one hears what happens from the own seat; at the end of a game of several, what everyone sees.
        self.narrators = {viewer: Narrator(game, viewer) for viewer in [*self.people, visibility.ALL]}
        self.news: dict[int, list[StoryEvent]] = {v: narrator.logged(opening) for v, narrator in self.narrators.items()}
        self.history: list[tuple[int, GameProgress]] = []
        self.at_keyboard: int | None = None
        self.shown: Position | None = None
        self.part = ""
        self.hinted: Hint | None = None
        self.taking: Hint | None = None
        """A hint of which all is taken over."""

    def run(self) -> None:
        """Play to the end. Leaves early by `LeaveGame`, `EOFError` or `KeyboardInterrupt`; `course` is what to save."""
        while True:
            question = next_question(self.game, self.course.position)
            if question is None:
                break
            if not isinstance(question, Decision):
                self.chance(question)
            elif self.players[question.player] is None:
                self.turn(question)
            else:
                self.others(question)
        self.end()

    def chance(self, chance: Chance) -> None:
        random = Random.from_state(self.course.randoms[0])
        outcome = chance.outcomes.sample(random)
        before = self.course.position
        after = self.game.resolve(before, outcome)
        for viewer, narrator in self.narrators.items():
            self.news[viewer] += narrator.chance(before, chance, outcome)
        self.advance(after, 0, random)

    def others(self, decision: Decision) -> None:
        """A player who is no person answers."""
        player = self.players[decision.player]
        assert player is not None
        random = Random.from_state(self.course.randoms[decision.player + 1])
        answer = player.choose(self.game, self.course.position, decision, random)
        self.answer(decision, answer, random)

    def answer(self, decision: Decision, answer: Answer, random: Random | None = None) -> None:
        before = self.course.position
        after = self.game.answer(before, decision.player, answer)
        for viewer, narrator in self.narrators.items():
            self.news[viewer] += narrator.choice(before, decision, answer, after)
        self.advance(after, decision.player + 1, random)

    def advance(self, after: Position, stream: int, random: Random | None) -> None:
        states = list(self.course.randoms)
        if random is not None:
            states[stream] = random.state()
        self.course = GameProgress(after, tuple(states))

    @property
    def before_last_answer(self) -> GameProgress:
        """The game when a person was asked last and had not answered yet."""
        return self.history[-1][1] if self.history else self.course

    # ------------------------------------------------------------ a person's turn

    def turn(self, decision: Decision) -> None:
        """Ask until there is an answer, or until the course is another one."""
        player, course = decision.player, self.course
        question = ask(decision)
        self.hand_over(player)
        self.tell(player)
        if self.taking is not None and self.take(question, self.taking):
            return
        self.taking = None
        if self.shown is None or self.shown.slots != course.position.slots:
            self.look(player)
        self.prompt(question)
        while True:
            line = self.read("> ").strip()
            if not line and question.only is None:
                continue
            try:
                answer = self.understand(question, line) if line else question.only
            except NotUnderstood as error:
                self.console.print(VisibleText(str(error), NOTICE))
                continue
            if answer is not None:
                self.history.append((player, course))
                self.answer(decision, answer)
            if self.course is not course:
                return

    def take(self, question: TerminalQuestion, hint: Hint) -> bool:
        """Answer as a hint says, if it is about this decision."""
        decision = question.decision
        answer = hint.answer_for(self.course.position, decision.player)
        if answer is None:
            return False
        text = VisibleText(f"{self.game.players[decision.player]}: ", "dim").append(
            one_line(decision.prompt), "not dim"
        )
        self.console.print(text.append(f" {answer_text(decision, answer)}", "bold not dim"))
        self.history.append((decision.player, self.course))
        self.answer(decision, answer)
        return True

    def understand(self, question: TerminalQuestion, line: str) -> Answer | None:
        """A legal answer; None if the line was a command, which has been obeyed."""
        word, _, rest = line.partition(" ")
        command = word.lower().removeprefix("/")
        if command not in WORDS or (rest and command not in WITH_MORE):
            if line.startswith("/"):
                raise NotUnderstood(f"there is no command `{line}`; {nearest(command, WORDS) or 'try /help'}")
            return question.understand(line)
        if not line.startswith("/"):
            try:  # a game may have an answer that is called like a command; the slash tells them apart
                return question.understand(line)
            except NotUnderstood:
                pass
        self.obey(question, command, rest.strip())
        return None

    def obey(self, question: TerminalQuestion, command: str, argument: str) -> None:
        player = question.decision.player
        if command == "quit":
            raise LeaveGame
        if command == "undo":
            self.undo(player)
        elif command == "save":
            if not argument:
                raise NotUnderstood("`save` needs the name of a file")
            try:
                self.save(self.course, Path(argument).expanduser())
            except UnreadableFile as error:
                raise NotUnderstood(str(error)) from None
            self.console.print(f"saved: {one_line(argument)}")
        elif command == "hint":
            if self.hint is None:
                raise NotUnderstood("nobody is here to give a hint")
            if argument not in ("", FAR):
                raise NotUnderstood(f"`hint` tells what to answer, `hint {FAR}` looks beyond the round")
            self.hinted = self.hint(self.course.position, question.decision, argument == FAR)
            for line in self.hinted.lines:
                self.console.print(Padding(VisibleText(line, NOTICE), (0, 0, 0, 2), expand=False))
        elif command == "take":
            if argument not in ("", ALL):
                raise NotUnderstood(f"`take` takes over the hint, `take {ALL}` to the end of a secret choice")
            if self.hinted is None or not self.take(question, self.hinted):
                raise NotUnderstood("there is no hint for this decision; type `hint` first")
            self.taking = self.hinted if argument == ALL else None
        elif command == "look":
            self.look(player)
            self.prompt(question)
        else:
            for name, text in COMMANDS.items():
                self.console.print(f"  {name:<10} {text}")
            self.prompt(question, question.all_lines)

    def undo(self, player: int) -> None:
        """Back to the own decision before this one, with the same random numbers."""
        for number in reversed(range(len(self.history))):
            seat, course = self.history[number]
            if seat == player:
                del self.history[number:]
                self.course = course
                self.news = {viewer: [] for viewer in self.narrators}
                self.shown = None
                self.console.print(VisibleText("Taken back.", NOTICE))
                return
        raise NotUnderstood("there is nothing to take back")

    # ------------------------------------------------------------ what is shown

    def hand_over(self, player: int) -> None:
        """Another person sits down; on a terminal the screen is cleared first, since it may show secrets."""
        if len(self.people) > 1 and self.at_keyboard != player:
            name = self.game.players[player]
            if self.console.file.isatty():
                self.console.clear()
                self.read(f"It is {name}'s turn. {name}, press Enter when nobody else is looking. ")
            else:
                self.console.print(f"\nIt is {name}'s turn.")
            self.shown = None
        self.at_keyboard = player

    def tell(self, viewer: int) -> None:
        """The news of a viewer, who has then heard them. What everyone sees is old news by then."""
        lines = self.narrators[viewer].lines(self.news[viewer])
        if lines:
            self.console.print()
            for line in lines:
                self.console.print(Padding(VisibleText(line), (0, 0, 0, 2), expand=False))
        self.news[viewer] = []
        self.news[visibility.ALL] = []

    def look(self, player: int) -> None:
        self.console.print()
        self.console.print(board(self.game, self.course.position, player))
        self.shown = self.course.position
        self.part = ""

    def prompt(self, question: TerminalQuestion, lines: Sequence[str] | None = None) -> None:
        name = self.game.players[question.decision.player]
        part = procedure_text(self.game, question.decision)
        if part and part != self.part:
            self.console.print(VisibleText(part, "dim"))
        self.part = part
        text = VisibleText(f"{name}: ", "dim").append(one_line(question.decision.prompt), "bold not dim")
        self.console.print(text)
        for line in question.lines if lines is None else lines:
            self.console.print(VisibleText(f"  {line}"))

    def end(self) -> None:
        """The last news, the table as it is now, and the result."""
        viewer = self.people[0] if len(self.people) == 1 else visibility.ALL
        self.tell(viewer)
        self.console.print()
        if viewer != visibility.ALL:
            self.console.print(board(self.game, self.course.position, viewer))
        else:
            self.console.print(heading(self.game, self.course.position))
        result = self.game.result(self.course.position)
        self.console.print(results(self.game, result, viewer))
