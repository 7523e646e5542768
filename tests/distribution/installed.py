"""The distribution as users get it: built, installed into an environment of its own, and the tests run against that.

    python -m tests.distribution.installed [what pytest is asked for]

The wheel is built from the source distribution. The environment holds it and, by their path, the packages that it
needs. The tests run in a folder that holds no code of ours: the tests, the pages and settings that they read, and where
they look into the program or its rules, links to what is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
from pathlib import Path

from tests.conftest import ROOT

INSTALLED = ("interpreter", "solver", "rules", "schemas", "cli.py")
"""What lies at the top of a checkout and inside the package where it is installed."""

OF_THE_CHECKOUT = {
    "tests/distribution/test_wheel.py": "it builds what is installed here",
    "tests/distribution/test_types.py": "the type checker is set up for the checkout",
}
"""Tests that are not about the program."""


def build(kind: str, source: Path, folder: Path) -> Path:
    """Build a `wheel` or an `sdist`; where it is."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
    (made,) = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return made


def unpacked(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return source


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel into an environment of its own; the folder of its packages, where it is alone."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    options = ["--no-deps", "--no-index", "--no-compile", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", *options, str(wheel)],
        capture_output=True,
        text=True,
        check=True,
    )
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())


def lend_packages(packages: Path) -> None:
    """What we have installed ourselves can be imported there, too, but for what stands in its own `.pth` files: us."""
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")


def lay_out(folder: Path, packages: Path) -> None:
    """All files of the checkout but those of the program, which are linked to what is installed."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(asked, cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if name.split("/")[0] not in (*INSTALLED, "src") and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    (folder / "src").mkdir()  # pages link to it
    for name in INSTALLED:
        (folder / name).symlink_to(packages / "chocolatl" / name)


def run(folder: Path, asked: list[str]) -> int:
    sdist = build("sdist", ROOT, folder / "dist")
    wheel = build("wheel", unpacked(sdist, folder / "source"), folder / "dist")
    packages = install(wheel, folder / "environment")
    lend_packages(packages)
    place = folder / "empty"
    place.mkdir()
    lay_out(place, packages)
    python = folder / "environment" / "bin" / "python"
    told = "import chocolatl.cli; print('The tests run against', chocolatl.cli.__file__, flush=True)"
    subprocess.run([python, "-c", told], cwd=place, check=True)
    left = [word for path in OF_THE_CHECKOUT for word in ("--deselect", path)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([python, "-m", "pytest", *left, *asked], cwd=place, env=environment, check=False).returncode


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        return run(Path(name), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
