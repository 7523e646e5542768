"""The cache of compiled code: what an entry is known by, whom it is taken from, and what happens without one.

An attacker may be somebody else on this machine, or the author of an archive that the user unpacked; neither can read
the user's key.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.stepper import Stepper
from chocolatl.interpreter.native.llvm import cache
from chocolatl.interpreter.native.llvm import compile as native_compile
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.native.llvm.private import STALE, put
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from tests.conftest import ROOT
from tests.data.test_fingerprint import DROPPING, harbour
from tests.games import tables, write_game

NOTE = "note: compiled code is not kept"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache and a key for one test, and no note yet."""
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(cache, "_noted", False)
    return tmp_path / "cache"


def small() -> Game:
    return next(table for table in tables() if str(table) == "kuhn_poker-2").load()


def entry(own_cache: Path) -> Path:
    """The only file of the cache, for a game that was compiled into it."""
    Kernel(small(), QUICK)
    (path,) = own_cache.iterdir()
    return path


# ---------------------------------------------------------------- what an entry is known by

HASHES = """
import hashlib
from chocolatl.interpreter.native.builds.module import stepwise, whole_games
from tests.games import tables
for table in tables():
    if table.players == 3 and table.variant is None:
        game = table.load()
        text = whole_games(game.ir, "").text + stepwise(game.program, "").text
        print(table, hashlib.sha256(text.encode()).hexdigest())
"""


def test_the_text_of_the_code_is_the_same_in_every_process() -> None:
    """Code from the cache is found by a text that another process makes."""
    found = []
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        made = subprocess.run(
            [sys.executable, "-c", HASHES], env=environment, capture_output=True, text=True, check=True
        )
        found.append(made.stdout)
    assert found[0] and found[0] == found[1] == found[2]


def test_code_is_compiled_once(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Kernel(small(), QUICK)
    monkeypatch.setattr(native_compile, "compiled", None)
    assert Kernel(small(), QUICK).play(1).decisions > 0
    assert len(list(own_cache.iterdir())) == 1


def test_code_is_known_by_its_text_whatever_the_hash_of_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the mill was dropped nothing is a mill; where it is a field, everybody gets 5 points."""
    monkeypatch.setattr(GameFiles, "rules_hash", "0" * 64)
    dropping = load(harbour(tmp_path / "one", ", mill", small=DROPPING) / "variants" / "small.yaml", 2)
    other = load(harbour(tmp_path / "two", ""), 2)
    assert dropping.files.rules_hash == other.files.rules_hash
    for build in (Kernel, Stepper):
        build(dropping, QUICK)
        build(other, QUICK)
    assert max(Kernel(dropping, QUICK).play(1).result.scores) <= 2
    assert min(Kernel(other, QUICK).play(1).result.scores) > 5


def test_lines_and_texts_are_no_part_of_the_code(tmp_path: Path, own_cache: Path) -> None:
    rules = 'item luck "{}"\n\neach player has\n    score : 0..9\n\nplay\n{}    for each p in player\n'
    rules += "        p chooses x from 1..2\n        p gains x score for luck\n"
    for title, above in (("Luck", ""), ("Fortune", "    # a remark\n\n")):
        Kernel(load(write_game(tmp_path, rules.format(title, above)), 2), QUICK)
    assert len(list(own_cache.iterdir())) == 1


def test_each_build_compiler_and_processor_has_code_of_its_own(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = small()
    builds: tuple[Callable[[], object], ...] = (
        lambda: Kernel(game, QUICK),
        lambda: Kernel(game, FAST),
        lambda: Kernel(game, QUICK, closely=True),
        lambda: Kernel(game, QUICK, watched=True),
        lambda: Kernel(game, QUICK, inspected=True),
        lambda: Stepper(game, QUICK),
        lambda: Stepper(game, QUICK, inspected=True),
    )
    for number, build in enumerate(builds, start=1):
        build()
        assert len(list(own_cache.iterdir())) == number
    text = "define i64 @one() {\n  ret i64 1\n}\n"
    native_compile.cached(text, QUICK, str)
    name, features = native_compile.processor()
    for part, value in (("compiler", "another"), ("processor", (name, features + ",")), ("processor", ("x", features))):
        with monkeypatch.context() as patch:
            patch.setattr(native_compile, "compiled", lambda text, level: b"made anew")
            patch.setattr(native_compile, part, lambda value=value: value)
            assert native_compile.cached(text, QUICK, str) == b"made anew"


# ---------------------------------------------------------------- what stays


def test_the_cache_keeps_what_was_used_last(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "KEPT", 2)
    first, second, third = [table.load() for table in tables() if table.game == "kuhn_poker"][:3]
    Kernel(first, QUICK)
    (used,) = own_cache.iterdir()
    os.utime(used, (1, 1))
    Kernel(second, QUICK)
    (unused,) = set(own_cache.iterdir()) - {used}
    os.utime(unused, (2, 2))
    Kernel(first, QUICK)
    Kernel(third, QUICK)
    left = set(own_cache.iterdir())
    assert len(left) == 2 and used in left and unused not in left


def test_what_was_never_finished_goes_and_nothing_else(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "KEPT", 1)
    own_cache.mkdir(0o700)
    (tmp_path / "state" / "chocolatl").mkdir(0o700, parents=True)
    stale = [own_cache / f"{'0' * 32}.o.0123456789ab.tmp", own_cache / f"{'0' * 32}.abcd.tmp"]
    stale.append(tmp_path / "state" / "chocolatl" / "key.0123456789ab.tmp")
    others = [own_cache / name for name in ("main.o", "parser.o", "notes.tmp")]
    for path in (*stale, *others):
        path.write_bytes(b"of somebody else")
        os.utime(path, (1, 1))
    fresh = own_cache / f"{'1' * 32}.o.0123456789ab.tmp"  # somebody is about to finish it
    fresh.write_bytes(b"half")
    os.utime(fresh, (time.time() - STALE / 2,) * 2)
    Kernel(small(), QUICK)
    left = {path.name for path in own_cache.iterdir()}
    assert len(left) == 5 and {fresh.name, *(path.name for path in others)} < left
    assert not any(path.exists() for path in stale)


def test_a_file_that_cannot_be_finished_leaves_nothing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object, **named: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    assert Kernel(small(), QUICK).play(1).decisions > 0
    assert list(own_cache.iterdir()) == []


ENDED = """
import os, signal
from chocolatl.interpreter.native.llvm import cache
os.rename = lambda *given, **named: os.kill(os.getpid(), signal.SIGTERM)
cache.keep(bytes(32), b"code")
"""


def test_a_process_that_is_ended_leaves_nothing(own_cache: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", ENDED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr, list(own_cache.iterdir())) == (-signal.SIGTERM, "", [])


# ---------------------------------------------------------------- whom an entry is taken from


def test_everything_is_made_for_the_user_alone(own_cache: Path, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = entry(own_cache)
    finally:
        os.umask(before)
    state = tmp_path / "state" / "chocolatl"
    assert [p.stat().st_mode & 0o777 for p in (own_cache, state.parent, state)] == [0o700] * 3
    assert [p.stat().st_mode & 0o777 for p in (path, state / "key")] == [0o600] * 2


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "foreign", "rewritten", "huge"])
def test_a_damaged_or_foreign_file_is_made_anew(damage: str, own_cache: Path) -> None:
    path = entry(own_cache)
    whole = path.read_bytes()
    expected = Kernel(small(), QUICK).play(1)
    if damage == "foreign":
        path.unlink()
        Kernel(next(table for table in tables() if str(table) == "kuhn_poker-3").load(), QUICK)
        (other,) = own_cache.iterdir()
        other.rename(path)
    elif damage == "rewritten":  # somebody else may have done so, and anything may be in it
        path.chmod(0o666)
    elif damage == "huge":
        os.truncate(path, 1 << 40)
    else:
        middle = len(whole) // 2
        changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        path.write_bytes({"cut": whole[:-1], "changed": changed, "empty": b""}[damage])
    assert Kernel(small(), QUICK).play(1) == expected
    assert path.read_bytes() == whole and path.stat().st_mode & 0o777 == 0o600


def test_code_that_was_sealed_with_another_key_is_not_run(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive may bring a folder of entries and the key that they were sealed with; unpacked, all are the user's."""
    text = "define i64 @one() {\n  ret i64 1\n}\n"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "attacker"))
    monkeypatch.setattr(native_compile, "compiled", lambda text, level: b"harmful")
    native_compile.cached(text, QUICK, str)
    (own_cache / "key").write_bytes((tmp_path / "attacker" / "chocolatl" / "key").read_bytes())
    assert native_compile.cached(text, FAST, str) == b"harmful"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(native_compile, "compiled", lambda text, level: b"our own")
    assert native_compile.cached(text, QUICK, str) == b"our own"


def test_a_checksum_without_the_key_is_none(own_cache: Path) -> None:
    digest, data = hashlib.sha256(b"all that it was made from").digest(), b"harmful"
    cache.keep(digest, b"our own")
    (path,) = own_cache.iterdir()
    for seal in (hashlib.sha256(digest + data), hashlib.blake2b(digest + data, digest_size=cache.SEAL_SIZE)):
        path.write_bytes(cache.MAGIC + seal.digest() + data)
        assert cache.fetch(digest) is None


def test_an_entry_is_not_reached_through_a_link(own_cache: Path, tmp_path: Path) -> None:
    path = entry(own_cache)
    elsewhere = path.rename(tmp_path / "elsewhere.o")
    path.symlink_to(elsewhere)
    Kernel(small(), QUICK)
    assert not path.is_symlink() and path.read_bytes() == elsewhere.read_bytes()


@pytest.mark.parametrize("what", ["pipe", "device", "folder", "link to nothing"])
def test_what_is_no_file_is_not_waited_for(what: str, own_cache: Path) -> None:
    path = entry(own_cache)
    expected = Kernel(small(), QUICK).play(1)
    path.unlink()
    match what:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "link to nothing":
            path.symlink_to("nothing")
    assert Kernel(small(), QUICK).play(1) == expected
    assert path.is_dir() or (path.is_file() and not path.is_symlink())


def test_the_file_of_another_user_is_not_trusted(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an open file it is asked whose it is, whoever owns its folder."""
    digest = hashlib.sha256(b"all that it was made from").digest()
    cache.keep(digest, b"our own")
    (path,) = own_cache.iterdir()
    assert cache.fetch(digest) == b"our own"
    inode, asked = path.stat().st_ino, os.fstat

    def foreign(handle: int) -> os.stat_result:
        about = asked(handle)
        return os.stat_result((*about[:4], about.st_uid + (about.st_ino == inode), *about[5:]))

    monkeypatch.setattr(os, "fstat", foreign)
    assert cache.fetch(digest) is None


# ---------------------------------------------------------------- the key


def test_a_key_is_made_once(own_cache: Path, tmp_path: Path) -> None:
    """Of many who need it at the same moment, one makes it."""
    start, found = threading.Barrier(8), []

    def ask() -> None:
        start.wait()
        found.append(cache._key())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1 and len(found[0]) == cache.KEY_SIZE
    assert [path.name for path in (tmp_path / "state" / "chocolatl").iterdir()] == ["key"]


def test_a_key_is_made_where_there_are_no_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: object, **named: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    assert cache._key() == cache._key()
    assert [path.name for path in (tmp_path / "state" / "chocolatl").iterdir()] == ["key"]


@pytest.mark.parametrize("damage", ["cut", "readable", "link", "longer"])
def test_a_key_that_others_may_know_is_made_anew(damage: str, tmp_path: Path) -> None:
    first = cache._key()
    path = tmp_path / "state" / "chocolatl" / "key"
    match damage:
        case "cut":
            path.write_bytes(first[:-1])
        case "longer":
            path.write_bytes(first + b"0")
        case "readable":
            path.chmod(0o640)
        case "link":
            path.symlink_to(path.rename(tmp_path / "elsewhere"))
    second = cache._key()
    assert second != first and cache._key() == second
    assert path.stat().st_mode & 0o777 == 0o600 and not path.is_symlink()


# ---------------------------------------------------------------- without a cache


def unusable(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Surroundings in which nothing can be kept; a word of the note about them."""
    variable, rest = how.partition(" ")[::2]
    folder = tmp_path / ("cache" if variable == "CHOCOLATL_CACHE" else "state/chocolatl")
    folder.parent.mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path)
    match rest:
        case "relative":
            monkeypatch.setenv(variable, "downloaded")
            return "is no absolute path"
        case "a file":
            folder.write_text("this is no folder")
            return "Not a directory"
        case "a link":
            (tmp_path / "elsewhere").mkdir(0o700)
            folder.symlink_to(tmp_path / "elsewhere")
            return "a symbolic link"
        case "writable":
            folder.mkdir()
            folder.chmod(0o770)
            return "others can write into"
        case "foreign":
            folder.mkdir(0o700)
            another = os.geteuid() + 1
            monkeypatch.setattr(os, "geteuid", lambda: another)
            return "belongs to somebody else"
        case "nowhere":
            monkeypatch.setenv(variable, "/proc/nowhere/at/all")
            return "No such file or directory"
    raise AssertionError(how)


SURROUNDINGS = [
    f"{variable} {how}"
    for variable in ("CHOCOLATL_CACHE", "XDG_STATE_HOME")
    for how in ("relative", "a file", "a link", "writable", "foreign", "nowhere")
]


@pytest.mark.parametrize("how", SURROUNDINGS)
def test_where_nothing_can_be_kept_there_is_one_note(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = Kernel(small(), QUICK).play(1)
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "other" / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other" / "state"))
    (tmp_path / "other").mkdir()
    reason = unusable(how, tmp_path / "other", monkeypatch)
    for _ in range(2):
        assert Kernel(small(), QUICK).play(1) == expected
    told = capsys.readouterr().err
    assert told.startswith(NOTE) and reason in told and told.count("\n") == 1
    assert not list(tmp_path.glob("other/**/*.o")) and not (tmp_path / "other" / "downloaded").exists()


@pytest.mark.parametrize("missing", ["XDG_CACHE_HOME", "XDG_STATE_HOME", "HOME"])
def test_an_empty_variable_is_none(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the folders of the user's home are taken; a home that is no absolute path is none."""
    monkeypatch.delenv("CHOCOLATL_CACHE")
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("HOME", "" if missing == "HOME" else str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    Kernel(small(), QUICK)
    kept = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert (kept == set()) if missing == "HOME" else "key" in kept
    assert missing == "HOME" or list((tmp_path / "home" / ".cache" / "chocolatl").glob("*.o"))


def test_without_a_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("CHOCOLATL_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    assert Kernel(small(), QUICK).play(1).decisions > 0
    assert capsys.readouterr().err == f"{NOTE} (there is no home folder)\n"


def test_several_processes_say_it_once(tmp_path: Path) -> None:
    """Those that are started for a long work look for the cache as well."""
    words = ("simulate", "goofspiel", "--players", "greedy,greedy", "--games", "4", "--jobs", "2", "--json")
    environment = {**os.environ, "CHOCOLATL_CACHE": "downloaded", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "cli.py"), *words]
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and ran.stderr.count(NOTE) == 1, ran.stderr
    assert not (tmp_path / "downloaded").exists()


def test_only_the_first_one_lasts(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        for content in (b"one", b"two"):
            put(folder, "first", content, first=True)
            put(folder, "last", content)
    finally:
        os.close(folder)
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert found == {"first": b"one", "last": b"two"}
