"""README and docs: every program runs, every command is understood and names only files that are there, every link leads somewhere."""

from __future__ import annotations

import ast
import functools
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cases import PROVE
from serpenoid.cli.entry import parser
from serpenoid.cli.new import texts_of
from serpenoid.formats.scenario import bundled
from serpenoid.planning import maps

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "src" / "serpenoid" / "studies").glob("*/README.md")),
]  # all that the site is made of
OWN_TEST = {"extending.md"}  # see test_extending.py
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
FILE = re.compile(r"`([\w-]+\.(?:py|toml|csv|txt))`:\n\n```\w+\n(.*?)```", re.DOTALL)
README_LINES = 80
SNAKE = re.compile(r"(?<![\w./-])[a-z]+(?:_[a-z0-9]+)+(?![\w/-])")
RECORDED = re.compile(r"(link|joint|contact|com|wall|anchor)_")  # how the names of recorded variables begin
OF_OTHERS = {"stable_baselines3", "noslip_iterations"}
PUT_TOGETHER = {
    "execution_reason",
    "execution_warnings",
    "executed_head_to_goal",
    "bend_deg",
    "com_x",
}  # of a prefix or an ending and a name


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(text: str) -> list[str]:
    """The command lines of a page."""
    blocks = [body for kind, body in BLOCK.findall(text) if kind in ("sh", "bash")]
    lines = [line.split("  #")[0].strip() for body in blocks for line in body.splitlines()]
    return [line.removeprefix("serpenoid ") for line in lines if line.startswith("serpenoid ")]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_are_understood_and_their_files_are_there(page: Path) -> None:
    text = page.read_text()
    written = {name for name, _ in FILE.findall(text)}
    top = parser()
    for line in commands(text):
        args = top.parse_args(shlex.split(line))
        written |= set(texts_of(args.kind)) if args.command == "new" else set()
        assert args.command or args.version, line
        scenario = getattr(args, "scenario", None)
        assert scenario is None or scenario in bundled() or scenario in written, line
        assert getattr(args, "map", None) in (None, *maps.bundled(), *written), line
        assert getattr(args, "obstacles", None) in (None, *written), line
        assert args.command != "run" or scenario or args.resume, line


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in OWN_TEST], ids=named)
def test_programs_run(page: Path, tmp_path: Path) -> None:
    """The Python blocks of a page, in their order, as one program beside the files that the page shows."""
    text = page.read_text()
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content)
    blocks = [body for kind, body in BLOCK.findall(FILE.sub("", text)) if kind == "python"]
    if not blocks:
        pytest.skip("no programs")
    (tmp_path / "program.py").write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _studio_opens(words: list[str], folder: Path) -> None:
    """Start the studio as a page says, without a browser, until it says that it is open; then end it."""
    line = [sys.executable, "-u", "-m", "serpenoid", *words, "--no-browser"]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout
        said = []
        for text in server.stdout:
            said.append(text)
            if "token=" in text:
                server.terminate()
                return
        raise AssertionError("".join(said))


LONG = (
    "README.md",
    "concertina.md",
    "ground.md",
    "optimise.md",
    "paths.md",
)  # a block takes more than 10 s: run by `make prove`
ELSEWHERE = ("study", "bench")  # minutes to hours, with tests of their own
NEEDS = {"gpu": "numba-cuda|NVIDIA"}  # executors that a machine may not have: then the answer says what they need


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name not in OWN_TEST and (PROVE or p.name not in LONG)], ids=named
)
def test_commands_run(page: Path, tmp_path: Path) -> None:
    """The commands of a page, in their order, in one folder with the files that the page shows."""
    text = page.read_text()
    lines = commands(text)
    if not lines:
        pytest.skip("no commands")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content)
    for line in lines:
        words = shlex.split(line)
        if words[0] == "studio":
            thing = words[1] if len(words) > 1 else "creep"  # or a result that a reader has by then
            if thing in bundled() or (tmp_path / thing).exists():
                _studio_opens(words, tmp_path)
        elif words[0] not in ELSEWHERE:
            full = [sys.executable, "-m", "serpenoid", *words]
            done = subprocess.run(full, cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            executor = words[words.index("--executor") + 1] if "--executor" in words else ""
            if executor in NEEDS and done.returncode == 2:
                assert re.search(NEEDS[executor], done.stderr), f"{line}\n{done.stderr[-1000:]}"
                continue
            assert done.returncode == 0, f"{line}\n{done.stdout[-1000:]}\n{done.stderr[-1000:]}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_is_of_a_kind_that_is_checked(page: Path) -> None:
    opened = re.findall(r"^```(.*)$", page.read_text(), re.MULTILINE)[::2]
    known = {"python", "sh", "toml", "text", "bibtex", "ts"}  # ts: see test_web.py
    assert not [kind for kind in opened if kind not in known and not kind.startswith("{")], page


CODE = re.compile(r"^    (serpenoid |python |pip |make |import |from \w+ import |\w+ = sp\.|\$ )", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_code_stands_in_blocks_that_are_run(page: Path) -> None:
    """Indented text is for equations: a command or program there would never be run."""
    outside = re.sub(r"^(`{3,})[^\n]*\n.*?^\1", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert not CODE.findall(outside)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_tables_are_toml_and_links_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for kind, body in BLOCK.findall(text):
        if kind == "toml":
            tomllib.loads(body)
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / link).exists(), link


@functools.cache
def known_names() -> tuple[set[str], set[str]]:
    """Words of the sources, and of them what data and calls have: variables, metrics, keys, fields, arguments."""
    files = [path for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    texts = [path.read_text() for path in (*files, *(ROOT / "web" / "src").rglob("*.ts"), ROOT / "pyproject.toml")]
    data: set[str] = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.arg):
                data.add(node.arg)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                data |= {node.target.id, f"{node.target.id}_deg"}
            elif isinstance(node, ast.FunctionDef):
                data.add(node.name)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                data.add(node.value)
    return {word for text in texts for word in re.findall(r"\w+", text)}, data


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=named)
def test_names_in_the_text_exist(page: Path) -> None:
    """A reader who types a name of a page finds the thing: a recorded variable, a metric, a key, a function."""
    words, data = known_names()
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    said = (
        {name for code in re.findall(r"`([^`\n]+)`", text) for name in SNAKE.findall(code)} - OF_OTHERS - PUT_TOGETHER
    )
    assert not said - words
    assert not {name for name in said if RECORDED.match(name)} - data


def test_the_readme_is_short_and_begins_with_the_first_example() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) < README_LINES
    program = (ROOT / "examples" / "01_creep.py").read_text()
    assert program.split('"""', 2)[2].strip() in text
    assert "make run" in text and "make test" in text


def test_the_maze_of_the_readme_runs_without_a_warning(tmp_path: Path) -> None:
    import json

    (line,) = [c for c in commands((ROOT / "README.md").read_text()) if c.startswith("plan path")]
    words = [*shlex.split(line), "--json"]
    done = subprocess.run([sys.executable, "-m", "serpenoid", *words], cwd=tmp_path, capture_output=True, text=True)
    result = json.loads(done.stdout)
    assert done.returncode == 0 and result["status"] == "reached" and result["warnings"] == [], result


def test_the_map_names_rooms_that_are_there() -> None:
    text = (ROOT / "docs" / "map.md").read_text()
    for path in re.findall(r"`([a-z]+(?:/|\.py))`", text):
        assert (ROOT / "src" / "serpenoid" / path).exists(), path
