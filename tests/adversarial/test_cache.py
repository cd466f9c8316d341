"""The cache of compiled kernels heals itself, and runs nothing that others put there."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from serpenoid.compiled.cache import read_sealed

CODE = "from serpenoid import frames\nfrom serpenoid.compiled.cache import CACHE\nprint(frames.sincos1(0.0), frames.turned(3.0, 5.0, 0.6, 0.8), CACHE)"
ANSWER = "(1.0, 0.0) (-2.2, 5.4)"


def turned(cache: Path | None, **env: str) -> tuple[str, str]:
    """Compile or load one small kernel; its answer, and the folder of the cache."""
    own = {} if cache is None else {"SERPENOID_CACHE": str(cache)}
    base = {k: v for k, v in os.environ.items() if k not in ("SERPENOID_CACHE", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env={**base, **own, **env}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    answer, _, folder = done.stdout.strip().rpartition(" ")
    return answer, folder


def files(cache: Path) -> dict[Path, int]:
    """Files of the kernel with the time they were written."""
    return {p: p.stat().st_mtime_ns for p in cache.rglob("*.turned-*.nb?")}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("cache")
    assert turned(cache) == (ANSWER, str(cache / "serpenoid" / "kernels"))
    assert files(cache)
    return cache


def test_the_second_start_compiles_nothing(made: Path) -> None:
    before = files(made)
    turned(made)
    assert files(made) == before


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", ["flipped", "cut", "emptied", "renamed", "linked"])
def test_a_damaged_entry_is_compiled_again(made: Path, damage: str, suffix: str, tmp_path: Path) -> None:
    target = next(p for p in files(made) if p.suffix == suffix)
    whole = target.read_bytes()
    if damage == "flipped":
        target.write_bytes(whole[:-5] + bytes([whole[-5] ^ 4]) + whole[-4:])
    elif damage == "cut":
        target.write_bytes(whole[: len(whole) // 2])
    elif damage == "emptied":
        target.write_bytes(b"")
    elif damage == "renamed":  # a good file under the name of another
        other = next(p for p in made.rglob(f"*{suffix}") if "turned-" not in p.name)
        target.write_bytes(other.read_bytes())
    else:
        (tmp_path / "elsewhere").write_bytes(whole)
        target.unlink()
        target.symlink_to(tmp_path / "elsewhere")
    assert turned(made)[0] == ANSWER
    assert not target.is_symlink()
    assert read_sealed(target) is not None  # healed


class Planted:
    """Runs a command when it is unpickled."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.canary),)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_planted_pickle_does_not_run(made: Path, suffix: str, tmp_path: Path) -> None:
    target = next(p for p in files(made) if p.suffix == suffix)
    target.write_bytes(pickle.dumps(Planted(tmp_path / "canary")))
    assert turned(made)[0] == ANSWER
    assert not (tmp_path / "canary").exists()


def test_a_folder_open_to_others_is_emptied_and_closed(made: Path) -> None:
    folder = made / "serpenoid" / "kernels"
    folder.chmod(0o777)
    (folder / "foreign").mkdir()
    assert turned(made)[0] == ANSWER
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not (folder / "foreign").exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "cache" / "serpenoid").mkdir(parents=True, mode=0o700)
    (tmp_path / "cache" / "serpenoid" / "kernels").symlink_to(tmp_path / "real")
    home = tmp_path / "home"
    home.mkdir()
    assert turned(tmp_path / "cache", HOME=str(home))[1] == str(home / ".cache" / "serpenoid" / "kernels")
    assert not list((tmp_path / "real").iterdir())


def test_without_a_home_one_stable_folder_is_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "temporary").mkdir()
    env = {"HOME": str(tmp_path / "file"), "TMPDIR": str(tmp_path / "temporary")}
    first, again = turned(None, **env), turned(None, **env)
    assert first == again
    assert len(list((tmp_path / "temporary").glob("serpenoid-*"))) == 1
